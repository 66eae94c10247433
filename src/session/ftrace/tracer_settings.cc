#include "session/ftrace/tracer_settings.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/number/parse_number.h"
#include "base/number/quantity.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "capture/tracer/trace_folder.h"
#include "sys/hardware/cpu.h"
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

// The kernel parses CPU masks as groups of 32 bits, highest first.
std::string mask_of(const CpuList& cpus) {
  std::vector<u32> groups;
  for (const auto cpu : cpus) {
    const auto number = static_cast<std::size_t>(cpu);
    if (groups.size() <= number / 32) groups.resize(number / 32 + 1);
    groups[number / 32] |= u32{1} << (number % 32);
  }
  std::string text;
  for (std::size_t i = groups.size(); i-- > 0;)
    text += text.empty() ? fmt::format("{:x}", groups[i]) : fmt::format(",{:08x}", groups[i]);
  return text;
}

// The folders below events/ for "sched:sched_switch" or globs.
Result<std::vector<std::string>> event_folders(const Tracefs& tracefs, const std::vector<std::string>& events) {
  std::vector<std::string> folders;
  for (const std::string& word : events) {
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos)
      return fail(ErrorKind::Usage, "-e: '{}' is not a tracepoint (expected system:event)", word);
    const std::string system_glob = word.substr(0, colon), event_glob = word.substr(colon + 1);
    const std::size_t before = folders.size();
    for (const std::string& system : tracefs.systems()) {
      if (::fnmatch(system_glob.c_str(), system.c_str(), 0) != 0) continue;
      for (const std::string& event : tracefs.events(system))
        if (::fnmatch(event_glob.c_str(), event.c_str(), 0) == 0) folders.push_back(system + "/" + event);
    }
    if (folders.size() == before)
      return std::unexpected(Error{ErrorKind::NotFound, fmt::format("-e: tracepoint '{}' not found", word)}.with_hint(
          "`list tracepoint` lists them"));
  }
  return folders;
}

// latency and profile use the graph tracer; its filter is the functions themselves.
Result<> measure_with_graph(FtraceMode mode, TracerPlan& plan) {
  if (mode == FtraceMode::Trace) return {};
  if (mode == FtraceMode::Latency && plan.functions.size() != 1)
    return std::unexpected(
        Error{ErrorKind::Usage, "Should provide a function to measure"}.with_hint("ftrace latency -T vfs_read"));
  plan.tracer = "function_graph";
  plan.options.emplace_back("funcgraph-tail", true);
  return {};
}

}  // namespace

Result<TracerPlan> tracer_plan(const FtraceRequest& request, const Target& target, const Tracefs& tracefs) {
  TracerPlan plan;
  const bool by_function = request.graph_functions.empty() && request.no_graph_functions.empty() &&
                           (!request.functions.empty() || !request.no_functions.empty());
  if (!request.tracer.empty())
    plan.tracer = request.tracer;
  else if (by_function)
    plan.tracer = "function";
  plan.functions = request.functions;
  plan.no_functions = request.no_functions;
  plan.graph_functions = request.graph_functions;
  plan.no_graph_functions = request.no_graph_functions;
  plan.inherit = request.inherit;
  if (!request.target.cpus.empty()) plan.cpu_mask = mask_of(target.cpus);
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
  auto events = event_folders(tracefs, request.events);
  if (!events) return std::unexpected(std::move(events.error()));
  plan.events = std::move(*events);
  PEREGRINE_TRY(measure_with_graph(request.mode, plan));
  return plan;
}

Result<std::vector<std::string>> traceable_functions(const Tracefs& tracefs, const std::string& glob) {
  const auto text = TraceFolder(Root(), tracefs.mount()).read("available_filter_functions");
  if (!text) return std::unexpected(text.error());
  std::vector<std::string> functions = listed_items(*text);
  std::erase_if(functions, [&](const std::string& name) { return ::fnmatch(glob.c_str(), name.c_str(), 0) != 0; });
  return functions;
}

}  // namespace peregrine
