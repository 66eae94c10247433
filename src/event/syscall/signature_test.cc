#include "event/syscall/signature.h"

#include <gtest/gtest.h>

#include <string>

#include "event/syscall/call_choice.h"

namespace peregrine {
namespace {

const SyscallSignature* find(const Signatures& signatures, std::string_view name) {
  for (u32 number = 0; number < signatures.size(); ++number)
    if (signatures.of(number).name == name) return &signatures.of(number);
  return nullptr;
}

TEST(Signatures, SayWhatACallTakes) {
  const Signatures signatures(abi::SyscallSet::X86_64);
  const SyscallSignature& open = signatures.of(257);
  EXPECT_EQ(open.name, "openat");
  ASSERT_EQ(open.count, 4);
  EXPECT_EQ(open.arguments[0].kind, ArgumentKind::DirFd);
  EXPECT_EQ(open.arguments[1].kind, ArgumentKind::Path);
  ASSERT_NE(open.arguments[2].words, nullptr);
  EXPECT_EQ(open.arguments[2].words->choice(1), "WRONLY");
  const SyscallSignature& read = signatures.of(0);
  EXPECT_TRUE(read.arguments[1].filled);
  EXPECT_EQ(read.arguments[1].count, kCountIsResult);
  ASSERT_NE(signatures.of(445).arguments[1].words, nullptr);
  EXPECT_EQ(signatures.of(445).arguments[1].words->choice(2), "LANDLOCK_RULE_NET_PORT");
  EXPECT_EQ(signatures.of(9).result, ResultKind::Hex);  // mmap
  EXPECT_FALSE(signatures.of(500).known);
  EXPECT_FALSE(signatures.of(100'000).known);
}

// Every reference in the tables must resolve.
TEST(Signatures, HaveTablesForAllTheirKinds) {
  for (const auto set : {abi::SyscallSet::X86_64, abi::SyscallSet::I386, abi::SyscallSet::Generic}) {
    const Signatures signatures(set);
    unsigned known = 0;
    for (u32 number = 0; number < signatures.size(); ++number) {
      const SyscallSignature& call = signatures.of(number);
      if (call.known) ++known;
      for (unsigned i = 0; i < call.count; ++i) {
        const SyscallArgument& argument = call.arguments[i];
        SCOPED_TRACE(std::string(call.name) + " " + std::string(argument.name));
        EXPECT_FALSE(argument.name.empty());
        if (argument.kind == ArgumentKind::Words) EXPECT_NE(argument.words, nullptr);
        if (argument.kind == ArgumentKind::Struct) ASSERT_NE(argument.layout, nullptr);
        if (argument.kind == ArgumentKind::Struct) EXPECT_FALSE(argument.layout->fields.empty());
        if (argument.count < kMostArguments) EXPECT_LT(argument.count, call.count);
      }
    }
    EXPECT_GT(known, 280u);
  }
}

TEST(Signatures, KnowTheLayoutsOfOtherArchitectures) {
  const Signatures x86(abi::SyscallSet::X86_64), generic(abi::SyscallSet::Generic), narrow(abi::SyscallSet::I386);
  EXPECT_EQ(find(x86, "epoll_ctl")->arguments[3].layout->size, 12);
  EXPECT_EQ(find(generic, "epoll_ctl")->arguments[3].layout->size, 16);
  EXPECT_EQ(find(x86, "openat")->arguments[2].words->name, "open");
  EXPECT_EQ(find(generic, "openat")->arguments[2].words->name, "open.generic");
  EXPECT_EQ(find(narrow, "epoll_ctl")->arguments[3].kind, ArgumentKind::Pointer);
  EXPECT_EQ(find(narrow, "execve")->arguments[1].kind, ArgumentKind::Strings);
  EXPECT_EQ(find(narrow, "recvmmsg_time64")->arguments[1].kind, ArgumentKind::Message);
}

TEST(Signatures, KnowWhenMemoryIsToBeRead) {
  const Signatures signatures(abi::SyscallSet::X86_64);
  const SyscallArgument polled = find(signatures, "poll")->arguments[0];
  EXPECT_TRUE(polled.changed);
  EXPECT_FALSE(polled.filled);
  EXPECT_EQ(polled.count, 1);
  const SyscallArgument cpus = find(signatures, "sched_getaffinity")->arguments[2];
  EXPECT_TRUE(cpus.filled);
  EXPECT_EQ(cpus.count, kCountIsResult);
  EXPECT_TRUE(find(signatures, "getsockopt")->arguments[3].filled);
  EXPECT_FALSE(find(signatures, "setsockopt")->arguments[3].filled);
  EXPECT_TRUE(find(signatures, "fcntl")->arguments[2].changed);
  EXPECT_EQ(find(signatures, "fcntl")->arguments[2].layout->name, "flock");
  EXPECT_EQ(find(signatures, "execve")->arguments[2].kind, ArgumentKind::Variables);
}

TEST(Signatures, KnowWhatCommandsTake) {
  const Signatures signatures(abi::SyscallSet::X86_64), narrow(abi::SyscallSet::I386);
  const SyscallArgument asked = find(signatures, "ioctl")->arguments[2];
  ASSERT_EQ(asked.kind, ArgumentKind::Chosen);
  EXPECT_EQ(asked.chooser, 1);
  EXPECT_EQ(asked.count, kNoCount);
  EXPECT_EQ(asked.choice->of(0x5413)->layout->name, "winsize");
  EXPECT_TRUE(asked.choice->of(0x5413)->filled);
  EXPECT_FALSE(asked.choice->of(0x5414)->filled);
  EXPECT_EQ(asked.choice->of(0x5400), nullptr);
  EXPECT_EQ(asked.choice->most, 44);  // termios2
  const SyscallArgument program = find(signatures, "bpf")->arguments[1];
  EXPECT_EQ(program.count, 2);
  EXPECT_EQ(program.choice->of(5)->layout->name, "bpf_prog_load");
  EXPECT_EQ(find(narrow, "ioctl")->arguments[2].kind, ArgumentKind::Pointer);
}

TEST(CallChoice, TakesNamesGlobsAndGroups) {
  const Signatures signatures(abi::SyscallSet::X86_64);
  CallChoice choice;
  std::vector<std::string> others;
  ASSERT_TRUE(choice.add("read,open*,newfstat,%network,sched:sched_switch,cpu/event=1,umask=2/", others));
  EXPECT_EQ(others, (std::vector<std::string>{"sched:sched_switch", "cpu/event=1,umask=2/"}));
  const std::vector<bool> chosen = choice.chosen(signatures);
  EXPECT_TRUE(chosen[0]);
  EXPECT_FALSE(chosen[1]);
  EXPECT_TRUE(chosen[257]);  // openat
  EXPECT_TRUE(chosen[5]);    // fstat, by the name of its tracepoint
  EXPECT_TRUE(chosen[41]);   // socket
}

TEST(CallChoice, TakesAllButThose) {
  const Signatures signatures(abi::SyscallSet::X86_64);
  CallChoice choice;
  std::vector<std::string> others;
  ASSERT_TRUE(choice.add("!read,write", others));
  EXPECT_FALSE(choice.chosen(signatures)[0]);
  EXPECT_TRUE(choice.chosen(signatures)[2]);
  EXPECT_FALSE(CallChoice().add("!sched:sched_switch", others));
  EXPECT_TRUE(CallChoice().chosen(signatures)[0]);
}

}  // namespace
}  // namespace peregrine
