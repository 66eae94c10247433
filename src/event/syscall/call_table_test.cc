#include "event/syscall/call_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "abi/arch/syscall.h"
#include "base/types.h"
#include "event/syscall/signature.h"

namespace peregrine {
namespace {

constexpr abi::SyscallSet kEverySet[] = {abi::SyscallSet::X86_64, abi::SyscallSet::I386, abi::SyscallSet::Generic};

std::string_view call_of(std::string_view row) { return row.substr(0, row.find(' ')); }

std::vector<std::string_view> arguments_of(std::string_view row) {
  std::vector<std::string_view> words;
  while (!row.empty()) {
    words.push_back(call_of(row));
    row.remove_prefix(std::min(words.back().size() + 1, row.size()));
  }
  words.erase(words.begin());
  std::erase_if(words, [](std::string_view word) { return word.starts_with('='); });
  return words;
}

TEST(CallTable, IsSortedWithoutDuplicates) {
  const auto rows = call_table();
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LT(call_of(rows[i - 1]), call_of(rows[i]));
}

TEST(CallTable, HasNoMoreArgumentsThanTheKernelPasses) {
  for (const std::string_view row : call_table()) EXPECT_LE(arguments_of(row).size(), kMostArguments) << row;
}

TEST(CallTable, ArgumentsHaveANameAndAKind) {
  for (const std::string_view row : call_table()) {
    std::set<std::string_view> names;
    for (const std::string_view argument : arguments_of(row)) {
      const auto colon = argument.find(':');
      ASSERT_TRUE(colon != argument.npos && colon > 0 && colon + 1 < argument.size()) << row;
      EXPECT_TRUE(names.insert(argument.substr(0, colon)).second) << row;
    }
  }
}

// A row is never used if no kernel has a call with that name.
TEST(CallTable, EachCallHasANumberSomewhere) {
  std::set<std::string_view> known;
  for (const abi::SyscallSet set : kEverySet)
    for (u32 number = 0; number < 512; ++number) known.insert(abi::syscall_name(set, number));
  for (const std::string_view row : call_table()) EXPECT_TRUE(known.contains(call_of(row))) << row;
}

// The table's data about a call, as signatures return it.
std::string signature_text(std::string_view name, abi::SyscallSet set = abi::SyscallSet::X86_64) {
  const Signatures signatures(set);
  for (u32 number = 0; number < signatures.size(); ++number) {
    const SyscallSignature& call = signatures.of(number);
    if (call.name != name) continue;
    std::string text;
    for (unsigned i = 0; i < call.count; ++i) {
      const SyscallArgument& argument = call.arguments[i];
      text += fmt::format("{}{}{}{}", i == 0 ? "" : " ", argument.name, argument.filled ? ">" : "",
                          argument.changed ? "~" : "");
      if (argument.count == kCountIsResult) text += "@result";
      if (argument.count < kMostArguments) text += fmt::format("@{}", call.arguments[argument.count].name);
      if (argument.chooser < kMostArguments) text += fmt::format("?{}", call.arguments[argument.chooser].name);
    }
    return text;
  }
  return "no such call";
}

// As declared in the manual pages.
TEST(CallTable, SaysWhichArgumentHasTheLengthOfAnother) {
  struct Case {
    std::string_view call, expected;
  };
  constexpr Case kCases[] = {
      {"write", "fd buf@count count"},
      {"read", "fd buf>@result count"},
      {"pwrite64", "fd buf@count count pos"},
      {"readv", "fd vec>@vlen vlen"},
      {"sendto", "fd buff@len len flags addr@addr_len addr_len"},
      {"recvfrom", "fd ubuf>@result size flags addr>@addr_len addr_len~"},
      {"getsockopt", "fd level optname optval>@optlen optlen~"},
      {"poll", "ufds~@nfds nfds timeout_msecs"},
      {"select", "n inp@n outp@n exp@n tvp"},
      {"epoll_wait", "epfd events>@result maxevents timeout"},
      {"ioctl", "fd cmd arg~?cmd"},
      {"semctl", "semid semnum cmd arg~?cmd"},
      {"bpf", "cmd uattr~@size?cmd size"},
      {"getgroups", "gidsetsize grouplist>@result"},
      {"setgroups", "gidsetsize grouplist@gidsetsize"},
      {"mbind", "start len mode nmask@maxnode maxnode flags"},
      {"pipe2", "fildes> flags"},
      {"execve", "filename argv envp"},
      {"getpid", ""},
  };
  for (const auto& [call, expected] : kCases) EXPECT_EQ(signature_text(call), expected) << call;
}

TEST(CallTable, StructsOf32BitProcessesArePointersOnly) {
  EXPECT_EQ(signature_text("poll", abi::SyscallSet::I386), "ufds~@nfds nfds timeout_msecs");
  const Signatures signatures(abi::SyscallSet::I386);
  for (u32 number = 0; number < signatures.size(); ++number)
    for (const SyscallArgument& argument : signatures.of(number).arguments) {
      EXPECT_EQ(argument.layout, nullptr);
      EXPECT_EQ(argument.choice, nullptr);
    }
}

TEST(CallTable, ResultsThatAreMoreThanNumbers) {
  struct Case {
    std::string_view call;
    ResultKind result;
  };
  constexpr Case kCases[] = {
      {"mmap", ResultKind::Hex},      {"brk", ResultKind::Hex},     {"fork", ResultKind::Process},
      {"wait4", ResultKind::Process}, {"dup2", ResultKind::Fd},     {"poll", ResultKind::Timeout},
      {"fcntl", ResultKind::Fcntl},   {"umask", ResultKind::Octal}, {"read", ResultKind::Number},
  };
  const Signatures signatures(abi::SyscallSet::X86_64);
  for (const auto& [call, result] : kCases) {
    unsigned found = 0;
    for (u32 number = 0; number < signatures.size(); ++number)
      if (signatures.of(number).name == call) {
        EXPECT_EQ(signatures.of(number).result, result) << call;
        ++found;
      }
    EXPECT_EQ(found, 1u) << call;
  }
}

}  // namespace
}  // namespace peregrine
