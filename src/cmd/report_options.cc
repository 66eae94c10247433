#include "cmd/report_options.h"

#include <charconv>

#include "cmd/command_table.h"

namespace peregrine::cmd {

namespace {

using O = ReportOptions;

Result<> set_graph(O& options, const Use& use) {
  options.graph_given = !use.negated;
  if (use.negated) {
    options.graph.mode = GraphMode::None;
    return {};
  }
  return parse_graph_options(use.value, options.graph);
}

Result<> set_group(O& options, const Use& use) {
  options.group = !use.negated;
  options.group_given = true;
  return {};
}

Result<> set_branch_stack(O&, const Use& use) {
  if (use.negated) return {};
  return fail(ErrorKind::Unsupported, "histograms of branches are not built yet: samples are counted");
}

Result<> set_percentage(O& options, const Use& use) {
  if (use.value != "relative" && use.value != "absolute")
    return fail(ErrorKind::Usage, "--percentage is relative or absolute, not `{}'", use.value);
  options.relative = use.value == "relative";
  return {};
}

Result<> set_percent_limit(O& options, const Use& use) {
  const std::string_view text = use.value.ends_with('%') ? use.value.substr(0, use.value.size() - 1) : use.value;
  double limit = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    return fail(ErrorKind::Usage, "--percent-limit wants a number, not `{}'", use.value);
  options.percent_limit = options.graph.least_percent = limit;
  return {};
}

Result<> accept(O&, const Use&) { return {}; }

constexpr std::string_view kShown = "What is shown", kCounted = "What is counted", kWhere = "Files and symbols";

constexpr Option kOptions[] = {
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "input file name",
     .store = set<&O::input>,
     .group = kWhere},
    {.name = "force",
     .letter = 'f',
     .help = "don't complain, do it",
     .store = set<&O::symbols, &SymbolOptions::force>,
     .group = kWhere},
    {.name = "vmlinux",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "file",
     .help = "vmlinux pathname",
     .store = set<&O::symbols, &SymbolOptions::vmlinux>,
     .group = kWhere},
    {.name = "kallsyms",
     .value = Value::Required,
     .metavar = "file",
     .help = "kallsyms pathname",
     .store = set<&O::symbols, &SymbolOptions::kallsyms>,
     .group = kWhere},
    {.name = "symfs",
     .value = Value::Required,
     .metavar = "directory",
     .help = "Look for files with symbols relative to this directory",
     .store = set<&O::symbols, &SymbolOptions::symfs>,
     .group = kWhere},
    {.name = "demangle",
     .help = "Symbol demangling. Enabled by default, use --no-demangle to disable.",
     .store = set<&O::symbols, &SymbolOptions::demangle>,
     .group = kWhere},
    {.name = "demangle-kernel",
     .help = "Enable kernel symbol demangling",
     .store = set<&O::symbols, &SymbolOptions::demangle_kernel>,
     .group = kWhere},
    {.name = "sort",
     .letter = 's',
     .value = Value::Required,
     .metavar = "key[,key2...]",
     .help =
         "sort by key(s): overhead overhead_sys overhead_us overhead_guest_sys overhead_guest_us overhead_children "
         "sample period pid comm dso symbol parent cpu socket local_weight weight time addr symbol_daddr dso_daddr; "
         "+key adds to the default",
     .store = set<&O::sort>,
     .group = kShown},
    {.name = "fields",
     .letter = 'F',
     .value = Value::Required,
     .metavar = "key[,keys...]",
     .help = "output field(s): the columns from left to right, of the same keys as --sort",
     .store = set<&O::fields>,
     .group = kShown},
    {.name = "call-graph",
     .letter = 'g',
     .value = Value::NextWord,
     .metavar = "print_type,threshold[,print_limit],order,sort_key[,branch],value",
     .help =
         "Display call graph (stack chain/backtrace): print_type: graph|flat|fractal|folded|none; threshold: minimum "
         "call graph inclusion threshold (percent); print_limit: maximum number of call graph entry; order: "
         "caller|callee; sort_key: function|address; value: percent|period|count. Default: "
         "graph,0.5,caller,function,percent",
     .store = call<set_graph>,
     .implied = "",
     .group = kShown},
    {.name = "inverted",
     .letter = 'G',
     .help = "alias for inverted call graph",
     .store = set<&O::inverted>,
     .group = kShown},
    {.name = "children",
     .help = "Accumulate callchains of children and show total overhead as well. Enabled by default, use --no-children "
             "to disable.",
     .store = set<&O::children>,
     .group = kShown},
    {.name = "show-nr-samples",
     .letter = 'n',
     .help = "Show a column with the number of samples",
     .store = set<&O::show_samples>,
     .group = kShown},
    {.name = "show-total-period",
     .help = "Show a column with the sum of periods",
     .store = set<&O::show_period>,
     .group = kShown},
    {.name = "show-cpu-utilization",
     .help = "Show sample percentage for different cpu modes",
     .store = set<&O::show_cpu_utilization>,
     .group = kShown},
    {.name = "showcpuutilization",
     .help = "Another spelling of --show-cpu-utilization",
     .store = set<&O::show_cpu_utilization>,
     .group = kShown},
    {.name = "threads",
     .letter = 'T',
     .help = "Show per-thread event counters",
     .store = set<&O::threads>,
     .group = kShown},
    {.name = "group", .help = "Show event group information together", .store = call<set_group>, .group = kShown},
    {.name = "percent-limit",
     .value = Value::Required,
     .metavar = "percent",
     .help = "Don't show entries under that percent",
     .store = call<set_percent_limit>,
     .group = kShown},
    {.name = "percentage",
     .value = Value::Required,
     .metavar = "relative|absolute",
     .help = "how to display percentage of filtered entries",
     .store = call<set_percentage>,
     .group = kShown},
    {.name = "symbol-filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "only show symbols that (partially) match with this filter",
     .store = set<&O::symbol_filter>,
     .group = kShown},
    {.name = "skip-empty",
     .help = "Do not display empty (or dummy) events in the output",
     .store = set<&O::skip_empty>,
     .group = kShown},
    {.name = "field-separator",
     .letter = 't',
     .value = Value::Required,
     .metavar = "separator",
     .help = "separator for columns, no spaces will be added between columns '.' is reserved.",
     .store = set<&O::separator>,
     .group = kShown},
    {.name = "column-widths",
     .letter = 'w',
     .value = Value::Required,
     .metavar = "width[,width...]",
     .help = "don't try to adjust column width, use these fixed values",
     .store = set<&O::column_widths>,
     .group = kShown},
    {.name = "header", .help = "Show data header.", .store = set<&O::header>, .group = kShown},
    {.name = "header-only", .help = "Show only data header.", .store = set<&O::header_only>, .group = kShown},
    {.name = "show-info",
     .letter = 'I',
     .help = "Display extended information about perf.data file",
     .store = set<&O::info>,
     .group = kShown},
    {.name = "stats", .help = "Display event stats", .store = set<&O::stats>, .group = kShown},
    {.name = "tasks", .help = "Display recorded tasks", .store = set<&O::tasks>, .group = kShown},
    {.name = "mmaps", .help = "Display recorded tasks memory maps", .store = set<&O::mmaps>, .group = kShown},
    {.name = "flamegraph",
     .value = Value::Required,
     .metavar = "file",
     .help = "write a flame graph, a self-contained SVG page, to this file",
     .store = set<&O::flame_graph>,
     .group = kShown,
     .since = Since::Ours},
    {.name = "quiet",
     .letter = 'q',
     .help = "Do not show any warnings or messages",
     .store = set<&O::quiet>,
     .group = kShown},
    {.name = "verbose",
     .letter = 'v',
     .help = "be more verbose (show symbol address, etc)",
     .store = count<&O::verbose>,
     .group = kShown},
    {.name = "stdio", .help = "Use the stdio interface", .store = set<&O::stdio>, .group = kShown},
    {.name = "comms",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "comm[,comm...]",
     .help = "only consider symbols in these comms",
     .store = set<&O::comms>,
     .group = kCounted},
    {.name = "dsos",
     .letter = 'd',
     .value = Value::Required,
     .metavar = "dso[,dso...]",
     .help = "only consider symbols in these dsos",
     .store = set<&O::dsos>,
     .group = kCounted},
    {.name = "symbols",
     .letter = 'S',
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "only consider these symbols",
     .store = set<&O::symbol_names>,
     .group = kCounted},
    {.name = "pid",
     .value = Value::Required,
     .metavar = "pid[,pid...]",
     .help = "only consider symbols in these pids",
     .store = set<&O::pids>,
     .group = kCounted},
    {.name = "tid",
     .value = Value::Required,
     .metavar = "tid[,tid...]",
     .help = "only consider symbols in these tids",
     .store = set<&O::tids>,
     .group = kCounted},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "list of cpus to profile",
     .store = set<&O::cpus>,
     .group = kCounted},
    {.name = "time",
     .value = Value::Required,
     .metavar = "str",
     .help = "Time span of interest (start,stop)",
     .store = set<&O::times>,
     .group = kCounted},
    {.name = "time-quantum",
     .value = Value::Required,
     .metavar = "time (ms|us|ns|s)",
     .help = "Set time quantum for time sort key (default 100ms)",
     .store = set<&O::time_quantum>,
     .group = kCounted},
    {.name = "parent",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "regex",
     .help = "regex filter to identify parent, see: '--sort parent'",
     .store = set<&O::parent>,
     .group = kCounted},
    {.name = "exclude-other",
     .letter = 'x',
     .help = "Only display entries with parent-match",
     .store = set<&O::exclude_other>,
     .group = kCounted},
    {.name = "ignore-callees",
     .value = Value::Required,
     .metavar = "regex",
     .help = "ignore callees of these functions in call graphs",
     .store = set<&O::ignore_callees>,
     .group = kCounted},
    {.name = "hide-unresolved",
     .letter = 'U',
     .help = "Only display entries resolved to a symbol",
     .store = set<&O::hide_unresolved>,
     .group = kCounted},
    {.name = "max-stack",
     .value = Value::Required,
     .metavar = "n",
     .help =
         "Set the maximum stack depth when parsing the callchain, anything beyond the specified depth will be ignored. "
         "Default: kernel.perf_event_max_stack or 127",
     .store = set<&O::max_stack>,
     .group = kCounted},

    // Accepted: they change what is not there yet, or nothing that text shows.
    {.name = "inline", .help = "Show inline function", .store = call<accept>},
    {.name = "source", .help = "Interleave source code with assembly code (default)", .store = call<accept>},
    {.name = "asm-raw", .help = "Display raw encoding of assembly instructions (default)", .store = call<accept>},
    {.name = "stdio-color",
     .value = Value::Required,
     .metavar = "mode",
     .help = "'always' (default), 'never' or 'auto' only applicable to --stdio mode",
     .store = call<accept>},
    {.name = "ignore-vmlinux", .help = "don't load vmlinux even if found", .store = call<accept>},
    {.name = "modules",
     .letter = 'm',
     .help = "load module symbols - WARNING: use only with -k and LIVE kernel",
     .store = call<accept>},
    {.name = "disable-order", .help = "Disable raw trace ordering", .store = call<accept>},
    {.name = "ns", .help = "Show times in nanosecs", .store = call<accept>},
    {.name = "pretty",
     .value = Value::Required,
     .metavar = "key",
     .help = "pretty printing style key: normal raw",
     .store = call<accept>},

    // Known by name, not built yet.
    {.name = "branch-stack",
     .letter = 'b',
     .help = "use branch records for per branch histogram filling",
     .store = call<set_branch_stack>},
    {.name = "branch-history", .help = "add last branch records to call history"},
    {.name = "dump-raw-trace",
     .letter = 'D',
     .help = "every record as bytes and words, then --stats",
     .store = set<&O::dump>},
    {.name = "disassembler-style",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "disassembler style",
     .help = "Specify disassembler style (e.g. -M intel for intel syntax)"},
    {.name = "full-source-path", .help = "Show full source file name path for source lines"},
    {.name = "group-sort-idx",
     .value = Value::Required,
     .metavar = "n",
     .help = "Sort the output by the event at the index n in group"},
    {.name = "hierarchy", .help = "Show entries in a hierarchy"},
    {.name = "itrace", .value = Value::Sticky, .metavar = "opts", .help = "Instruction Tracing options", .implied = ""},
    {.name = "mem-mode", .help = "mem access profile"},
    {.name = "objdump",
     .value = Value::Required,
     .metavar = "path",
     .help = "objdump binary to use for disassembly and annotations"},
    {.name = "percent-type",
     .value = Value::Required,
     .metavar = "local-period",
     .help = "Set percent type local/global-period/hits"},
    {.name = "prefix",
     .value = Value::Required,
     .metavar = "prefix",
     .help = "Add prefix to source file path names in programs (with --prefix-strip)"},
    {.name = "prefix-strip",
     .value = Value::Required,
     .metavar = "N",
     .help = "Strip first N entries of source file path name in programs (with --prefix)"},
    {.name = "raw-trace", .help = "Show raw trace event output (do not use print fmt or plugins)"},
    {.name = "samples",
     .value = Value::Required,
     .metavar = "n",
     .help = "Number of samples to save per histogram entry for individual browsing"},
    {.name = "show-on-off-events", .help = "Show the on/off switch events, used with --switch-on and --switch-off"},
    {.name = "show-ref-call-graph", .help = "Show callgraph from reference event"},
    {.name = "socket-filter",
     .value = Value::Required,
     .metavar = "n",
     .help = "only show processor socket that match with this filter"},
    {.name = "stitch-lbr", .help = "Enable LBR callgraph stitching approach"},
    {.name = "switch-off",
     .value = Value::Required,
     .metavar = "event",
     .help = "Stop considering events after the ocurrence of this event"},
    {.name = "switch-on",
     .value = Value::Required,
     .metavar = "event",
     .help = "Consider events after the ocurrence of this event"},
    {.name = "total-cycles", .help = "Sort all blocks by 'Sampled Cycles%'"},
    {.name = "tui", .help = "Use the TUI interface"},
};

constexpr std::string_view kUsage[] = {"[<options>]"};
constexpr std::string_view kExamples[] = {
    "perf report|the table of the recording in perf.data, with call graphs",
    "perf report --no-children -g none -s comm,dso|which libraries, by program",
    "perf report --flamegraph flame.svg|everything in one picture, to open in a browser",
};

}  // namespace

constinit const Command kReport{
    .name = "report",
    .summary = "Read perf.data (created by perf record) and display the profile",
    .usage = kUsage,
    .options = kOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Sums the samples of a recording by program, library and function, and shows the sums as a table, the "
        "largest first; with call chains, each row is followed by the tree of its callers or callees.",
    .examples = kExamples,
    .run = entry<ReportOptions, report>,
};

Result<> ReportOptions::configure(const Config& config) {
  auto set_children = config.flag("report.children", true);
  if (!set_children) return std::unexpected(std::move(set_children.error()));
  children = *set_children;
  auto set_group = config.flag("report.group", false);
  if (!set_group) return std::unexpected(std::move(set_group.error()));
  if (*set_group) group_given = true;
  if (const auto limit = config.find("report.percent-limit")) {
    const auto parsed = std::from_chars(limit->data(), limit->data() + limit->size(), percent_limit);
    if (parsed.ec == std::errc()) graph.least_percent = percent_limit;
  }
  if (const auto order = config.find("report.sort_order")) sort = std::string(*order);
  return {};
}

}  // namespace peregrine::cmd
