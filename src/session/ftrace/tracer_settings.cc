#include "session/ftrace/tracer_settings.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/number/parse_number.h"
#include "base/number/quantity.h"
#include "base/result.h"
#include "base/text/words.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "capture/tracer/trace_folder.h"
#include "event/field/trace_format.h"
#include "event/filter/filter_text.h"
#include "sys/hardware/cpu_mask.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// An option of --func-opts or --graph-opts, and the file below options/ that it sets.
struct TracerWord {
  std::string_view word;
  std::string_view file;
  bool on;
};
constexpr auto kFunctionWords =
    std::to_array<TracerWord>({{"call-graph", "func_stack_trace", true}, {"irq-info", "irq-info", true}});
constexpr auto kGraphWords = std::to_array<TracerWord>({{"nosleep-time", "sleep-time", false},
                                                        {"noirqs", "funcgraph-irqs", false},
                                                        {"verbose", "funcgraph-proc", true},
                                                        {"verbose", "funcgraph-abstime", true},
                                                        {"verbose", "latency-format", true},
                                                        {"tail", "funcgraph-tail", true},
                                                        {"args", "funcgraph-args", true},
                                                        {"retval", "funcgraph-retval", true}});

template <class F>
Result<> for_each_word(const std::vector<std::string>& values, F visit) {
  for (std::string_view rest : values) {
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      PEREGRINE_TRY(visit(word));
    }
  }
  return {};
}

Result<> take_word(std::string_view option, std::span<const TracerWord> known, std::string_view word,
                   TracerPlan& plan) {
  bool found = false;
  for (const TracerWord& one : known) {
    if (one.word != word) continue;
    plan.options.emplace_back(one.file, one.on);
    found = true;
  }
  if (found) return {};
  return fail(ErrorKind::Usage, "{}: unknown tracer option '{}'", option, word);
}

Result<> set_number(std::string_view word, std::optional<u32>& value) {
  const std::string_view digits = word.substr(word.find('=') + 1);
  value = parse_number<u32>(digits);
  if (!value) return fail(ErrorKind::Usage, "--graph-opts: '{}' requires a number", word);
  return {};
}

// The folders below events/ for "sched:sched_switch" or globs, without events that only tracers write.
Result<std::vector<std::string>> event_folders(const Tracefs& tracefs, std::string_view option,
                                               const std::string& word) {
  std::vector<std::string> folders;
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos)
    return fail(ErrorKind::Usage, "{}: '{}' is not a tracepoint (expected system:event)", option, word);
  const std::string system_glob = word.substr(0, colon), event_glob = word.substr(colon + 1);
  for (const std::string& system : tracefs.systems()) {
    if (::fnmatch(system_glob.c_str(), system.c_str(), 0) != 0) continue;
    for (const std::string& event : tracefs.events(system))
      if (::fnmatch(event_glob.c_str(), event.c_str(), 0) == 0 && tracefs.can_enable(system, event))
        folders.push_back(system + "/" + event);
  }
  if (folders.empty())
    return std::unexpected(
        Error{ErrorKind::NotFound, fmt::format("{}: tracepoint '{}' not found", option, word)}.with_hint(
            "`list tracepoint` lists them"));
  return folders;
}

// A filter in the kernel's syntax, checked against the fields of the event: "sched/sched_switch". If they are
// unreadable, the kernel checks the filter.
Result<std::string> event_filter(const Tracefs& tracefs, std::string_view folder, const std::string& filter) {
  const std::size_t slash = folder.find('/');
  const std::string_view system = folder.substr(0, slash);
  const auto text = tracefs.format(system, folder.substr(slash + 1));
  if (!text) return filter;
  const auto format = parse_trace_format(system, *text);
  if (!format) return filter;
  auto checked = kernel_filter(filter, *format);
  if (!checked) return std::unexpected(format_filter_error(filter, checked.error()));
  return std::move(*checked);
}

Result<> choose_events(const FtraceRequest& request, const Tracefs& tracefs, TracerPlan& plan) {
  for (std::size_t index = 0; index < request.events.size(); ++index) {
    const std::size_t before = plan.events.size();
    for (const std::string& word : split_words(request.events[index])) {
      auto folders = event_folders(tracefs, "-e", word);
      if (!folders) return std::unexpected(std::move(folders.error()));
      std::ranges::move(*folders, std::back_inserter(plan.events));
    }
    for (const FtraceRequest::Filter& filter : request.filters) {
      for (std::size_t event = before; filter.events == index && event < plan.events.size(); ++event) {
        auto text = event_filter(tracefs, plan.events[event], filter.text);
        if (!text) return std::unexpected(std::move(text.error()));
        plan.filters.push_back({plan.events[event], std::move(*text)});
      }
    }
  }
  return {};
}

// "sched:sched_switch:traceoff if prev_pid == 1"
Result<> choose_triggers(const FtraceRequest& request, const Tracefs& tracefs, TracerPlan& plan) {
  for (const std::string& word : request.triggers) {
    const std::size_t first = word.find(':'), second = first == std::string::npos ? first : word.find(':', first + 1);
    if (second == std::string::npos || second + 1 == word.size())
      return std::unexpected(
          Error{ErrorKind::Usage, fmt::format("--trigger: '{}' must be SYSTEM:EVENT:TRIGGER", word)}.with_hint(
              "for example --trigger 'sched:sched_process_exit:traceoff if pid == 1'"));
    auto folders = event_folders(tracefs, "--trigger", word.substr(0, second));
    if (!folders) return std::unexpected(std::move(folders.error()));
    for (std::string& folder : *folders) plan.triggers.push_back({std::move(folder), word.substr(second + 1)});
  }
  return {};
}

// The blk tracer shows only disks that have tracing on; disks without a size have no requests.
std::vector<std::string> disk_switches(const Root& root) {
  std::vector<std::string> files;
  for (const std::string& disk : root.sorted_names("/sys/block")) {
    const std::string folder = "/sys/block/" + disk, file = folder + "/trace/enable";
    if (root.number(folder + "/size").value_or(0) > 0 && root.exists(file)) files.push_back(file);
  }
  return files;
}

std::string chosen_tracer(const FtraceRequest& request) {
  if (!request.tracer.empty()) return request.tracer;
  const bool graph = !request.graph_functions.empty() || !request.no_graph_functions.empty();
  if (!graph && (!request.functions.empty() || !request.no_functions.empty())) return "function";
  const bool events = !request.events.empty() || !request.triggers.empty() || !request.mark.empty();
  if (request.measures_events()) return "nop";
  if (!graph && events && request.mode == FtraceMode::Trace && request.graph_options.empty()) return "nop";
  return TracerPlan().tracer;
}

// latency -e A,B: exactly two events, or one for the time between its hits.
Result<> check_pair(const FtraceRequest& request, const TracerPlan& plan) {
  if (!request.measures_events()) return {};
  if (!plan.functions.empty() || !plan.graph_functions.empty())
    return fail(ErrorKind::Usage, "latency measures a function (-T) or events (-e), not both");
  if (request.nanoseconds)
    return std::unexpected(Error{
        ErrorKind::Usage, "-n measures functions (-T) only: the kernel prints the times of events in microseconds"}
                               .with_hint("for nanoseconds: perf record -e A -e B, then perf script --pair A,B"));
  if (plan.events.size() <= 2 && split_words(request.key).size() <= 2) return {};
  return std::unexpected(
      Error{ErrorKind::Usage, "latency -e expects two events, and --key at most two fields"}.with_hint(
          "ftrace latency -e sched:sched_waking,sched:sched_switch --key pid,next_pid"));
}

// Only an instance goes away with everything that was set in it.
Result<> check_place(const TracerPlan& plan) {
  if (plan.fits_instance() || (plan.filters.empty() && plan.triggers.empty())) return {};
  return std::unexpected(Error{
      ErrorKind::Usage, fmt::format("--filter and --trigger cannot be combined with the tracer '{}'", plan.tracer)}
                             .with_hint("use -t nop, or -T FUNCTION"));
}

// latency and profile use the graph tracer; its filter is the functions themselves.
Result<> measure_with_graph(const FtraceRequest& request, TracerPlan& plan) {
  if (request.mode == FtraceMode::Trace || request.measures_events()) return {};
  if (request.mode == FtraceMode::Latency && plan.functions.size() != 1)
    return std::unexpected(
        Error{ErrorKind::Usage, "Should provide a function to measure"}.with_hint("ftrace latency -T vfs_read"));
  plan.tracer = "function_graph";
  plan.options.emplace_back("funcgraph-tail", true);
  return {};
}

}  // namespace

Result<TracerPlan> tracer_plan(const FtraceRequest& request, const Target& target, const Tracefs& tracefs) {
  TracerPlan plan;
  plan.tracer = chosen_tracer(request);
  plan.clock = request.clock;
  if (plan.tracer == "blk") plan.switches = disk_switches(Root());
  plan.functions = request.functions;
  plan.no_functions = request.no_functions;
  plan.graph_functions = request.graph_functions;
  plan.no_graph_functions = request.no_graph_functions;
  plan.inherit = request.inherit;
  if (!request.target.cpus.empty()) plan.cpu_mask = cpu_mask(target.cpus);
  if (target.kind == TargetKind::Threads) plan.threads = target.threads;
  if (!request.buffer_size.empty()) {
    const auto bytes = parse_bytes(request.buffer_size);
    if (!bytes)
      return fail(ErrorKind::Usage, "-m: invalid size '{}' (expected a number with B, K, M or G)", request.buffer_size);
    plan.buffer_kb = std::max<u64>(*bytes / 1024, 1);
  }
  PEREGRINE_TRY(for_each_word(request.function_options, [&](std::string_view word) {
    return take_word("--func-opts", kFunctionWords, word, plan);
  }));
  PEREGRINE_TRY(for_each_word(request.graph_options, [&](std::string_view word) -> Result<> {
    if (word.starts_with("thresh=")) return set_number(word, plan.threshold_us);
    if (word.starts_with("depth=")) return set_number(word, plan.depth);
    return take_word("--graph-opts", kGraphWords, word, plan);
  }));
  PEREGRINE_TRY(choose_events(request, tracefs, plan));
  PEREGRINE_TRY(choose_triggers(request, tracefs, plan));
  PEREGRINE_TRY(measure_with_graph(request, plan));
  PEREGRINE_TRY(check_pair(request, plan));
  PEREGRINE_TRY(check_place(plan));
  return plan;
}

TextPairRequest event_pair(const FtraceRequest& request, const TracerPlan& plan) {
  const std::vector<std::string> keys = split_words(request.key);
  const auto name = [](const std::string& event) { return event.substr(event.find('/') + 1); };
  TextPairRequest pair;
  if (!plan.events.empty())
    pair = {.start = name(plan.events.front()), .end = name(plan.events.back()), .start_key = {}, .end_key = {}};
  if (!keys.empty()) pair.start_key = keys.front();
  if (!keys.empty()) pair.end_key = keys.back();
  return pair;
}

Result<std::vector<std::string>> traceable_functions(const Tracefs& tracefs, const std::string& glob) {
  const auto text = TraceFolder(Root(), tracefs.mount()).read("available_filter_functions");
  if (!text) return std::unexpected(text.error());
  std::vector<std::string> functions = listed_items(*text);
  std::erase_if(functions, [&](const std::string& name) { return ::fnmatch(glob.c_str(), name.c_str(), 0) != 0; });
  return functions;
}

}  // namespace peregrine
