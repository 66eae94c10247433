#include "sys/sandbox/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <expected>
#include <filesystem>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "sys/root.h"
#include "sys/sandbox/call_filter.h"
#include "sys/sandbox/landlock.h"
#include "sys/sandbox/privileges.h"
#include "sys/sandbox/readable_place.h"

// Defined in sanitized builds only. The leak sanitizer stops all threads of the process at exit, and the thread
// sanitizer has a background thread. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
__attribute__((weak)) void __lsan_do_leak_check();
__attribute__((weak)) void __tsan_init();
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace peregrine {

namespace {

// seccomp, Landlock and capabilities confine only the calling thread, so there must be no other. unshare(CLONE_THREAD)
// changes nothing, but the kernel rejects it with EINVAL in a multi-threaded process.
bool has_more_threads() { return __tsan_init == nullptr && ::unshare(CLONE_THREAD) != 0 && errno == EINVAL; }

// Keeps only the capabilities to read other users' files, kernel addresses and other users' /proc/PID. It adds none.
Result<> drop_capabilities(bool kernel_memory) {
  u64 kept_set = capability_bit(CAP_DAC_READ_SEARCH) | capability_bit(CAP_SYSLOG) | capability_bit(CAP_SYS_PTRACE);
  if (kernel_memory) kept_set |= capability_bit(CAP_SYS_RAWIO);  // required to read /proc/kcore
  return keep_capabilities(kept_set);
}

bool is_script(const std::string& program) {
  const auto text = open_file(program, O_RDONLY | O_NONBLOCK);
  char begin[2] = {};
  return text && ::pread(text->get(), begin, 2, 0) == 2 && begin[0] == '#' && begin[1] == '!';
}

void allow_programs(Landlock& rules, const std::vector<std::string>& programs) {
  if (programs.empty()) return;
  // The dynamic loader counts as a program too. A script may start any program, but that program stays in the sandbox.
  std::vector<std::string> folders{"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec"};
  for (const std::string& program : programs) {
    rules.allow(program, Landlock::kExecute | Landlock::kReadFile);
    if (is_script(program)) folders.insert(folders.end(), {"/bin", "/sbin", "/usr", "/opt"});
  }
  for (const std::string& folder : folders) rules.allow(folder, Landlock::kExecute);
}

void allow_files(Landlock& rules, const SandboxPlan& plan, ReadFailures& failures) {
  const auto allow_reading = [&](const std::string& place) { rules.allow(place, Landlock::kRead, &failures); };
  rules.allow("/", Landlock::kReadFolder, &failures);  // file names are not secret
  for_each_readable_place(Root(), plan.home, failures, allow_reading);
  for (const std::string& place : plan.readable) allow_reading(place);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/pts", "/dev/console"})
    rules.allow(device, Landlock::kRead | Landlock::kWrite);
  for (const std::string& device : plan.devices) rules.allow(device, Landlock::kRead | Landlock::kWrite);
  allow_programs(rules, plan.programs);
  // Existing outputs, such as the cache, are read again.
  for (const std::string& output : plan.outputs) allow_reading(output);
}

// Without a broker, Landlock can allow a file that does not exist yet only by allowing its whole folder.
void allow_output_folders(Landlock& rules, const SandboxPlan& plan) {
  const u64 rights = Landlock::kChange | (plan.links ? Landlock::kLink : 0);
  for (const std::string& output : plan.outputs) {
    const std::filesystem::path folder = std::filesystem::path(output).parent_path();
    rules.allow(folder.empty() ? "." : folder.string(), rights | Landlock::kRead);
  }
}

bool kernel_knows(u32 action) { return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0; }

// SECCOMP_IOCTL_NOTIF_ADDFD is new in Linux 5.9 and cannot be probed directly. close_range(2) is from the same
// release, so probe that instead.
bool kernel_hands_over_descriptors() { return ::syscall(SYS_close_range, ~0u, ~0u, 0u) == 0; }

}  // namespace

SandboxWalls available_walls() {
  const bool filter = !call_filter({}).empty() && kernel_knows(SECCOMP_RET_ERRNO);
  return {.landlock = landlock_version(),
          .seccomp = filter,
          .broker = filter && kernel_knows(SECCOMP_RET_USER_NOTIF) && kernel_hands_over_descriptors()};
}

namespace {

// Returns the notification descriptor. A process can have only one listener, so there is no broker if a container
// runtime's supervisor already holds it.
Result<Fd> install_filter(CallRules rules, SandboxWalls& walls) {
  auto notifications = install_call_filter(call_filter(rules), walls.broker);
  if (notifications || !walls.broker) return notifications;
  walls.broker = rules.broker = false;
  return install_call_filter(call_filter(rules), false);
}

// None of these restrictions can be lifted again.
Result<> put_up(const SandboxPlan& plan, Landlock& rules, SandboxWalls& walls, std::optional<FileBroker>& broker) {
  PEREGRINE_TRY(drop_capabilities(plan.kernel_memory));
  if (walls.seccomp) {
    auto notifications = install_filter({.broker = walls.broker,
                                         .writing = rules.active() || !plan.outputs.empty(),
                                         .links = plan.links,
                                         .programs = !plan.programs.empty(),
                                         .network = plan.network,
                                         .tracing = __lsan_do_leak_check != nullptr,
                                         .signals = rules.scopes_signals() || !plan.programs.empty(),
                                         .self = ::getpid()},
                                        walls);
    if (!notifications) return std::unexpected(std::move(notifications.error()));
    if (walls.broker) PEREGRINE_TRY(broker->serve(std::move(*notifications)));
  }
  if (!walls.broker) {
    broker.reset();
    allow_output_folders(rules, plan);
  }
  return rules.enforce();
}

std::unexpected<Error> as_kind(ErrorKind kind, Error error) {
  error.kind = kind;
  return std::unexpected(std::move(error));
}

}  // namespace

Result<Sandbox> Sandbox::enter(const SandboxPlan& plan) {
  if (has_more_threads()) return fail(ErrorKind::Unsupported, "the process has more than one thread");
  Sandbox sandbox;
  SandboxWalls& walls = sandbox.walls_;
  walls = available_walls();
  Landlock rules(walls.landlock);
  if (!rules.active()) walls.landlock = 0;
  if (walls.broker) {
    auto broker = FileBroker::start(plan.outputs, rules.active());
    if (broker)
      sandbox.broker_ = std::move(*broker);
    else if (broker.error().kind == ErrorKind::Denied)
      walls.broker = false;
    else
      return as_kind(ErrorKind::Unsupported, std::move(broker.error()));
  }
  ReadFailures failures;
  if (rules.active()) allow_files(rules, plan, failures);
  sandbox.hidden_ = failures.list();
  if (auto denied = deny_new_privileges(); !denied) return as_kind(ErrorKind::Unsupported, std::move(denied.error()));
  if (auto up = put_up(plan, rules, walls, sandbox.broker_); !up)
    return as_kind(ErrorKind::System, std::move(up.error()));
  return sandbox;
}

}  // namespace peregrine
