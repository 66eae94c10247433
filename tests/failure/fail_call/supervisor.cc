#include "failure/fail_call/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "failure/fail_call/call_table.h"
#include "failure/fail_call/filter.h"
#include "failure/fail_call/short_count.h"
#include "failure/fail_call/tracee.h"

namespace peregrine::failure {
namespace {

using Clock = std::chrono::steady_clock;

mode_t kind_of_file(const Call& call, const seccomp_notif& notice) {
  struct stat status = {};
  const int descriptor = static_cast<int>(notice.data.args[call.descriptor]);
  const bool there = ::stat(fmt::format("/proc/{}/fd/{}", notice.pid, descriptor).c_str(), &status) == 0;
  return there ? status.st_mode & S_IFMT : S_IFIFO;
}

// A call that returns at once cannot be interrupted.
bool waits(const Call& call, const seccomp_notif& notice) {
  if (call.name == "wait4") return (notice.data.args[2] & WNOHANG) == 0;
  if (call.name == "waitid") return (notice.data.args[3] & WNOHANG) == 0;
  if (call.name == "poll") return static_cast<int>(notice.data.args[2]) != 0;
  if (call.name.starts_with("epoll")) return static_cast<int>(notice.data.args[3]) != 0;
  return true;
}

// The kernel's own files (/proc, /sys) are read without waiting, so no signal can interrupt that.
bool may_be_interrupted(const Call& call, const seccomp_notif& notice) {
  const auto thread = static_cast<pid_t>(notice.pid);
  const int descriptor = static_cast<int>(notice.data.args[call.descriptor]);
  const Fd file = copy_descriptor(thread, descriptor);
  struct stat status = {};
  if (is_nonblocking(thread, descriptor) || !file || ::fstat(file.get(), &status) != 0) return false;
  return (status.st_mode & S_IFMT) != 0 && (!S_ISREG(status.st_mode) || !is_control_file(file.get()));
}

// Whether the kernel could return this from the call.
bool may_fail(const Call& call, const seccomp_notif& notice, const Failure& failure) {
  if (call.call_class != failure.call_class) return false;
  // Our calls use O_CLOEXEC; UBSan uses one without it to check whether an address is readable.
  if (call.name.starts_with("pipe") && (call.name == "pipe" || notice.data.args[1] == 0)) return false;
  if (call.call_class == CallClass::Wait) return waits(call, notice);
  const auto thread = static_cast<pid_t>(notice.pid);
  // libbpf loads small BTF samples to find out what the kernel supports; if one fails, the verifier checks like an old
  // one, which takes minutes.
  if (call.call_class == CallClass::Bpf) return notice.data.args[0] != BPF_BTF_LOAD;
  if (call.name == "openat" && failure.error == EINTR && (notice.data.args[2] & O_DIRECTORY) != 0) return false;
  // Calls that do not open a path do not wait.
  if (call.call_class == CallClass::Open && call.path < 0 && failure.error == EINTR) return false;
  if (call.call_class == CallClass::Exec || call.descriptor < 0) return true;
  const int descriptor = static_cast<int>(notice.data.args[call.descriptor]);
  if (call.call_class == CallClass::Map) return true;
  if (call.call_class == CallClass::Write && descriptor == STDERR_FILENO) return false;  // standard output and error
  switch (failure.error) {
    case kShortCount:
      return may_be_short(call, notice);
    case EAGAIN:
      return is_nonblocking(thread, descriptor) && kind_of_file(call, notice) != S_IFREG;
    case EINTR:
      return may_be_interrupted(call, notice);
    default:
      break;
  }
  // A pipe has no device, and an eventfd cannot run out of memory.
  const mode_t kind = kind_of_file(call, notice);
  return kind == S_IFREG || kind == S_IFDIR || (kind == S_IFCHR && failure.error == EIO);
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    const auto status = read_file(entry.path() / "status");
    if (status && status->find(fmt::format("\nPPid:\t{}\n", parent)) != std::string::npos) found.push_back(pid);
  }
  return found;
}

class Supervisor {
 public:
  Supervisor(const Order& order, Started started, const struct stat& program)
      : order_(order), started_(std::move(started)), tracees_(program), counts_(failures().size(), 0) {}

  Outcome run();

 private:
  void serve();
  void answer(const seccomp_notif& notice);
  bool chosen(const Call& call, const seccomp_notif& notice);
  void fail_call(const Call& call, const seccomp_notif& notice);
  void send(u64 id, long result, bool go_on) const;
  bool reap();
  void end_the_rest();

  const Order& order_;
  Started started_;
  Tracees tracees_;
  std::vector<u64> counts_;
  Outcome outcome_;
  bool command_ended_ = false;
  bool listener_open_ = true;
};

void Supervisor::send(u64 id, long result, bool go_on) const {
  seccomp_notif_resp response = {};
  response.id = id;
  if (go_on)
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (result < 0)
    response.error = static_cast<int>(result);
  else
    response.val = result;
  // The caller may have died by now, which does not matter here.
  ::ioctl(started_.listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

// Counts the call; returns whether it is the chosen one.
bool Supervisor::chosen(const Call& call, const seccomp_notif& notice) {
  if (!tracees_.owns(notice)) return false;
  bool result = false;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const Failure& failure = failures()[i];
    const bool wanted = &failure == order_.choice.failure;
    if ((order_.choice.failure != nullptr && !wanted) || !may_fail(call, notice, failure)) continue;
    ++counts_[i];
    result =
        wanted && (order_.choice.and_later ? counts_[i] >= order_.choice.number : counts_[i] == order_.choice.number);
  }
  return result;
}

void Supervisor::fail_call(const Call& call, const seccomp_notif& notice) {
  if (outcome_.failed.empty()) outcome_.failed = describe(call, notice);
  if (order_.choice.failure->error != kShortCount) return send(notice.id, -order_.choice.failure->error, false);
  // It may have to wait for another thread of the command.
  std::thread([this, &call, notice] { send(notice.id, do_half(call, notice), false); }).detach();
}

void Supervisor::answer(const seccomp_notif& notice) {
  const auto call = std::ranges::find(calls(), notice.data.nr, &Call::number);
  if (call != calls().end() && chosen(*call, notice)) return fail_call(*call, notice);
  if (call != calls().end() && call->call_class == CallClass::Exec) tracees_.forget(static_cast<pid_t>(notice.pid));
  send(notice.id, 0, true);
}

// Waits briefly for a notification and answers it.
void Supervisor::serve() {
  pollfd waited{started_.listener.get(), POLLIN, 0};
  if (!listener_open_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return;
  }
  if (::poll(&waited, 1, 2) <= 0) return;
  if ((waited.revents & POLLIN) == 0) {
    listener_open_ = false;  // no process is left under the filter
    return;
  }
  seccomp_notif notice = {};
  if (::ioctl(started_.listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &notice) == 0) answer(notice);
}

// Reaps all children; false: none is left.
bool Supervisor::reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0) return false;
    if (pid == 0) return true;
    if (pid == started_.pid) {
      outcome_.status = status;
      command_ended_ = true;
    }
  }
}

void Supervisor::end_the_rest() {
  for (const pid_t pid : children_of(::getpid())) {
    auto name = read_file(fmt::format("/proc/{}/cmdline", pid));
    if (name) std::ranges::replace(*name, '\0', ' ');
    if (pid != started_.pid) outcome_.left.push_back(fmt::format("{} {}", pid, name ? *name : ""));
    ::kill(pid, SIGKILL);
  }
}

Outcome Supervisor::run() {
  const auto deadline = Clock::now() + order_.limit;
  Clock::time_point patience = Clock::time_point::max(), looked = {};
  for (;;) {
    serve();
    const auto now = Clock::now();
    if (now - looked < std::chrono::milliseconds(2)) continue;
    looked = now;
    const bool ended_before = command_ended_;
    if (!reap()) break;
    if (command_ended_ && !ended_before) patience = now + order_.grace;
    if (now > deadline && !outcome_.out_of_time) {
      outcome_.out_of_time = true;
      patience = now;
    }
    if (now > patience) end_the_rest();
  }
  outcome_.counts = counts_;
  return std::move(outcome_);
}

}  // namespace

Result<Outcome> supervise(const Order& order) {
  struct stat program = {};
  if (::stat(order.program.c_str(), &program) != 0) return fail_errno(order.program);
  std::vector<int> numbers;
  for (const Call& call : calls())
    if (order.choice.failure == nullptr || call.call_class == order.choice.failure->call_class ||
        call.call_class == CallClass::Exec)
      numbers.push_back(call.number);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto started = start_filtered(order.command, numbers);
  if (!started) return std::unexpected(std::move(started.error()));
  return Supervisor(order, std::move(*started), program).run();
}

}  // namespace peregrine::failure
