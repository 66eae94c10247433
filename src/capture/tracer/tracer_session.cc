#include "capture/tracer/tracer_session.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <expected>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/result.h"
#include "base/text/trim.h"
#include "capture/tracer/saved_tracer.h"
#include "capture/tracer/trace_folder.h"
#include "sys/root.h"

namespace peregrine {
namespace {

std::vector<std::string> option_files(const TracerPlan& plan) {
  std::vector<std::string> files;
  for (const auto& [option, on] : plan.options) files.push_back("options/" + option);
  return files;
}

// The tracefs files that a plan may change.
std::vector<std::string> touched_files(const TracerPlan& plan) {
  std::vector<std::string> files{"set_ftrace_filter", "set_ftrace_notrace", "set_graph_function",
                                 "set_graph_notrace", "set_ftrace_pid",     "set_event_pid",
                                 "max_graph_depth",   "tracing_thresh",     "tracing_cpumask"};
  if (plan.buffer_kb != 0) files.emplace_back("buffer_size_kb");
  std::ranges::copy(option_files(plan), std::back_inserter(files));
  for (const std::string_view option : {"function-fork", "event-fork"})
    files.push_back(fmt::format("options/{}", option));
  for (const std::string& event : plan.events) files.push_back("events/" + event + "/enable");
  return files;
}

std::string nearest_function(const TraceFolder& folder, std::string_view glob) {
  const auto text = folder.read("available_filter_functions");
  if (!text) return {};
  const std::vector<std::string> names = listed_items(*text);
  const std::vector<std::string_view> words(names.begin(), names.end());
  return std::string(nearest(glob, words).value_or(""));
}

}  // namespace

Result<TracerSession> TracerSession::start(const Root& root, const std::string& mount, const TracerPlan& plan) {
  const TraceFolder top(root, mount);
  // The function tracer must have an instance: in the top-level tracer it would disturb others.
  auto guard = plan.tracer == "function" ? TracerGuard::make_instance(top, instance_name(), option_files(plan))
                                         : TracerGuard::save(SavedTracer::take(top, touched_files(plan)), plan.tracer);
  if (!guard) return std::unexpected(std::move(guard.error()));
  const TraceFolder folder = guard->instance().value_or(top);
  TracerSession session(top, folder, std::move(*guard));
  PEREGRINE_TRY(session.configure(plan));
  session.guard_.note_settings();
  auto pipe = session.folder_.open_pipe();
  if (!pipe) return std::unexpected(std::move(pipe.error()));
  session.pipe_ = std::move(*pipe);
  return session;
}

Result<> TracerSession::choose_tracer(const std::string& tracer) {
  const auto known = folder_.read("available_tracers");
  if (!known) return std::unexpected(known.error());
  const std::string spaced = " " + std::string(trim(*known)) + " ";
  if (spaced.find(" " + tracer + " ") == std::string::npos)
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("this kernel has no tracer '{}'", tracer)}.with_hint(
            fmt::format("available tracers: {}", trim(*known))));
  return folder_.set("current_tracer", tracer);
}

Result<> TracerSession::add_functions(std::string_view file, const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    const auto added = folder_.add(file, glob);
    if (added) continue;
    if (added.error().kind != ErrorKind::System) return added;
    const std::string near = nearest_function(top_, glob);
    return std::unexpected(
        Error{ErrorKind::NotFound, fmt::format("no traceable function matches '{}'", glob)}.with_hint(
            near.empty() ? "ftrace -F lists them" : fmt::format("did you mean '{}'? ftrace -F lists them", near)));
  }
  return {};
}

Result<> TracerSession::set_options(const TracerPlan& plan) {
  for (const auto& [option, on] : plan.options) PEREGRINE_TRY(folder_.set("options/" + option, on ? "1" : "0"));
  if (plan.inherit) {
    PEREGRINE_TRY(folder_.set("options/function-fork", "1"));
    if (!plan.events.empty()) PEREGRINE_TRY(folder_.set("options/event-fork", "1"));
  }
  if (!plan.cpu_mask.empty()) PEREGRINE_TRY(folder_.set("tracing_cpumask", plan.cpu_mask));
  if (plan.buffer_kb != 0) PEREGRINE_TRY(folder_.set("buffer_size_kb", std::to_string(plan.buffer_kb)));
  if (plan.depth) PEREGRINE_TRY(folder_.set("max_graph_depth", std::to_string(*plan.depth)));
  if (plan.threshold_us) PEREGRINE_TRY(folder_.set("tracing_thresh", std::to_string(*plan.threshold_us)));
  return {};
}

// The order matters: filters must be set before the tracer is chosen, and a tracer's options exist only afterwards.
Result<> TracerSession::configure(const TracerPlan& plan) {
  PEREGRINE_TRY(off());
  PEREGRINE_TRY(folder_.set("current_tracer", "nop"));
  for (const std::string_view file :
       {"set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_graph_notrace", "set_ftrace_pid"}) {
    if (folder_.has(file)) PEREGRINE_TRY(folder_.set(file, ""));
  }
  PEREGRINE_TRY(add_functions("set_ftrace_filter", plan.functions));
  PEREGRINE_TRY(add_functions("set_ftrace_notrace", plan.no_functions));
  PEREGRINE_TRY(add_functions("set_graph_function", plan.graph_functions));
  PEREGRINE_TRY(add_functions("set_graph_notrace", plan.no_graph_functions));
  for (const Pid thread : plan.threads) PEREGRINE_TRY(add_thread(thread));
  PEREGRINE_TRY(choose_tracer(plan.tracer));
  PEREGRINE_TRY(set_options(plan));
  for (const std::string& event : plan.events) PEREGRINE_TRY(folder_.set("events/" + event + "/enable", "1"));
  return {};
}

Result<> TracerSession::add_thread(Pid thread) {
  PEREGRINE_TRY(folder_.add("set_ftrace_pid", std::to_string(thread)));
  return folder_.add("set_event_pid", std::to_string(thread));
}

Result<bool> TracerSession::read(std::string& out) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(pipe_.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count < 0) return fail(ErrorKind::System, "{}/trace_pipe: {}", folder_.path(), std::strerror(errno));
  out.append(buffer.data(), static_cast<std::size_t>(count));
  return count != 0;
}

std::vector<std::string> TracerSession::end() {
  pipe_.reset();
  return guard_.undo();
}

}  // namespace peregrine
