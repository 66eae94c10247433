#include "analysis/trace/open_files.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "abi/arch/syscall.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/syscall/signature.h"

namespace peregrine {
namespace {

constexpr i64 kMostFds = 1 << 16;  // higher descriptors are ignored

constexpr std::string_view kOpens[] = {"open", "openat", "openat2", "creat"};
constexpr std::string_view kMakesSocket[] = {"socket", "accept", "accept4"};
constexpr std::string_view kMakes[] = {
    "epoll_create", "epoll_create1", "eventfd",        "eventfd2",      "timerfd_create",  "signalfd",
    "signalfd4",    "memfd_create",  "inotify_init",   "inotify_init1", "perf_event_open", "pidfd_open",
    "pidfd_getfd",  "userfaultfd",   "io_uring_setup", "bpf",           "fanotify_init",   "open_by_handle_at",
    "open_tree",    "fsopen",        "fsmount",        "fspick",        "mq_open"};
constexpr std::string_view kCopies[] = {"dup", "dup2", "dup3"};
constexpr std::string_view kMayCopy[] = {"fcntl", "fcntl64"};
constexpr std::string_view kClosesAll[] = {"close_range", "exit_group"};
constexpr std::string_view kExecutes[] = {"execve", "execveat"};
// Standard input, output and errors usually remain open in the new program. /proc has the others, if it can be asked.
constexpr std::size_t kKeptByExec = 3;

// Other fcntl commands return flags, owners and sizes, not descriptors.
bool is_copying_command(u64 command) {
  const auto number = static_cast<int>(command);
  return number == F_DUPFD || number == F_DUPFD_CLOEXEC;
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

OpenFiles::OpenFiles(const Signatures& wide, const Signatures& narrow, bool live)
    : wide_(effects(wide)), narrow_(effects(narrow)), live_(live) {}

std::vector<OpenFiles::Effect> OpenFiles::effects(const Signatures& signatures) {
  std::vector<Effect> effects(signatures.size());
  for (u32 number = 0; number < effects.size(); ++number) {
    const std::string_view name = signatures.of(number).name;
    if (contains(kOpens, name)) effects[number] = Effect::Opens;
    if (contains(kMakesSocket, name)) effects[number] = Effect::MakesSocket;
    if (contains(kMakes, name)) effects[number] = Effect::Makes;
    if (contains(kCopies, name)) effects[number] = Effect::Copies;
    if (contains(kMayCopy, name)) effects[number] = Effect::MayCopy;
    if (contains(kExecutes, name)) effects[number] = Effect::Executes;
    if (contains(kClosesAll, name)) effects[number] = Effect::ClosesAll;
    if (name == "close") effects[number] = Effect::Closes;
  }
  return effects;
}

OpenFiles::Files& OpenFiles::files(Pid pid) {
  if (pid != last_pid_ || last_ == nullptr) {
    last_ = &by_process_[pid];
    last_pid_ = pid;
  }
  return *last_;
}

std::string_view OpenFiles::path(Pid pid, i64 fd) {
  if (fd < 0 || fd >= kMostFds) return {};
  Files& known = files(pid);
  const auto index = static_cast<std::size_t>(fd);
  if (index >= known.size()) known.resize(index + 1);
  File& file = known[index];
  if (!file.known && live_) {
    ++asked_;
    file.path = root_.link(fmt::format("/proc/{}/fd/{}", pid, fd)).value_or("");
    if (file.is_socket && !file.path.starts_with("socket:")) file.path.clear();
    file.known = true;
  }
  return file.path;
}

void OpenFiles::forget(Pid pid, i64 fd, bool is_socket) {
  if (fd < 0 || fd >= kMostFds) return;
  Files& known = files(pid);
  const auto index = static_cast<std::size_t>(fd);
  if (index >= known.size()) known.resize(index + 1);
  known[index] = {.known = false, .is_socket = is_socket, .path = {}};
}

void OpenFiles::set_path(Pid pid, i64 fd, std::string_view path) {
  if (fd < 0 || fd >= kMostFds) return;
  Files& known = files(pid);
  const auto index = static_cast<std::size_t>(fd);
  if (index >= known.size()) known.resize(index + 1);
  known[index] = {.known = true, .is_socket = false, .path = std::string(path)};
}

void OpenFiles::inherit(Pid parent, Pid child) {
  const auto found = by_process_.find(parent);
  if (parent == child || found == by_process_.end()) return;
  Files copy = found->second;
  files(child) = std::move(copy);
}

void OpenFiles::note(const TracedCall& call) {
  const auto& effects = call.set == abi::SyscallSet::I386 ? narrow_ : wide_;
  const Effect effect = call.number < effects.size() ? effects[call.number] : Effect::None;
  if (effect == Effect::None || (effect == Effect::MayCopy && !is_copying_command(call.arguments[1]))) return;
  if (effect == Effect::Closes) return forget(call.pid, static_cast<i32>(call.arguments[0]));
  if (effect == Effect::Executes && !live_) {
    if (Files& known = files(call.pid); !call.failed() && known.size() > kKeptByExec) known.resize(kKeptByExec);
    return;
  }
  if (effect == Effect::ClosesAll || effect == Effect::Executes) {
    if (call.failed()) return;
    by_process_.erase(call.pid);
    last_ = nullptr;
    return;
  }
  if (call.result < 0) return;
  if (effect == Effect::Opens) {
    for (unsigned i = 0; i < call.pieces; ++i) {
      const Bytes bytes = call.piece[i].bytes;
      const std::string_view path(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (path.starts_with('/') && !call.piece[i].cut) return set_path(call.pid, call.result, path);
    }
  }
  if (effect == Effect::Copies || effect == Effect::MayCopy) {
    const std::string path(this->path(call.pid, static_cast<i32>(call.arguments[0])));
    if (!path.empty()) return set_path(call.pid, call.result, path);
  }
  forget(call.pid, call.result, effect == Effect::MakesSocket);
}

}  // namespace peregrine
