#include "event/syscall/call_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

#include "abi/arch/syscall.h"
#include "base/types.h"

namespace peregrine {
namespace {

using CallNames = std::vector<std::string>;

// The names of an x86-64 process's calls that these arguments choose, sorted.
CallNames calls_chosen_by(std::initializer_list<std::string_view> words) {
  const Signatures signatures(abi::SyscallSet::X86_64);
  CallChoice choice;
  CallNames others, names;
  for (const std::string_view word : words) EXPECT_TRUE(choice.add(word, others)) << word;
  EXPECT_TRUE(others.empty());
  const std::vector<bool> chosen = choice.chosen(signatures);
  for (u32 number = 0; number < chosen.size(); ++number)
    if (chosen[number] && !signatures.of(number).name.empty()) names.emplace_back(signatures.of(number).name);
  std::ranges::sort(names);
  return names;
}

bool has_call(const CallNames& sorted, std::string_view call) { return std::ranges::binary_search(sorted, call); }

TEST(ChosenCalls, NamesAndGlobs) {
  EXPECT_EQ(calls_chosen_by({"read,write"}), (CallNames{"read", "write"}));
  EXPECT_EQ(calls_chosen_by({"read", "write"}), (CallNames{"read", "write"}));  // given by two -e options
  EXPECT_EQ(calls_chosen_by({"openat*"}), (CallNames{"openat", "openat2"}));
  EXPECT_EQ(calls_chosen_by({"dup?"}), (CallNames{"dup2", "dup3"}));
  EXPECT_EQ(calls_chosen_by({"[rw]ritev,readv"}), (CallNames{"readv", "writev"}));
}

TEST(ChosenCalls, SuggestsTheNearestCallOrGroup) {
  EXPECT_EQ(CallChoice::nearest_call("opena"), "openat");
  EXPECT_EQ(CallChoice::nearest_call("raed"), "read");
  EXPECT_EQ(CallChoice::nearest_call("%netwrok"), "network");
  EXPECT_EQ(CallChoice::nearest_call("frobnicate"), std::nullopt);
}

TEST(ChosenCalls, TracepointsMaySpellThemOtherwise) {
  EXPECT_EQ(calls_chosen_by({"newfstat"}), calls_chosen_by({"fstat"}));
  EXPECT_EQ(calls_chosen_by({"newuname"}), calls_chosen_by({"uname"}));
}

TEST(ChosenCalls, GroupsNeedNoPercent) {
  for (const char* group : {"file", "desc", "network", "process", "signal", "memory", "ipc", "clock", "creds"}) {
    const CallNames plain = calls_chosen_by({group});
    EXPECT_GT(plain.size(), 5u) << group;
    EXPECT_EQ(calls_chosen_by({std::string("%") + group}), plain);
    EXPECT_EQ(calls_chosen_by({std::string("@") + group}), plain);
  }
  EXPECT_EQ(calls_chosen_by({"net"}), calls_chosen_by({"network"}));
  EXPECT_EQ(calls_chosen_by({"%credentials"}), calls_chosen_by({"%creds"}));
  EXPECT_EQ(calls_chosen_by({"string"}), calls_chosen_by({"file"}));
}

TEST(ChosenCalls, GroupsHaveTheirMembers) {
  struct Case {
    const char* group;
    std::vector<std::string_view> members, strangers;
  };
  const Case cases[] = {
      {"%file", {"openat", "unlink", "execve", "mount", "fsetxattr"}, {"read", "mmap", "socket"}},
      {"%desc", {"read", "close", "ioctl", "openat", "mmap"}, {"unlink", "getpid"}},
      {"%network", {"socket", "connect", "recvmmsg"}, {"pipe", "read"}},
      {"%process", {"fork", "execve", "wait4", "kill"}, {"brk"}},
      {"%signal", {"kill", "rt_sigaction", "signalfd4"}, {"wait4"}},
      {"%memory", {"brk", "mmap", "munmap", "shmat"}, {"read"}},
      {"%ipc", {"msgget", "shmat", "semop"}, {"pipe"}},
      {"%clock", {"nanosleep", "clock_gettime", "timerfd_create"}, {"poll"}},
      {"%creds", {"getuid", "setresgid", "capset"}, {"getpid"}},
  };
  for (const auto& [group, members, strangers] : cases) {
    const CallNames calls = calls_chosen_by({group});
    for (const std::string_view call : members) EXPECT_TRUE(has_call(calls, call)) << group << ' ' << call;
    for (const std::string_view call : strangers) EXPECT_FALSE(has_call(calls, call)) << group << ' ' << call;
  }
}

TEST(ChosenCalls, AnExclamationMarkChoosesTheRest) {
  const CallNames all = calls_chosen_by({}), chosen = calls_chosen_by({"%network,read"}),
                  rest = calls_chosen_by({"!%network,read"});
  EXPECT_EQ(chosen.size() + rest.size(), all.size());
  for (const std::string& call : chosen) EXPECT_FALSE(has_call(rest, call)) << call;
}

TEST(ChosenCalls, NothingChosenIsEverything) {
  CallChoice choice;
  CallNames others;
  EXPECT_FALSE(choice.any());
  ASSERT_TRUE(choice.add("", others));
  ASSERT_TRUE(choice.add(",,", others));
  EXPECT_FALSE(choice.any());
  EXPECT_TRUE(choice.chosen(Signatures(abi::SyscallSet::Generic))[0]);
}

TEST(ChosenCalls, OtherEventsAreLeftToTheParser) {
  CallChoice choice;
  CallNames others;
  ASSERT_TRUE(choice.add("close,{cycles,instructions},sched:*,cpu/event=1,umask=2/u,nothing", others));
  EXPECT_EQ(others, (CallNames{"{cycles,instructions}", "sched:*", "cpu/event=1,umask=2/u", "nothing"}));
  EXPECT_TRUE(choice.any());
}

TEST(ChosenCalls, AnExclamationMarkNeedsSystemCalls) {
  CallNames others;
  CallChoice choice;
  const auto refused = choice.add("!read,sched:sched_switch", others);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
  EXPECT_EQ(refused.error().message, "'!' must precede a system call: 'sched:sched_switch' is not one");
}

TEST(ChosenCalls, EachKindOfProcessHasItsNumbers) {
  CallChoice choice;
  CallNames others;
  ASSERT_TRUE(choice.add("read", others));
  EXPECT_TRUE(choice.chosen(Signatures(abi::SyscallSet::X86_64))[0]);
  EXPECT_TRUE(choice.chosen(Signatures(abi::SyscallSet::I386))[3]);
  EXPECT_TRUE(choice.chosen(Signatures(abi::SyscallSet::Generic))[63]);
  EXPECT_FALSE(choice.chosen(Signatures(abi::SyscallSet::Generic))[0]);
}

}  // namespace
}  // namespace peregrine
