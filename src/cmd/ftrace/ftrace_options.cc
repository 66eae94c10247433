#include "cmd/ftrace/ftrace_options.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/function/call_statistics.h"
#include "capture/target/target.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/recording/recording_rows.h"

namespace peregrine::cmd {
namespace {

// A filter belongs to the last -e.
Result<> add_filter(FtraceOptions& options, const Use& use) {
  FtraceRequest& request = options.request;
  if (use.negated) {
    request.filters.clear();
    return {};
  }
  if (request.events.empty()) return fail(ErrorKind::Usage, "--filter must follow -e EVENT");
  request.filters.push_back({request.events.size() - 1, std::string(use.value)});
  return {};
}

Result<FunctionOrder> parse_function_order(std::string_view word) {
  constexpr std::pair<std::string_view, FunctionOrder> kWords[] = {{"total", FunctionOrder::Total},
                                                                   {"avg", FunctionOrder::Average},
                                                                   {"max", FunctionOrder::Most},
                                                                   {"count", FunctionOrder::Calls},
                                                                   {"name", FunctionOrder::Name}};
  for (const auto& [name, order] : kWords)
    if (word == name) return order;
  return fail(ErrorKind::Usage, "--sort: unknown order '{}': must be one of total, avg, max, count, name", word);
}

constexpr std::array kFtraceOptions{
    Option{.name = "all-cpus",
           .letter = 'a',
           .help = "trace everything, on all CPUs",
           .store = set<&FtraceOptions::request, &FtraceRequest::target, &TargetRequest::system_wide>},
    Option{.name = "cpu",
           .letter = 'C',
           .value = Value::Required,
           .metavar = "cpu",
           .help = "trace only on these CPUs: 0,2-3",
           .store = set<&FtraceOptions::request, &FtraceRequest::target, &TargetRequest::cpus>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid",
           .help = "trace these processes (comma-separated)",
           .store = set<&FtraceOptions::request, &FtraceRequest::target, &TargetRequest::pids>},
    Option{.name = "tid",
           .value = Value::Required,
           .metavar = "tid",
           .help = "trace these threads (comma-separated)",
           .store = set<&FtraceOptions::request, &FtraceRequest::target, &TargetRequest::tids>},
    Option{.name = "inherit",
           .help = "also trace children",
           .store = set<&FtraceOptions::request, &FtraceRequest::inherit>},
    Option{.name = "delay",
           .letter = 'D',
           .value = Value::Required,
           .metavar = "n",
           .help = "start tracing n ms after the command starts",
           .store = set<&FtraceOptions::request, &FtraceRequest::delay_ms>},
    kTimeoutRow<&FtraceOptions::request, &FtraceRequest::limit>,
    Option{.name = "funcs",
           .letter = 'F',
           .value = Value::NextWord,
           .metavar = "[FILTER]",
           .help = "list functions that can be traced, all or only matching ones",
           .store = set<&FtraceOptions::list>,
           .implied = "*"},
    kOutputRow<&FtraceOptions::output>,
    Option{.name = "tracer",
           .letter = 't',
           .value = Value::Required,
           .metavar = "tracer",
           .help = "trace: use function_graph (default), function, nop (events only) or another of --list-tracers",
           .store = set<&FtraceOptions::request, &FtraceRequest::tracer>,
           .words = [] { return std::vector<std::string_view>{"function_graph", "function", "nop", "blk"}; }},
    Option{.name = "trace-funcs",
           .letter = 'T',
           .value = Value::Required,
           .metavar = "func",
           .help = "trace: trace calls of these functions (function tracer); latency, profile: measure these functions",
           .store = set<&FtraceOptions::request, &FtraceRequest::functions>},
    Option{.name = "notrace-funcs",
           .letter = 'N',
           .value = Value::Required,
           .metavar = "func",
           .help = "exclude these functions",
           .store = set<&FtraceOptions::request, &FtraceRequest::no_functions>},
    Option{.name = "graph-funcs",
           .letter = 'G',
           .value = Value::Required,
           .metavar = "func",
           .help = "trace these functions and their callees, as a tree with durations",
           .store = set<&FtraceOptions::request, &FtraceRequest::graph_functions>},
    Option{.name = "nograph-funcs",
           .letter = 'g',
           .value = Value::Required,
           .metavar = "func",
           .help = "exclude the callees of these functions",
           .store = set<&FtraceOptions::request, &FtraceRequest::no_graph_functions>},
    Option{.name = "func-opts",
           .value = Value::Required,
           .metavar = "options",
           .help = "set function tracer options: call-graph, irq-info",
           .store = set<&FtraceOptions::request, &FtraceRequest::function_options>},
    Option{
        .name = "graph-opts",
        .value = Value::Required,
        .metavar = "options",
        .help = "set graph tracer options: nosleep-time, noirqs, verbose, thresh=<us>, depth=<n>, tail, args, retval",
        .store = set<&FtraceOptions::request, &FtraceRequest::graph_options>},
    Option{.name = "buffer-size",
           .letter = 'm',
           .value = Value::Required,
           .metavar = "size",
           .help = "set the buffer size per CPU, with suffix B, K, M or G",
           .store = set<&FtraceOptions::request, &FtraceRequest::buffer_size>},
    Option{.name = "use-nsec",
           .letter = 'n',
           .help = "latency: show ranges in nanoseconds",
           .store = set<&FtraceOptions::request, &FtraceRequest::nanoseconds>},
    Option{.name = "use-bpf",
           .letter = 'b',
           .help = "latency: accepted and ignored; the graph tracer is used",
           .store = set<&FtraceOptions::request, &FtraceRequest::use_bpf>},
    Option{.name = "verbose",
           .letter = 'v',
           .help = "show which functions are traced, and on which CPUs",
           .store = count<&FtraceOptions::request, &FtraceRequest::verbose>},
    Option{.name = "event",
           .letter = 'e',
           .value = Value::Required,
           .metavar = "event",
           .help =
               "trace, start: show these tracepoints: sched:sched_switch or sched:*; latency: measure from the first "
               "to the second event, or between hits of one",
           .store = set<&FtraceOptions::request, &FtraceRequest::events>,
           .since = Since::Ours},
    Option{.name = "filter",
           .value = Value::Required,
           .metavar = "filter",
           .help = "keep only events that match, of the -e before it: 'prev_pid == 1'",
           .store = call<&add_filter>,
           .since = Since::Ours},
    Option{.name = "key",
           .value = Value::Required,
           .metavar = "field[,field]",
           .help = "latency -e A,B: pair events with equal values of this field, or of one field of A and one of B "
                   "(default: of the same thread)",
           .store = set<&FtraceOptions::request, &FtraceRequest::key>,
           .since = Since::Ours},
    Option{.name = "trigger",
           .value = Value::Required,
           .metavar = "event:action",
           .help = "let the kernel act at an event: 'sched:sched_process_exit:traceoff if pid == 12', stacktrace, "
                   "snapshot, hist:keys=FIELD",
           .store = set<&FtraceOptions::request, &FtraceRequest::triggers>,
           .since = Since::Ours},
    Option{.name = "mark",
           .value = Value::Required,
           .metavar = "text",
           .help = "write this text into the trace when it starts",
           .store = set<&FtraceOptions::request, &FtraceRequest::mark>,
           .since = Since::Ours},
    Option{.name = "clock",
           .value = Value::Required,
           .metavar = "clock",
           .help = "time stamps: local (default), global, mono, boot, ...",
           .store = set<&FtraceOptions::request, &FtraceRequest::clock>,
           .since = Since::Ours},
    Option{.name = "name",
           .value = Value::Required,
           .metavar = "name",
           .help = "start, stop, mark, show, remove: the trace with this name (default: trace)",
           .store = set<&FtraceOptions::name>,
           .since = Since::Ours},
    Option{.name = "list-tracers",
           .help = "list the tracers of this kernel",
           .store = set<&FtraceOptions::list_tracers>,
           .since = Since::Ours},
    Option{.name = "bucket-range",
           .value = Value::Required,
           .metavar = "n",
           .help = "latency: use ranges of n units instead of powers of two",
           .store = set<&FtraceOptions::request, &FtraceRequest::bucket_range>,
           .since = Since::Ours},
    Option{.name = "min-latency",
           .value = Value::Required,
           .metavar = "n",
           .help = "latency: start the second range at this value",
           .store = set<&FtraceOptions::request, &FtraceRequest::least>,
           .since = Since::Ours},
    Option{.name = "max-latency",
           .value = Value::Required,
           .metavar = "n",
           .help = "latency: start the last range at this value",
           .store = set<&FtraceOptions::request, &FtraceRequest::most>,
           .since = Since::Ours},
    Option{.name = "hide-empty",
           .help = "latency: hide empty ranges",
           .store = set<&FtraceOptions::request, &FtraceRequest::hide_empty>,
           .since = Since::Ours},
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key",
           .help = "profile: sort by total (default), avg, max, count or name",
           .store = set_parsed<&parse_function_order, &FtraceOptions::request, &FtraceRequest::order>,
           .since = Since::Ours},
};

constexpr std::string_view kFtraceUsage[] = {"[<options>] [<command>]",
                                             "{trace|events|latency|profile} [<options>] [<command>]",
                                             "{start|stop|show|remove|status} [<options>]", "mark [<options>] <text>"};
constexpr std::string_view kFtraceExamples[] = {
    "perf ftrace -T vfs_read -- cat /etc/hostname|each call of vfs_read, with its caller",
    "perf ftrace -G vfs_read --graph-opts depth=3 -- cat /etc/hostname|the callees of vfs_read, with durations",
    "perf ftrace latency -T vfs_read -a sleep 1|a histogram of the durations of vfs_read",
    "perf ftrace latency -e sched:sched_waking,sched:sched_switch --key pid,next_pid -a sleep 1|from wake-up to run",
    "perf ftrace profile -T 'vfs_*' -a sleep 1|the time spent in each of these functions",
    "perf ftrace -F 'vfs_*'|list functions that can be traced",
    "perf ftrace events -e 'sched:*' -- sleep 1|the events of a command, as text",
    "perf ftrace start -e sched:sched_switch --filter 'next_pid == 1'|trace in the background, until",
    "perf ftrace stop|the events are kept, and",
    "perf ftrace show|printed as often as needed, until `ftrace remove`",
    "perf ftrace trace -t blk sleep 1|block requests of all disks",
};

}  // namespace

constinit const Command kFtrace{
    .name = "ftrace",
    .summary = "Trace kernel functions and events with the kernel's own tracers",
    .usage = kFtraceUsage,
    .options = kFtraceOptions,
    .first_words =
        [] {
          return std::vector<std::string_view>{"trace", "events", "latency", "profile", "start",
                                               "stop",  "mark",   "show",    "remove",  "status"};
        },
    .words_at = Words::StopAtFirst,
    .description =
        "Traces kernel functions and tracepoints with the kernel's own tracers. Use it to see what the kernel does on "
        "behalf of a command, or how long a kernel function takes.\n\n"
        "`trace` (the default) prints each call of the functions selected by -T, with its caller, or with -G a tree of "
        "everything the functions call, with durations. With -e alone it prints tracepoints. `events` is short for "
        "`trace -t nop`. `latency` prints a histogram of one function's durations, or of the time between two events. "
        "`profile` prints the number of "
        "calls "
        "and the time spent in each function.\n\n"
        "`start` leaves a trace running in the kernel, in an overwriting buffer (-m sets its size). `stop` ends it, "
        "`start` alone continues it, `mark` writes a text into it, `show` prints it, and `remove` frees it. "
        "`status` shows all tracers, their settings and their readers.\n\n"
        "A trigger acts inside the kernel when its event is hit: traceon, traceoff, stacktrace, snapshot, or "
        "hist:keys=FIELD; its histogram is printed at the end. Texts that programs write to trace_marker are shown, "
        "too (since linux 6.16 also those written to the top-level file).\n\n"
        "Events and functions are traced in a private instance, so that other tracers are not disturbed; it fails if "
        "it cannot create one. The graph tracer and blk exist only once in the kernel, so their previous settings are "
        "restored at the end, even if this program is killed. If the guard process is killed as well, the next run "
        "restores them.",
    .examples = kFtraceExamples,
    .run = entry<FtraceOptions, run_ftrace>};

}  // namespace peregrine::cmd
