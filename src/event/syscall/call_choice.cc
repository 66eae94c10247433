#include "event/syscall/call_choice.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "base/nearest.h"
#include "base/types.h"

namespace peregrine {
namespace {

struct Group {
  std::string_view name, calls;
};
// Members of named groups. The groups file and desc also contain every call that takes a path or a descriptor.
constexpr Group kGroups[] = {
    {"network",
     " socket socketpair bind listen accept accept4 connect getsockname getpeername sendto recvfrom setsockopt "
     "getsockopt shutdown sendmsg recvmsg sendmmsg recvmmsg socketcall "},
    {"process",
     " fork vfork clone clone3 execve execveat exit exit_group wait4 waitid waitpid kill tkill tgkill ptrace prctl "
     "arch_prctl unshare setns pidfd_open pidfd_send_signal setpgid getpgid setsid getsid getpid getppid gettid "},
    {"signal",
     " kill tkill tgkill rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo "
     "rt_sigsuspend rt_sigreturn sigaltstack signalfd signalfd4 pause sigaction sigprocmask sigpending sigsuspend "
     "sigreturn "},
    {"memory",
     " brk mmap mmap2 munmap mprotect mremap msync madvise mincore mlock mlock2 munlock mlockall munlockall mbind "
     "set_mempolicy get_mempolicy migrate_pages move_pages pkey_mprotect remap_file_pages shmat shmdt mseal "},
    {"ipc",
     " semget semop semctl semtimedop msgget msgsnd msgrcv msgctl shmget shmat shmdt shmctl mq_open mq_unlink "
     "mq_timedsend mq_timedreceive mq_notify mq_getsetattr ipc "},
    {"clock",
     " clock_gettime clock_settime clock_getres clock_adjtime clock_nanosleep adjtimex gettimeofday settimeofday time "
     "nanosleep alarm getitimer setitimer timer_create timer_settime timer_gettime timer_delete timerfd_create "
     "timerfd_settime timerfd_gettime clock_gettime64 clock_nanosleep_time64 "},
    {"creds",
     " getuid geteuid getgid getegid setuid setgid setreuid setregid setresuid setresgid getresuid getresgid setfsuid "
     "setfsgid getgroups setgroups capget capset prctl getuid32 geteuid32 getgid32 getegid32 "},
};
constexpr Group kAliases[] = {{"net", "network"}, {"trace=file", "file"}, {"credentials", "creds"}};

std::string_view plain(std::string_view word) {
  if (word.starts_with('%') || word.starts_with('@')) word.remove_prefix(1);
  const auto* alias = std::ranges::find(kAliases, word, &Group::name);
  return alias == std::end(kAliases) ? word : alias->calls;
}

bool is_group(std::string_view word) {
  return word == "file" || word == "string" || word == "desc" ||
         std::ranges::find(kGroups, word, &Group::name) != std::end(kGroups);
}

bool takes(const SyscallSignature& call, std::initializer_list<ArgumentKind> kinds) {
  return std::any_of(call.arguments.begin(), call.arguments.begin() + call.count, [&](const SyscallArgument& argument) {
    return std::ranges::find(kinds, argument.kind) != kinds.end();
  });
}

bool in_group(const SyscallSignature& call, std::string_view group) {
  if (group == "file" || group == "string") return takes(call, {ArgumentKind::Path});
  if (group == "desc") return takes(call, {ArgumentKind::Fd, ArgumentKind::DirFd});
  const auto* found = std::ranges::find(kGroups, group, &Group::name);
  if (found == std::end(kGroups)) return false;
  return found->calls.find(fmt::format(" {} ", call.name)) != found->calls.npos;
}

// Matches a call by its name, its tracepoint's name, a glob or a group.
bool matches(const Signatures& signatures, u32 number, const std::string& word) {
  const SyscallSignature& call = signatures.of(number);
  if (call.name.empty()) return false;
  if (is_group(word)) return in_group(call, word);
  const std::string name(call.name), tracepoint(abi::syscall_tracepoint(signatures.set(), number));
  return ::fnmatch(word.c_str(), name.c_str(), 0) == 0 || ::fnmatch(word.c_str(), tracepoint.c_str(), 0) == 0;
}

bool is_known(std::span<const Signatures> sets, const std::string& word) {
  return std::ranges::any_of(sets, [&](const Signatures& signatures) {
    for (u32 number = 0; number < signatures.size(); ++number)
      if (matches(signatures, number, word)) return true;
    return false;
  });
}

}  // namespace

Result<> CallChoice::add(std::string_view words, std::vector<std::string>& others) {
  const Signatures sets[] = {Signatures(abi::syscall_set(abi::kHostArch)),
                             Signatures(abi::syscall_set(abi::kHostArch, true))};
  const bool negated = words.starts_with('!');
  if (negated) words.remove_prefix(1);
  int depth = 0;
  for (std::size_t at = 0, begin = 0; at <= words.size(); ++at) {
    // A comma inside slashes or braces belongs to an event.
    if (at < words.size()) {
      if (words[at] == '{') ++depth;
      if (words[at] == '}') --depth;
      if (words[at] == '/') depth = depth == 0 ? 1 : 0;
      if (words[at] != ',' || depth > 0) continue;
    }
    const std::string word(plain(words.substr(begin, at - begin)));
    begin = at + 1;
    if (word.empty()) continue;
    const bool call = word.find_first_of(":/{=") == word.npos && is_known(sets, word);
    if (call) {
      names_.push_back(word);
    } else if (negated) {
      return fail(ErrorKind::Usage, "'!' must precede a system call: '{}' is not one", word);
    } else {
      others.push_back(word);
    }
  }
  all_but_ |= negated;
  return {};
}

std::optional<std::string> CallChoice::nearest_call(std::string_view word) {
  const Signatures signatures(abi::syscall_set(abi::kHostArch));
  std::vector<std::string_view> names;
  for (u32 number = 0; number < signatures.size(); ++number)
    if (const std::string_view name = signatures.of(number).name; !name.empty()) names.push_back(name);
  for (const Group& group : kGroups) names.push_back(group.name);
  names.insert(names.end(), {"file", "desc"});
  std::ranges::stable_partition(names, [&](std::string_view name) { return name.starts_with(word); });
  const auto near = nearest(plain(word), names);
  return near ? std::optional(std::string(*near)) : std::nullopt;
}

std::vector<bool> CallChoice::chosen(const Signatures& signatures) const {
  std::vector<bool> chosen(signatures.size());
  for (u32 number = 0; number < chosen.size(); ++number) {
    bool named = false;
    for (const std::string& name : names_) named = named || matches(signatures, number, name);
    chosen[number] = names_.empty() || named != all_but_;
  }
  return chosen;
}

}  // namespace peregrine
