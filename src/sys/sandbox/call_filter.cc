#include "sys/sandbox/call_filter.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "sys/arch/system_call.h"

namespace peregrine {

namespace {

constexpr u32 kDeny = SECCOMP_RET_ERRNO | EPERM, kAbsent = SECCOMP_RET_ERRNO | ENOSYS;
constexpr u32 kWaitKillable = 1u << 5;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, linux 5.19

// Filters exist only for little-endian machines, where the low half of an argument comes first.
constexpr u32 low_half(u32 argument) { return static_cast<u32>(offsetof(seccomp_data, args)) + argument * 8; }

class FilterBuilder {
 public:
  explicit FilterBuilder(const CallRules& rules) : rules_(rules) {}

  std::vector<sock_filter> build(u32 architecture) {
    load(offsetof(seccomp_data, arch));
    unless_equal(architecture, kDeny);
    load(offsetof(seccomp_data, nr));
    if (const auto foreign = foreign_calls()) from(*foreign, kDeny);
    from(kNewestJudgedCall + 1, kAbsent);
    verdicts();
    arguments();
    answer(SECCOMP_RET_ALLOW);
    return std::move(program_);
  }

 private:
  void verdicts() {
    each(denied_calls(), kDeny);
    if (!rules_.programs) each(program_calls(), kDeny);
    if (!rules_.network) each(network_calls(), kDeny);
    if (!rules_.tracing) call(SYS_ptrace, kDeny);
    if (!rules_.signals) call(SYS_tkill, kDeny);  // addresses a thread of any process
    call(SYS_clone3, kAbsent);  // its flags are in memory, out of a filter's reach; libc falls back to clone
    if (rules_.broker)
      each(changing_calls(), SECCOMP_RET_USER_NOTIF);
    else if (!rules_.writing)
      each(changing_calls(), kDeny);
    each(symlink_calls(), !rules_.links    ? kDeny
                          : rules_.broker  ? SECCOMP_RET_USER_NOTIF
                          : rules_.writing ? SECCOMP_RET_ALLOW
                                           : kDeny);
    // Without a broker, an unnamed draft gets its name by linking. The broker refuses such drafts.
    if (rules_.broker || !rules_.writing) each(linking_calls(), kDeny);
    // A library's resolver wakes itself through a socket pair, and its sockets can send to any path.
    if (!rules_.network) call(SYS_socketpair, kDeny);
  }

  void arguments() {
    constexpr u32 kWriting = O_ACCMODE | O_CREAT | O_TRUNC;
    constexpr u32 kNamespaces =
        CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    if (rules_.broker || !rules_.writing)
      for (const u32 number : opening_calls())
        when_any_bit(number, open_flags_argument(number), kWriting, rules_.broker ? SECCOMP_RET_USER_NOTIF : kDeny);
    when_any_bit(SYS_clone, 0, kNamespaces, kDeny);
    only(SYS_socket, 0, rules_.network ? std::vector<u32>{AF_INET, AF_INET6, AF_NETLINK} : std::vector<u32>{});
    only(SYS_prlimit64, 0, {0, static_cast<u32>(rules_.self)});
    if (!rules_.signals)
      for (const u32 number : signal_calls()) only(number, 0, {static_cast<u32>(rules_.self)});
    only(SYS_ioctl, 1, {TCGETS,   TCGETS2,  TCSETS,  TCSETSW, TCSETSF,    TCSETS2,   TCSETSW2,
                        TCSETSF2, TCFLSH,   TCXONC,  TCSBRK,  TIOCGWINSZ, TIOCGPGRP, TIOCSPGRP,
                        TIOCGSID, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX,   FICLONE,   FICLONERANGE});
    never(SYS_fcntl, 1, {F_SETOWN, F_SETSIG, F_SETOWN_EX});  // could send signals to any process
    // futimens(fd) passes no path and only affects files that are already open.
    only_null(SYS_utimensat, 1);
  }

  void load(u32 offset) { add(BPF_LD | BPF_W | BPF_ABS, 0, 0, offset); }
  void answer(u32 verdict) { add(BPF_RET | BPF_K, 0, 0, verdict); }
  void unless_equal(u32 value, u32 verdict) {
    add(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, value);
    answer(verdict);
  }
  void from(u32 number, u32 verdict) {
    add(BPF_JMP | BPF_JGE | BPF_K, 0, 1, number);
    answer(verdict);
  }
  void call(u32 number, u32 verdict) {
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number);
    answer(verdict);
  }
  void each(std::span<const u32> numbers, u32 verdict) {
    for (const u32 number : numbers) call(number, verdict);
  }
  // Other calls skip the remaining `length` instructions of this rule, which ends with a verdict.
  void rule_of(u32 number, u32 argument, std::size_t length) {
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, static_cast<u8>(length + 1), number);
    load(low_half(argument));
  }
  void when_any_bit(u32 number, u32 argument, u32 bits, u32 verdict) {
    rule_of(number, argument, 3);
    add(BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    answer(verdict);
    answer(SECCOMP_RET_ALLOW);
  }
  void only(u32 number, u32 argument, const std::vector<u32>& values) {
    rule_of(number, argument, values.size() * 2 + 1);
    for (const u32 value : values) call(value, SECCOMP_RET_ALLOW);
    answer(kDeny);
  }
  void only_null(u32 number, u32 argument) {
    rule_of(number, argument, 6);
    unless_equal(0, kDeny);
    load(low_half(argument) + 4);
    unless_equal(0, kDeny);
    answer(SECCOMP_RET_ALLOW);
  }
  void never(u32 number, u32 argument, const std::vector<u32>& values) {
    rule_of(number, argument, values.size() * 2 + 1);
    for (const u32 value : values) call(value, kDeny);
    answer(SECCOMP_RET_ALLOW);
  }
  void add(u32 code, u8 if_true, u8 if_false, u32 value) {
    program_.push_back({.code = static_cast<u16>(code), .jt = if_true, .jf = if_false, .k = value});
  }

  const CallRules& rules_;
  std::vector<sock_filter> program_;
};

}  // namespace

std::vector<sock_filter> call_filter(const CallRules& rules) {
  const auto architecture = audit_arch();
  if (!architecture) return {};
  return FilterBuilder(rules).build(*architecture);
}

Result<Fd> install_call_filter(const std::vector<sock_filter>& filter, bool broker) {
  std::vector<sock_filter> copy = filter;
  const sock_fprog program{.len = static_cast<u16>(copy.size()), .filter = copy.data()};
  const auto install = [&](unsigned flags) { return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program); };
  long answer = -1;
  if (broker) {
    // A signal must not interrupt a call that the broker is already executing.
    answer = install(SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable);
    if (answer < 0 && errno == EINVAL) answer = install(SECCOMP_FILTER_FLAG_NEW_LISTENER);
  } else {
    answer = install(0);
  }
  if (answer < 0) return fail_errno("seccomp");
  return broker ? Fd(static_cast<int>(answer)) : Fd();
}

}  // namespace peregrine
