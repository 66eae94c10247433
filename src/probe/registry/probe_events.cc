#include "probe/registry/probe_events.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <string_view>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "sys/root.h"

namespace peregrine {
namespace {

constexpr bool kKinds[] = {false, true};

// The message for a definition in error_log, which keeps only the latest ones and does not log every refusal:
//   [ 4571.712345] trace_uprobe: error: This argument name is already used
//     Command: p:probe_a/b /bin/a:0x10 n=%di n=%si
//                                          ^
std::string complaint_about(std::string_view definition, std::string_view log) {
  const std::size_t command = log.rfind(fmt::format("\n  Command: {}\n", definition));
  if (command == std::string_view::npos) return {};
  const std::string_view before = log.substr(0, command);
  const std::size_t begin = before.rfind("] ");
  return begin == std::string_view::npos ? std::string() : std::string(before.substr(begin + 2));
}

}  // namespace

ProbeEvents::ProbeEvents(const Root& root, Tracefs tracefs) : root_(root), tracefs_(std::move(tracefs)) {
  if (auto text = tracefs_.file("README")) readme_ = std::move(*text);
}

Result<ProbeEvents> ProbeEvents::open(const Root& root) {
  auto tracefs = Tracefs::find(root);
  if (!tracefs) return std::unexpected(std::move(tracefs.error()));
  return ProbeEvents(root, std::move(*tracefs));
}

std::string ProbeEvents::path(bool user) const {
  return tracefs_.mount() + (user ? "/uprobe_events" : "/kprobe_events");
}

Result<std::vector<TraceProbe>> ProbeEvents::list() const {
  std::vector<TraceProbe> probes;
  for (const bool user : kKinds) {
    if (!root_.exists(path(user))) continue;
    auto text = root_.read(path(user));
    if (!text) return std::unexpected(std::move(text.error()));
    for (std::string_view rest = *text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (auto probe = TraceProbe::parse(line)) probes.push_back(std::move(*probe));
    }
  }
  return probes;
}

Result<> ProbeEvents::check(bool user) const {
  if (root_.exists(path(user))) return {};
  return std::unexpected(Error{
      ErrorKind::Unsupported,
      fmt::format("this kernel cannot probe {}: {} does not exist", user ? "programs" : "itself", path(user)),
      user ? "requires CONFIG_UPROBE_EVENTS=y"
           : "requires CONFIG_KPROBE_EVENTS=y; tracepoints (`list tracepoint`) and probes of programs (-x) do not"});
}

Result<> ProbeEvents::write(bool user, const std::string& line) const {
  // The kernel takes each line of a write as a definition.
  if (line.find('\n') != std::string::npos)
    return fail(ErrorKind::Unsupported, "a probe's definition must be one line");
  auto fd = open_file(root_.path(path(user)), O_WRONLY | O_APPEND);
  if (!fd) return std::unexpected(std::move(fd.error()));
  if (auto written = write_all(fd->get(), line.data(), line.size()); !written)
    return std::unexpected(std::move(written.error()));
  return {};
}

Error ProbeEvents::explain(const TraceProbe& probe, Error error) const {
  const std::string line = probe.format();
  error.message = fmt::format("the kernel rejected '{}': {}", line, error.message);
  const auto log = tracefs_.file("error_log");
  const std::string complaint = log ? complaint_about(line, *log) : std::string();
  if (!complaint.empty()) error.message += fmt::format(" ({})", complaint);
  if (error.kind == ErrorKind::Denied) error.hint = "only root can add probes";
  if (probe.is_user() || error.system_errno != EINVAL) return error;
  const auto blacklist = root_.read("/sys/kernel/debug/kprobes/blacklist");
  if (blacklist && blacklist->find('\t' + probe.symbol + '\n') != std::string::npos)
    error.hint = fmt::format("{} is on the kernel's blacklist (kprobe)", probe.symbol);
  else if (probe.offset != 0)
    error.hint = "an offset must be the first byte of an instruction";
  return error;
}

Result<> ProbeEvents::add(const TraceProbe& probe) const {
  PEREGRINE_TRY(probe.check());
  auto written = write(probe.is_user(), probe.format());
  if (!written) return std::unexpected(explain(probe, std::move(written.error())));
  return {};
}

// For an event with several locations in programs, the kernel (up to 6.18) removes all locations but the last without
// checking whether the event is in use. It then frees structures that are still registered with the program, and the
// next probe there corrupts its lists. Therefore this checks first. The tracer's files show whether ftrace uses the
// event, in the main buffer or in an instance. Use by perf only shows when the event is enabled for ftrace, which then
// fails with EINTR.
Result<> ProbeEvents::check_unused(const TraceProbe& probe) const {
  const auto all = list();
  if (!all) return std::unexpected(all.error());
  const auto is_place = [&probe](const TraceProbe& other) {
    return other.is_user() && other.group == probe.group && other.event == probe.event;
  };
  if (std::ranges::count_if(*all, is_place) < 2) return {};
  const std::string instances = tracefs_.mount() + "/instances";
  const std::string file = fmt::format("events/{}/{}/enable", probe.group, probe.event);
  for (const std::string& instance : root_.names(instances))
    PEREGRINE_TRY(check_enable_file(fmt::format("{}/{}/{}", instances, instance, file), false));
  return check_enable_file(fmt::format("{}/{}", tracefs_.mount(), file), true);
}

// EBUSY if the event is enabled, waits for a trigger, or cannot be enabled. `try_it`: enables it for a moment.
Result<> ProbeEvents::check_enable_file(const std::string& file, bool try_it) const {
  const auto state = root_.read(file);
  if (!state) return std::unexpected(state.error());
  if (*state != "0\n") return fail_errno(file, EBUSY);
  if (!try_it) return {};
  auto fd = open_file(root_.path(file), O_WRONLY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  if (::write(fd->get(), "1", 1) != 1) return fail_errno(file, errno == EINTR ? EBUSY : errno);
  if (::pwrite(fd->get(), "0", 1, 0) != 1) return fail_errno(file);
  return {};
}

Result<> ProbeEvents::remove(const TraceProbe& probe) const {
  auto written = probe.is_user() ? check_unused(probe) : Result<>();
  if (written) written = write(probe.is_user(), fmt::format("-:{}/{}", probe.group, probe.event));
  if (written) return {};
  Error error = std::move(written.error());
  error.message = fmt::format("cannot remove {}: {}", probe.name(), error.message);
  if (error.system_errno == EBUSY) error.hint = "it is being recorded or counted: stop that first";
  return std::unexpected(std::move(error));
}

Result<> ProbeEvents::remove_idle(const TraceProbe& probe, std::chrono::steady_clock::time_point until) const {
  // Try rarely: the kernel logs each failure to enable an event that perf uses.
  constexpr std::chrono::milliseconds kLongestPause{160};
  for (std::chrono::milliseconds pause{10};; pause = std::min(pause * 2, kLongestPause)) {
    auto removed = remove(probe);
    if (removed || removed.error().system_errno != EBUSY || std::chrono::steady_clock::now() >= until) return removed;
    std::this_thread::sleep_for(pause);
  }
}

bool ProbeEvents::knows_name(std::string_view group, std::string_view event) const {
  return root_.exists(fmt::format("{}/{}/{}", tracefs_.events_path(), group, event));
}

}  // namespace peregrine
