#include "failure/fail_call/filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <thread>

#include "base/result.h"
#include "base/types.h"

namespace peregrine::failure {
namespace {

#ifdef __x86_64__
constexpr u32 kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr u32 kArchitecture = AUDIT_ARCH_AARCH64;
#endif

sock_filter load(u32 offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }
sock_filter answer(u32 value) { return BPF_STMT(BPF_RET | BPF_K, value); }
sock_filter skip_unless(u32 value, u8 count) { return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count); }

std::vector<sock_filter> program_for(const std::vector<int>& calls) {
  std::vector<sock_filter> program = {load(offsetof(seccomp_data, arch)),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
                                      answer(SECCOMP_RET_ALLOW), load(offsetof(seccomp_data, nr))};
  for (const int call : calls) {
    if (call == SYS_mmap) {  // only for files: a sanitiser does not survive failures of its own memory
      program.insert(program.end(),
                     {skip_unless(SYS_mmap, 4), load(offsetof(seccomp_data, args[4])), skip_unless(~u32{0}, 1),
                      answer(SECCOMP_RET_ALLOW), answer(SECCOMP_RET_USER_NOTIF)});
    } else {
      program.insert(program.end(), {skip_unless(static_cast<u32>(call), 1), answer(SECCOMP_RET_USER_NOTIF)});
    }
  }
  program.push_back(answer(SECCOMP_RET_ALLOW));
  return program;
}

// In the child; once the filter is installed, every call waits for the listener, so the descriptor's number goes
// through shared memory.
[[noreturn]] void become(std::vector<char*>& arguments, std::vector<sock_filter>& program, std::atomic<int>& listener) {
  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  constexpr unsigned long kFlags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  if (::geteuid() != 0) ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const long fd = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &filter);
  listener = fd >= 0 ? static_cast<int>(fd) : -errno;
  if (fd >= 0) ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

Result<Started> start_filtered(const std::vector<std::string>& command, const std::vector<int>& calls) {
  void* page = ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return fail_errno("mmap");
  constexpr int kNotYet = -100'000;
  auto& listener = *new (page) std::atomic<int>(kNotYet);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  auto program = program_for(calls);

  Started started{::fork(), {}};
  if (started.pid < 0) return fail_errno("fork");
  if (started.pid == 0) become(arguments, program, listener);
  while (listener == kNotYet) std::this_thread::yield();
  const int number = listener;
  if (number < 0) return fail(ErrorKind::Unsupported, "seccomp: no listener (error {})", -number);
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0)));
  started.listener = Fd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), number, 0)));
  if (!started.listener) return fail_errno("pidfd_getfd");
#ifdef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
  ::ioctl(started.listener.get(), SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
#endif
  return started;
}

}  // namespace peregrine::failure
