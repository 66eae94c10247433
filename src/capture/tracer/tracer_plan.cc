#include "capture/tracer/tracer_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <string_view>

#include "base/nearest.h"
#include "base/text/trim.h"
#include "base/text/words.h"
#include "capture/tracer/error_log.h"
#include "capture/tracer/trace_mark.h"

namespace peregrine {
namespace {

constexpr std::string_view kFunctionLists[] = {"set_ftrace_filter", "set_ftrace_notrace", "set_graph_function",
                                               "set_graph_notrace", "set_ftrace_pid"};
// Since linux 6.16: what programs write to the top-level trace_marker also appears in an instance.
constexpr std::string_view kCopyMarkers = "options/copy_trace_marker";

std::string nearest_function(const TraceFolder& folder, std::string_view glob) {
  const auto text = folder.read("available_filter_functions");
  if (!text) return {};
  const std::vector<std::string> names = listed_items(*text);
  const std::vector<std::string_view> words(names.begin(), names.end());
  return std::string(nearest(glob, words).value_or(""));
}

// Whether a list of words, separated by spaces, has this one.
bool lists(std::string_view list, const std::string& word) {
  const std::vector<std::string> words = split_words(list, ' ');
  return std::ranges::find(words, word) != words.end();
}

class PlanWriter {
 public:
  PlanWriter(const TracerPlan& plan, const TraceFolder& top, const TraceFolder& folder)
      : plan_(plan), top_(top), folder_(folder) {}

  // The order matters: filters must be set before the tracer is chosen, and a tracer's options exist only afterwards.
  Result<> run() {
    PEREGRINE_TRY(folder_.set("tracing_on", "0"));
    PEREGRINE_TRY(folder_.set("current_tracer", "nop"));
    PEREGRINE_TRY(choose_functions());
    for (const Pid thread : plan_.threads) PEREGRINE_TRY(add_thread(thread));
    PEREGRINE_TRY(choose_tracer());
    PEREGRINE_TRY(set_options());
    for (const EventSetting& filter : plan_.filters) PEREGRINE_TRY(set_of_event("filter", filter));
    for (const EventSetting& trigger : plan_.triggers) PEREGRINE_TRY(set_of_event("trigger", trigger));
    for (const std::string& event : plan_.events) PEREGRINE_TRY(folder_.set("events/" + event + "/enable", "1"));
    for (const std::string& file : plan_.switches) PEREGRINE_TRY(folder_.set(file, "1"));
    return {};
  }

 private:
  Result<> choose_functions() {
    if (!plan_.traces_functions()) return {};
    for (const std::string_view file : kFunctionLists) {
      if (folder_.has(file)) PEREGRINE_TRY(folder_.set(file, ""));
    }
    PEREGRINE_TRY(add_functions("set_ftrace_filter", plan_.functions));
    PEREGRINE_TRY(add_functions("set_ftrace_notrace", plan_.no_functions));
    PEREGRINE_TRY(add_functions("set_graph_function", plan_.graph_functions));
    return add_functions("set_graph_notrace", plan_.no_graph_functions);
  }

  Result<> add_functions(std::string_view file, const std::vector<std::string>& globs) {
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

  Result<> add_thread(Pid thread) {
    if (plan_.traces_functions()) PEREGRINE_TRY(folder_.add("set_ftrace_pid", std::to_string(thread)));
    return folder_.add("set_event_pid", std::to_string(thread));
  }

  Result<> choose_tracer() {
    const auto known = folder_.read("available_tracers");
    if (!known) return std::unexpected(known.error());
    if (!lists(trim(*known), plan_.tracer))
      return std::unexpected(
          Error{ErrorKind::Unsupported, fmt::format("this kernel has no tracer '{}'", plan_.tracer)}.with_hint(
              fmt::format("available tracers: {}", trim(*known))));
    return folder_.set("current_tracer", plan_.tracer);
  }

  Result<> set_options() {
    for (const auto& [option, on] : plan_.options) PEREGRINE_TRY(folder_.set("options/" + option, on ? "1" : "0"));
    if (plan_.inherit) {
      if (plan_.traces_functions()) PEREGRINE_TRY(folder_.set("options/function-fork", "1"));
      if (!plan_.events.empty()) PEREGRINE_TRY(folder_.set("options/event-fork", "1"));
    }
    if (plan_.fits_instance() && folder_.has(kCopyMarkers)) PEREGRINE_TRY(folder_.set(kCopyMarkers, "1"));
    if (!plan_.clock.empty()) PEREGRINE_TRY(set_clock());
    if (!plan_.cpu_mask.empty()) PEREGRINE_TRY(folder_.set("tracing_cpumask", plan_.cpu_mask));
    if (plan_.buffer_kb != 0) PEREGRINE_TRY(folder_.set("buffer_size_kb", std::to_string(plan_.buffer_kb)));
    if (plan_.depth) PEREGRINE_TRY(folder_.set("max_graph_depth", std::to_string(*plan_.depth)));
    if (plan_.threshold_us) PEREGRINE_TRY(folder_.set("tracing_thresh", std::to_string(*plan_.threshold_us)));
    if (plan_.measures_latency()) PEREGRINE_TRY(folder_.set("tracing_max_latency", "0"));
    return {};
  }

  // trace_clock lists the clocks, with the current one in brackets: "[local] global counter".
  Result<> set_clock() {
    const auto text = folder_.read("trace_clock");
    if (!text) return std::unexpected(text.error());
    std::string listed(trim(*text));
    std::erase_if(listed, [](char c) { return c == '[' || c == ']'; });
    if (lists(listed, plan_.clock)) return folder_.set("trace_clock", plan_.clock);
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("--clock: this kernel has no clock '{}'", plan_.clock)}.with_hint(
            "available clocks: " + listed));
  }

  // The kernel explains itself in its error log, which it adds to.
  Result<> set_of_event(std::string_view file, const EventSetting& setting) {
    const std::string path = fmt::format("events/{}/{}", setting.event, file);
    const std::string unset = folder_.read(path).value_or("");
    const std::string log = folder_.read("error_log").value_or("");
    auto done = folder_.set(path, setting.text);
    if (done || done.error().kind == ErrorKind::Denied) return done;
    if (const auto missing = missing_trigger(setting.text, file == "trigger" ? unset : "")) {
      return std::unexpected(
          Error{ErrorKind::Unsupported, fmt::format("this kernel has no trigger '{}'", missing->name)}.with_hint(
              fmt::format("it has {}; `check --kconfig-fragment triggers` names the kernel settings",
                          fmt::join(missing->available, ", "))));
    }
    const std::string after = folder_.read("error_log").value_or("");
    const std::string why = after == log ? "" : last_complaint(after);
    return fail(ErrorKind::Usage, "the kernel rejects the {} '{}' of {}{}", file, setting.text, setting.event,
                why.empty() ? ": " + done.error().message : ":\n" + why);
  }

  const TracerPlan& plan_;
  const TraceFolder& top_;
  const TraceFolder& folder_;
};

}  // namespace

bool TracerPlan::measures_latency() const {
  constexpr std::string_view kTracers[] = {"irqsoff", "preemptoff", "preemptirqsoff",
                                           "wakeup",  "wakeup_rt",  "wakeup_dl"};
  return std::ranges::find(kTracers, tracer) != std::end(kTracers);
}

std::vector<std::string> option_files(const TracerPlan& plan) {
  std::vector<std::string> files;
  for (const auto& [option, on] : plan.options) files.push_back("options/" + option);
  return files;
}

std::vector<std::string> touched_files(const TracerPlan& plan) {
  std::vector<std::string> files{"set_event_pid", "tracing_cpumask"};
  if (plan.traces_functions()) {
    files.insert(files.end(), std::begin(kFunctionLists), std::end(kFunctionLists));
    files.insert(files.end(), {"max_graph_depth", "options/function-fork"});
  }
  if (plan.traces_functions() || plan.threshold_us) files.emplace_back("tracing_thresh");
  if (plan.measures_latency()) files.emplace_back("tracing_max_latency");
  if (plan.buffer_kb != 0) files.emplace_back("buffer_size_kb");
  if (!plan.clock.empty()) files.emplace_back("trace_clock");
  std::ranges::copy(option_files(plan), std::back_inserter(files));
  files.emplace_back("options/event-fork");
  for (const std::string& event : plan.events) files.push_back("events/" + event + "/enable");
  std::ranges::copy(plan.switches, std::back_inserter(files));
  return files;
}

Result<> apply_plan(const TracerPlan& plan, const TraceFolder& top, const TraceFolder& folder) {
  return PlanWriter(plan, top, folder).run();
}

Result<> start_tracing(const TraceFolder& folder, std::string_view mark) {
  PEREGRINE_TRY(folder.set("tracing_on", "1"));
  return mark.empty() ? Result<>() : write_mark(folder, mark);
}

}  // namespace peregrine
