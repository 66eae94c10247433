#include "cmd/ftrace/ftrace_options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/number/quantity.h"
#include "cmd/command_table.h"

namespace peregrine::cmd {
namespace {

constexpr std::array kFtraceOptions{
    Option{.name = "all-cpus",
           .letter = 'a',
           .help = "trace everything, on all CPUs",
           .store = set<&FtraceOptions::target, &TargetRequest::system_wide>},
    Option{.name = "cpu",
           .letter = 'C',
           .value = Value::Required,
           .metavar = "cpu",
           .help = "trace on these CPUs only: 0,2-3",
           .store = set<&FtraceOptions::target, &TargetRequest::cpus>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid",
           .help = "trace these processes (comma-separated)",
           .store = set<&FtraceOptions::target, &TargetRequest::pids>},
    Option{.name = "tid",
           .value = Value::Required,
           .metavar = "tid",
           .help = "trace these threads (comma-separated)",
           .store = set<&FtraceOptions::target, &TargetRequest::tids>},
    Option{.name = "inherit", .help = "also trace children", .store = set<&FtraceOptions::inherit>},
    Option{.name = "delay",
           .letter = 'D',
           .value = Value::Required,
           .metavar = "n",
           .help = "start tracing n ms after the command starts",
           .store = set<&FtraceOptions::delay_ms>},
    Option{.name = "funcs",
           .letter = 'F',
           .value = Value::NextWord,
           .metavar = "[FILTER]",
           .help = "list the functions that can be traced, all or matching ones",
           .store = set<&FtraceOptions::list>,
           .implied = "*"},
    Option{.name = "tracer",
           .letter = 't',
           .value = Value::Required,
           .metavar = "tracer",
           .help = "trace: use function_graph (default) or function",
           .store = set<&FtraceOptions::tracer>},
    Option{.name = "trace-funcs",
           .letter = 'T',
           .value = Value::Required,
           .metavar = "func",
           .help = "trace: calls of these functions (function tracer); latency: the function to measure; profile: the "
                   "functions to measure",
           .store = set<&FtraceOptions::functions>},
    Option{.name = "notrace-funcs",
           .letter = 'N',
           .value = Value::Required,
           .metavar = "func",
           .help = "exclude these functions",
           .store = set<&FtraceOptions::no_functions>},
    Option{.name = "graph-funcs",
           .letter = 'G',
           .value = Value::Required,
           .metavar = "func",
           .help = "trace these functions and their callees, as a tree with durations",
           .store = set<&FtraceOptions::graph_functions>},
    Option{.name = "nograph-funcs",
           .letter = 'g',
           .value = Value::Required,
           .metavar = "func",
           .help = "exclude the callees of these functions",
           .store = set<&FtraceOptions::no_graph_functions>},
    Option{.name = "func-opts",
           .value = Value::Required,
           .metavar = "options",
           .help = "function tracer options: call-graph, irq-info",
           .store = set<&FtraceOptions::function_options>},
    Option{.name = "graph-opts",
           .value = Value::Required,
           .metavar = "options",
           .help = "graph tracer options: nosleep-time, noirqs, verbose, thresh=<us>, depth=<n>, tail, args, retval",
           .store = set<&FtraceOptions::graph_options>},
    Option{.name = "buffer-size",
           .letter = 'm',
           .value = Value::Required,
           .metavar = "size",
           .help = "buffer size per CPU, with suffix B, K, M or G",
           .store = set<&FtraceOptions::buffer_size>},
    Option{.name = "use-nsec",
           .letter = 'n',
           .help = "latency: show ranges in nanoseconds",
           .store = set<&FtraceOptions::nanoseconds>},
    Option{.name = "use-bpf",
           .letter = 'b',
           .help = "latency: accepted; the graph tracer measures",
           .store = set<&FtraceOptions::use_bpf>},
    Option{.name = "verbose",
           .letter = 'v',
           .help = "show what is traced, and where",
           .store = count<&FtraceOptions::verbose>},
    Option{.name = "event",
           .letter = 'e',
           .value = Value::Required,
           .metavar = "event",
           .help = "trace: also show these tracepoints: sched:sched_switch or sched:*",
           .store = set<&FtraceOptions::events>,
           .since = Since::Ours},
    Option{.name = "bucket-range",
           .value = Value::Required,
           .metavar = "n",
           .help = "latency: use ranges of n units instead of powers of two",
           .store = set<&FtraceOptions::bucket_range>,
           .since = Since::Ours},
    Option{.name = "min-latency",
           .value = Value::Required,
           .metavar = "n",
           .help = "latency: start of the second range",
           .store = set<&FtraceOptions::least>,
           .since = Since::Ours},
    Option{.name = "max-latency",
           .value = Value::Required,
           .metavar = "n",
           .help = "latency: start of the last range",
           .store = set<&FtraceOptions::most>,
           .since = Since::Ours},
    Option{.name = "hide-empty",
           .help = "latency: hide empty ranges",
           .store = set<&FtraceOptions::hide_empty>,
           .since = Since::Ours},
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key",
           .help = "profile: sort by total (default), avg, max, count or name",
           .store = set<&FtraceOptions::sort>,
           .since = Since::Ours},
};

constexpr std::string_view kFtraceUsage[] = {"[<options>] [<command>]",
                                             "{trace|latency|profile} [<options>] [<command>]"};
constexpr std::string_view kFtraceExamples[] = {
    "perf ftrace -T vfs_read -- cat /etc/hostname|each call of vfs_read, with its caller",
    "perf ftrace -G vfs_read --graph-opts depth=3 -- cat /etc/hostname|the callees of vfs_read, with durations",
    "perf ftrace latency -T vfs_read -a sleep 1|a histogram of the durations of vfs_read",
    "perf ftrace profile -T 'vfs_*' -a sleep 1|the time spent in each of these functions",
    "perf ftrace -F 'vfs_*'|list functions that can be traced",
};

// What a word of --func-opts or --graph-opts does: files below options/, or a number of the plan.
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

Result<> take_number(std::string_view word, std::optional<u32>& value) {
  const std::string_view digits = word.substr(word.find('=') + 1);
  u32 number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() || digits.empty())
    return fail(ErrorKind::Usage, "--graph-opts: '{}' has no number", word);
  value = number;
  return {};
}

// As the kernel reads it: 32 bits a group, the highest first.
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

}  // namespace

Result<TracerPlan> tracer_plan(const FtraceOptions& options, const Target& target, bool some_cpus) {
  TracerPlan plan;
  const bool by_function = options.graph_functions.empty() && options.no_graph_functions.empty() &&
                           (!options.functions.empty() || !options.no_functions.empty());
  if (!options.tracer.empty())
    plan.tracer = options.tracer;
  else if (by_function)
    plan.tracer = "function";
  plan.functions = options.functions;
  plan.no_functions = options.no_functions;
  plan.graph_functions = options.graph_functions;
  plan.no_graph_functions = options.no_graph_functions;
  plan.inherit = options.inherit;
  if (some_cpus) plan.cpu_mask = mask_of(target.cpus);
  if (target.kind == TargetKind::Threads) plan.threads = target.threads;
  if (!options.buffer_size.empty()) {
    const auto bytes = parse_bytes(options.buffer_size);
    if (!bytes)
      return fail(ErrorKind::Usage, "-m: invalid size '{}' (expected a number with B, K, M or G)", options.buffer_size);
    plan.buffer_kb = std::max<u64>(*bytes / 1024, 1);
  }
  PEREGRINE_TRY(for_each_word(options.function_options, [&](std::string_view word) {
    return take_word("--func-opts", kFunctionWords, word, plan);
  }));
  PEREGRINE_TRY(for_each_word(options.graph_options, [&](std::string_view word) -> Result<> {
    if (word.starts_with("thresh=")) return take_number(word, plan.threshold_us);
    if (word.starts_with("depth=")) return take_number(word, plan.depth);
    return take_word("--graph-opts", kGraphWords, word, plan);
  }));
  return plan;
}

constinit const Command kFtrace{
    .name = "ftrace",
    .summary = "Trace kernel functions",
    .usage = kFtraceUsage,
    .options = kFtraceOptions,
    .words_at = Words::StopAtFirst,
    .description =
        "Traces functions inside the kernel, with the kernel's own tracers. Use it to see what the kernel does on "
        "behalf of a command, or how long a kernel function takes.\n\n"
        "`trace` (the default) prints each call of the functions that -T names, with the caller, or with -G a tree of "
        "everything that the functions call, with durations. `latency` prints a histogram of one function's "
        "durations. `profile` prints the number of calls and the time of each of several functions.\n\n"
        "The function tracer uses a private tracing instance, and does not start without one. The kernel has only one "
        "graph tracer, so its previous settings are restored at the end, even if this program is killed. If its guard "
        "process is killed as well, the next start restores them.",
    .examples = kFtraceExamples,
    .run = entry<FtraceOptions, run_ftrace>};

}  // namespace peregrine::cmd
