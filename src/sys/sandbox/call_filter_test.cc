// Verdicts of the call filter: its program is interpreted here, as by the kernel, for calls that are never made.
#include "sys/sandbox/call_filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <stdexcept>

#include "base/types.h"
#include "sys/arch/system_call.h"

namespace peregrine {
namespace {

constexpr u32 kAllowed = SECCOMP_RET_ALLOW, kBrokered = SECCOMP_RET_USER_NOTIF, kDenied = SECCOMP_RET_ERRNO | EPERM,
              kUnknownCall = SECCOMP_RET_ERRNO | ENOSYS;
constexpr pid_t kReader = 4321;

// The classic BPF machine as far as filters use it. The checks are those that the kernel makes when it loads a filter:
// an invalid one would not be installed.
u32 run_filter(const std::vector<sock_filter>& program, const seccomp_data& call) {
  u32 accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (step.k % 4 != 0 || step.k + 4 > sizeof call) throw std::out_of_range("load");
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&call) + step.k, 4);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += accumulator == step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        at += accumulator >= step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (accumulator & step.k) != 0 ? step.jt : step.jf;
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        throw std::invalid_argument("instruction");
    }
  }
  throw std::out_of_range("the end of the program");
}

class CallFilterVerdicts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!audit_arch()) GTEST_SKIP() << "no filter is known for this architecture";
  }
  static u32 verdict(const CallRules& rules, u32 number, std::array<u64, 6> arguments = {}) {
    seccomp_data call{};
    call.nr = static_cast<int>(number);
    call.arch = audit_arch().value_or(0);
    for (std::size_t i = 0; i < arguments.size(); ++i) call.args[i] = arguments[i];
    CallRules with_self = rules;
    with_self.self = kReader;
    return run_filter(call_filter(with_self), call);
  }
};

TEST_F(CallFilterVerdicts, DenyOtherAbisOfTheSameKernel) {
  seccomp_data call{};
  call.nr = SYS_getpid;
  call.arch = *audit_arch() ^ 1;
  EXPECT_EQ(run_filter(call_filter({}), call), kDenied) << "32-bit calls have other numbers";
  if (const auto foreign = foreign_calls()) EXPECT_EQ(verdict({}, *foreign + SYS_getpid), kDenied);
}

// An errno that libraries have a fallback for, unlike EPERM.
TEST_F(CallFilterVerdicts, CallsThatAreNewerThanTheListsAreAbsent) {
  for (const u32 number : {kNewestJudgedCall + 1, kNewestJudgedCall + 100})
    EXPECT_EQ(verdict({}, number), kUnknownCall) << number;
  EXPECT_EQ(verdict({}, SYS_clone3), kUnknownCall) << "its flags cannot be judged";
}

TEST_F(CallFilterVerdicts, OrdinaryWorkIsAllowed) {
  for (const u32 number : {SYS_read, SYS_write, SYS_mmap, SYS_munmap, SYS_futex, SYS_exit_group, SYS_getdents64,
                           SYS_clock_gettime, SYS_lseek, SYS_close})
    for (const bool broker : {false, true}) EXPECT_EQ(verdict({.broker = broker}, number), kAllowed) << number;
}

TEST_F(CallFilterVerdicts, NothingOpensTheDeniedCalls) {
  const CallRules everything{
      .writing = true, .links = true, .programs = true, .network = true, .tracing = true, .signals = true};
  for (const u32 number : denied_calls()) EXPECT_EQ(verdict(everything, number), kDenied) << number;
}

struct SwitchCase {
  const char* what;
  CallRules rules;
  std::span<const u32> calls;
};

TEST_F(CallFilterVerdicts, EachPermissionOpensItsCallsAndNoOthers) {
  constexpr u32 kTracing[] = {SYS_ptrace}, kThreads[] = {SYS_tkill};
  std::vector<u32> network(network_calls().begin(), network_calls().end());
  network.push_back(SYS_socketpair);  // of a resolver
  const SwitchCase cases[] = {{"programs", {.programs = true}, program_calls()},
                              {"network", {.network = true}, network},
                              {"tracing", {.tracing = true}, kTracing},
                              {"signals", {.signals = true}, kThreads}};
  for (const SwitchCase& with : cases)
    for (const SwitchCase& of : cases)
      for (const u32 number : of.calls)
        EXPECT_EQ(verdict(with.rules, number), &with == &of ? kAllowed : kDenied) << with.what << " " << number;
}

TEST_F(CallFilterVerdicts, FilesAreChangedByTheBrokerOrNotAtAll) {
  for (const u32 number : changing_calls()) {
    EXPECT_EQ(verdict({.broker = true}, number), kBrokered) << number;
    EXPECT_EQ(verdict({.writing = false}, number), kDenied) << number;
    EXPECT_EQ(verdict({}, number), kAllowed) << "something else, such as Landlock, forbids it: " << number;
  }
}

TEST_F(CallFilterVerdicts, OpeningIsJudgedByItsFlags) {
  constexpr u64 kReading[] = {O_RDONLY, O_RDONLY | O_CLOEXEC, O_RDONLY | O_DIRECTORY, O_PATH | O_NOFOLLOW};
  constexpr u64 kWriting[] = {O_WRONLY, O_RDWR, O_RDONLY | O_CREAT, O_RDONLY | O_TRUNC, O_WRONLY | O_TMPFILE,
                              O_ACCMODE};
  for (const u32 number : opening_calls()) {
    const auto with = [&](const CallRules& rules, u64 flags) {
      std::array<u64, 6> arguments{};
      arguments[open_flags_argument(number)] = flags;
      return verdict(rules, number, arguments);
    };
    for (const u64 flags : kReading) {
      EXPECT_EQ(with({.broker = true}, flags), kAllowed) << flags;
      EXPECT_EQ(with({.writing = false}, flags), kAllowed) << flags;
    }
    for (const u64 flags : kWriting) {
      EXPECT_EQ(with({.broker = true}, flags), kBrokered) << flags;
      EXPECT_EQ(with({.writing = false}, flags), kDenied) << flags;
      EXPECT_EQ(with({}, flags), kAllowed) << flags;
    }
  }
}

TEST_F(CallFilterVerdicts, LinksAreMadeWhereFilesAre) {
  for (const u32 number : symlink_calls()) {
    EXPECT_EQ(verdict({}, number), kDenied) << number;
    EXPECT_EQ(verdict({.links = true}, number), kAllowed) << number;
    EXPECT_EQ(verdict({.broker = true, .links = true}, number), kBrokered) << number;
    EXPECT_EQ(verdict({.writing = false, .links = true}, number), kDenied) << number;
  }
  for (const u32 number : linking_calls()) {
    EXPECT_EQ(verdict({}, number), kAllowed) << "a draft without a name gets it so";
    EXPECT_EQ(verdict({.broker = true}, number), kDenied) << number;
    EXPECT_EQ(verdict({.writing = false}, number), kDenied) << number;
  }
}

struct ArgumentCase {
  const char* what;
  u32 number;
  std::array<u64, 6> arguments;
  u32 verdict;
};

TEST_F(CallFilterVerdicts, SomeCallsAreJudgedByAnArgument) {
  constexpr u64 kOther = kReader + 1;
  const ArgumentCase cases[] = {
      {"a thread", SYS_clone, {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND}, kAllowed},
      {"a user namespace", SYS_clone, {CLONE_NEWUSER}, kDenied},
      {"any namespace among other flags", SYS_clone, {CLONE_VM | CLONE_NEWNET}, kDenied},
      {"a signal to itself", SYS_kill, {kReader, 15}, kAllowed},
      {"a signal to another", SYS_kill, {kOther, 15}, kDenied},
      {"a signal to everybody", SYS_kill, {~u64{0}, 15}, kDenied},
      {"a signal to its group", SYS_kill, {0, 15}, kDenied},
      {"a signal to its thread", SYS_tgkill, {kReader, kOther, 6}, kAllowed},
      {"a signal to another's thread", SYS_tgkill, {kOther, kOther, 6}, kDenied},
      {"its limits, by 0", SYS_prlimit64, {0}, kAllowed},
      {"its limits", SYS_prlimit64, {kReader}, kAllowed},
      {"another's limits", SYS_prlimit64, {kOther}, kDenied},
      {"a socket", SYS_socket, {AF_INET}, kDenied},
      {"a local socket", SYS_socket, {AF_UNIX}, kDenied},
      {"the size of the terminal", SYS_ioctl, {1, TIOCGWINSZ}, kAllowed},
      {"typing into the terminal", SYS_ioctl, {0, TIOCSTI}, kDenied},
      {"the console's selection", SYS_ioctl, {0, TIOCLINUX}, kDenied},
      {"flags of a descriptor", SYS_fcntl, {3, F_SETFD, FD_CLOEXEC}, kAllowed},
      {"an owner of its signals", SYS_fcntl, {3, F_SETOWN, kOther}, kDenied},
      {"times of an open file", SYS_utimensat, {3, 0}, kAllowed},
      {"times of a path", SYS_utimensat, {static_cast<u64>(AT_FDCWD), 0x7fff0000}, kDenied},
      {"a path whose low half is 0", SYS_utimensat, {static_cast<u64>(AT_FDCWD), u64{1} << 32}, kDenied},
  };
  for (const ArgumentCase& each : cases) EXPECT_EQ(verdict({}, each.number, each.arguments), each.verdict) << each.what;
}

TEST_F(CallFilterVerdicts, NetworkMeansTheInternetOnly) {
  for (const u64 family : {AF_INET, AF_INET6, AF_NETLINK})
    EXPECT_EQ(verdict({.network = true}, SYS_socket, {family}), kAllowed) << family;
  for (const u64 family : {AF_UNIX, AF_PACKET, AF_VSOCK, AF_ALG})
    EXPECT_EQ(verdict({.network = true}, SYS_socket, {family}), kDenied) << family;
}

// The broker would not know how to handle a call of unknown kind.
TEST(SystemCalls, TheBrokerKnowsEachCallThatItGets) {
  for (const std::span<const u32> calls : {changing_calls(), opening_calls(), symlink_calls()})
    for (const u32 number : calls) EXPECT_NE(call_kind(number), CallKind::Other) << number;
  EXPECT_EQ(call_kind(SYS_read), CallKind::Other);
}

// The first verdict for a number counts, so a number in two lists would hide a rule.
TEST(SystemCalls, EachIsInOneListOnly) {
  std::vector<u32> all;
  for (const std::span<const u32> calls : {denied_calls(), program_calls(), network_calls(), signal_calls(),
                                           changing_calls(), opening_calls(), linking_calls(), symlink_calls()})
    all.insert(all.end(), calls.begin(), calls.end());
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  EXPECT_LE(all.back(), kNewestJudgedCall);
}

}  // namespace
}  // namespace peregrine
