#include "cmd/report_options.h"

#include <charconv>

#include "cmd/browse.h"
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

}  // namespace

Result<> set_group_sort_member(O& options, const Use& use) {
  int index = 0;
  const auto parsed = std::from_chars(use.value.data(), use.value.data() + use.value.size(), index);
  if (!use.negated && (parsed.ec != std::errc() || parsed.ptr != use.value.data() + use.value.size()))
    return fail(ErrorKind::Usage, "--group-sort-idx wants a number, not `{}'", use.value);
  options.group_sort_member = static_cast<u32>(index);
  return {};
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

namespace {

Result<> accept(O&, const Use&) { return {}; }

Result<> set_format(O& options, const Use& use) { return choose_format(FormatUser::Report, use.value, options.format); }

Result<> ask_traces(O& options, const Use& use) {
  options.decode_traces = !use.negated;
  return {};
}

Result<> check_percent_type(O&, const Use& use) {
  for (const std::string_view known : {"local-period", "local-hits", "global-period", "global-hits"})
    if (use.negated || use.value == known) return {};
  return fail(ErrorKind::Usage, "--percent-type is local- or global-, and period or hits, not `{}'", use.value);
}

constexpr std::string_view kShown = "What is shown", kCounted = "What is counted", kWhere = "Files and symbols",
                           kPictures = "Pictures";

constexpr Option kOptions[] = {
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "the recording to read (default: perf.data; -: stdin)",
     .store = set<&O::input>,
     .group = kWhere},
    {.name = "force",
     .letter = 'f',
     .help = "read the file whoever owns it",
     .store = set<&O::symbols, &SymbolOptions::force>,
     .group = kWhere},
    {.name = "vmlinux",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "file",
     .help = "take the kernel's symbols from this image",
     .store = set<&O::symbols, &SymbolOptions::vmlinux>,
     .group = kWhere},
    {.name = "kallsyms",
     .value = Value::Required,
     .metavar = "file",
     .help = "take the kernel's symbols from this copy of /proc/kallsyms",
     .store = set<&O::symbols, &SymbolOptions::kallsyms>,
     .group = kWhere},
    {.name = "debuginfod",
     .value = Value::Sticky,
     .metavar = "urls",
     .help = "fetch what is missing here from these debuginfod servers, or those of DEBUGINFOD_URLS",
     .store = set<&O::symbols, &SymbolOptions::servers>,
     .implied = "",
     .group = kWhere,
     .since = Since::Ours},
    {.name = "symfs",
     .value = Value::Required,
     .metavar = "directory",
     .help = "look for binaries below this folder instead of /",
     .store = set<&O::symbols, &SymbolOptions::symfs>,
     .group = kWhere},
    {.name = "demangle",
     .help = "show C++ and Rust names as written in source (--no-demangle: as in the symbol table)",
     .store = set<&O::symbols, &SymbolOptions::demangle>,
     .group = kWhere},
    {.name = "demangle-kernel",
     .help = "the same for the kernel's names",
     .store = set<&O::symbols, &SymbolOptions::demangle_kernel>,
     .group = kWhere},
    {.name = "sort",
     .letter = 's',
     .value = Value::Required,
     .metavar = "key[,key2...]",
     .help = "sort by key(s): overhead overhead_sys overhead_us overhead_guest_sys overhead_guest_us overhead_children "
             "sample period latency pid tgid comm comm_nodigit dso symbol symoff symbol_size parent cpu socket cgroup "
             "parallelism srcline srcfile time addr weight retire_lat transaction mem trace and more, and fields of "
             "tracepoints: next_comm, switch.prev_state/raw, trace_fields; +key adds to the default",
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
     .help = "how call chains are shown: graph, flat, fractal, folded or none; percentage below which a branch is left "
             "out; most branches of a row; caller or callee order; function or address; percent, period or count. "
             "Default: graph,0.5,caller,function,percent",
     .store = call<set_graph>,
     .implied = "",
     .group = kShown},
    {.name = "inverted",
     .letter = 'G',
     .help = "call graphs from the caller down, -g ...,caller",
     .store = set<&O::inverted>,
     .group = kShown},
    {.name = "children",
     .help = "count a function's callees with it, and show both sums (--no-children: its own samples only)",
     .store = set<&O::children>,
     .group = kShown},
    {.name = "show-nr-samples",
     .letter = 'n',
     .help = "one more column: how many samples a row stands for",
     .store = set<&O::show_samples>,
     .group = kShown},
    {.name = "show-total-period",
     .help = "one more column: the sum of their periods",
     .store = set<&O::show_period>,
     .group = kShown},
    {.name = "show-cpu-utilization",
     .help = "columns that split the overhead into kernel, user and guests",
     .store = set<&O::show_cpu_utilization>,
     .group = kShown},
    {.name = "showcpuutilization",
     .help = "Another spelling of --show-cpu-utilization",
     .store = set<&O::show_cpu_utilization>,
     .group = kShown},
    {.name = "latency",
     .help =
         "order by latency, the share of the time on the clock: each sample counts as much less as more threads run "
         "beside it; of recordings with context switches (record --switch-events)",
     .store = set<&O::latency>,
     .group = kShown,
     .since = Since::Ours},
    {.name = "hierarchy",
     .help = "rows as a tree, a level for each sort key, or for several: -s {comm,dso},sym",
     .store = set<&O::hierarchy>,
     .group = kShown},
    {.name = "threads",
     .letter = 'T',
     .help = "the counts of each thread, as record -s stores them",
     .store = set<&O::threads>,
     .group = kShown},
    {.name = "group",
     .help = "show events that were recorded as a group in one table",
     .store = call<set_group>,
     .group = kShown},
    {.name = "percent-limit",
     .value = Value::Required,
     .metavar = "percent",
     .help = "leave out rows below this percentage",
     .store = call<set_percent_limit>,
     .group = kShown},
    {.name = "percentage",
     .value = Value::Required,
     .metavar = "relative|absolute",
     .help = "what is 100 % after a filter: relative: what is left, absolute: everything",
     .store = call<set_percentage>,
     .group = kShown},
    {.name = "symbol-filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "only symbols that have this text in their names",
     .store = set<&O::symbol_filter>,
     .group = kShown},
    {.name = "skip-empty",
     .help = "say nothing of events without samples",
     .store = set<&O::skip_empty>,
     .group = kShown},
    {.name = "field-separator",
     .letter = 't',
     .value = Value::Required,
     .metavar = "separator",
     .help = "separate columns by this character and do not pad them; where a name holds it, a dot stands",
     .store = set<&O::separator>,
     .group = kShown},
    {.name = "column-widths",
     .letter = 'w',
     .value = Value::Required,
     .metavar = "width[,width...]",
     .help = "widths of the columns, instead of what fits",
     .store = set<&O::column_widths>,
     .group = kShown},
    {.name = "header", .help = "show what the file's header says, too", .store = set<&O::header>, .group = kShown},
    {.name = "header-only",
     .help = "show what the file's header says, and nothing else",
     .store = set<&O::header_only>,
     .group = kShown},
    {.name = "show-info",
     .letter = 'I',
     .help = "show the long parts of the header, too",
     .store = set<&O::info>,
     .group = kShown},
    {.name = "stats", .help = "count the records of each type", .store = set<&O::stats>, .group = kShown},
    {.name = "tasks", .help = "the tree of recorded processes and threads", .store = set<&O::tasks>, .group = kShown},
    {.name = "mmaps",
     .help = "the tree of recorded processes with their maps",
     .store = set<&O::mmaps>,
     .group = kShown},
    {.name = "symbols-report",
     .help = "where the symbols of each binary came from, and why samples have no names",
     .store = set<&O::symbols_report>,
     .group = kShown,
     .since = Since::Ours},
    {.name = "flamegraph",
     .value = Value::Required,
     .metavar = "file",
     .help = "write a flame graph, a self-contained SVG page, to this file; with -G callers above",
     .store = set<&O::pictures, &PictureOptions::flame_graph>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "html",
     .value = Value::Required,
     .metavar = "file",
     .help = "write a page with flame graph, functions, callers and callees, code and time line to this file",
     .store = set<&O::pictures, &PictureOptions::html>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "heatmap",
     .value = Value::Required,
     .metavar = "file",
     .help = "write a page that begins with a heat map, seconds by their parts, to this file",
     .store = set<&O::pictures, &PictureOptions::heat_map>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "reverse",
     .help = "stacks of the flame graph from what was hit to its callers",
     .store = set<&O::pictures, &PictureOptions::reversed>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "flamechart",
     .help = "the flame graph from left to right in order of time",
     .store = set<&O::pictures, &PictureOptions::chart>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "colors",
     .value = Value::Required,
     .metavar = "palette",
     .help = "colours of the flame graph: kind (of code), dso, hot, blue, green or grey",
     .store = set<&O::pictures, &PictureOptions::colors>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "title",
     .value = Value::Required,
     .metavar = "text",
     .help = "heading of pictures",
     .store = set<&O::pictures, &PictureOptions::title>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "format",
     .value = Value::Required,
     .metavar = "name[,word...]",
     .help = "write rows as csv, json or jsonl, or a profile for other programs: folded, speedscope, pprof, callgrind "
             "(docs/formats.md)",
     .store = call<set_format>,
     .group = kShown,
     .since = Since::Ours},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "write to this file instead of stdout",
     .store = set<&O::format, &FormatOptions::output>,
     .group = kShown,
     .since = Since::Ours},
    {.name = "quiet", .letter = 'q', .help = "say nothing but the table", .store = set<&O::quiet>, .group = kShown},
    {.name = "verbose",
     .letter = 'v',
     .help = "show addresses and where symbols come from; twice says more yet",
     .store = count<&O::verbose>,
     .group = kShown},
    {.name = "group-sort-idx",
     .value = Value::Required,
     .metavar = "n",
     .help = "of grouped events, let the one of this index order the rows, the leader being 0",
     .store = call<set_group_sort_member>,
     .group = kShown},
    {.name = "dump-raw-trace",
     .letter = 'D',
     .help = "every record as numbers and bytes",
     .store = set<&O::dump>,
     .group = kShown},
    {.name = "show-ref-call-graph",
     .help = "say so in the heading of events that were recorded with call-graph=no",
     .store = set<&O::show_reference>,
     .group = kShown},
    {.name = "stdio", .help = "plain text, on a terminal too", .store = set<&O::stdio>, .group = kShown},
    {.name = "comms",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "comm[,comm...]",
     .help = "only these programs",
     .store = set<&O::comms>,
     .group = kCounted},
    {.name = "dsos",
     .letter = 'd',
     .value = Value::Required,
     .metavar = "dso[,dso...]",
     .help = "only these binaries",
     .store = set<&O::dsos>,
     .group = kCounted},
    {.name = "symbols",
     .letter = 'S',
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "only samples in these symbols",
     .store = set<&O::symbol_names>,
     .group = kCounted},
    {.name = "pid",
     .value = Value::Required,
     .metavar = "pid[,pid...]",
     .help = "only these processes",
     .store = set<&O::pids>,
     .group = kCounted},
    {.name = "tid",
     .value = Value::Required,
     .metavar = "tid[,tid...]",
     .help = "only these threads",
     .store = set<&O::tids>,
     .group = kCounted},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "only these CPUs: 0-3,8",
     .store = set<&O::cpus>,
     .group = kCounted},
    {.name = "time",
     .value = Value::Required,
     .metavar = "str",
     .help = "only this span, as start,stop in seconds, or 10%-20%; several may be given",
     .store = set<&O::times>,
     .group = kCounted},
    {.name = "time-quantum",
     .value = Value::Required,
     .metavar = "time (ms|us|ns|s)",
     .help = "length of the steps of the sort key 'time' (default: 100ms)",
     .store = set<&O::time_quantum>,
     .group = kCounted},
    {.name = "socket-filter",
     .value = Value::Required,
     .metavar = "n",
     .help = "only samples that this processor socket took",
     .store = set<&O::socket>,
     .group = kCounted},
    {.name = "parallelism",
     .value = Value::Required,
     .metavar = "n[,n-n...]",
     .help = "only samples beside which so many threads run, themselves included",
     .store = set<&O::parallelisms>,
     .group = kCounted,
     .since = Since::Ours},
    {.name = "switch-on",
     .value = Value::Required,
     .metavar = "event",
     .help = "count nothing before an event of this name",
     .store = set<&O::switching, &SwitchOptions::on>,
     .group = kCounted},
    {.name = "switch-off",
     .value = Value::Required,
     .metavar = "event",
     .help = "count nothing from an event of this name on",
     .store = set<&O::switching, &SwitchOptions::off>,
     .group = kCounted},
    {.name = "show-on-off-events",
     .help = "count the events of --switch-on and --switch-off, too",
     .store = set<&O::switching, &SwitchOptions::show>,
     .group = kCounted},
    {.name = "parent",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "regex",
     .help = "what the sort key 'parent' looks for in call chains",
     .store = set<&O::parent>,
     .group = kCounted},
    {.name = "exclude-other",
     .letter = 'x',
     .help = "leave out samples without such a parent",
     .store = set<&O::exclude_other>,
     .group = kCounted},
    {.name = "ignore-callees",
     .value = Value::Required,
     .metavar = "regex",
     .help = "count what these functions call as theirs",
     .store = set<&O::ignore_callees>,
     .group = kCounted},
    {.name = "hide-unresolved",
     .letter = 'U',
     .help = "leave out addresses without a symbol",
     .store = set<&O::hide_unresolved>,
     .group = kCounted},
    {.name = "max-stack",
     .value = Value::Required,
     .metavar = "n",
     .help = "use this many frames of each call chain (default: kernel.perf_event_max_stack, or 127)",
     .store = set<&O::max_stack>,
     .group = kCounted},

    // Accepted: they change what is not there yet, or nothing that text shows.
    {.name = "inline",
     .help = "name inlined functions in call chains (done; --no-inline does not)",
     .store = set<&O::inlined>},
    {.name = "addr2line",
     .value = Value::Required,
     .metavar = "PROGRAM",
     .help = "accepted: source lines need no other program",
     .store = call<accept>},
    {.name = "source", .help = "put source lines between the assembly", .store = call<accept>},
    {.name = "asm-raw", .help = "show the bytes of instructions", .store = call<accept>},
    {.name = "stdio-color",
     .value = Value::Required,
     .metavar = "mode",
     .help = "colours: always, never or auto",
     .store = call<accept>},
    {.name = "ignore-vmlinux", .help = "do not look for a kernel image", .store = call<accept>},
    {.name = "modules",
     .letter = 'm',
     .help = "with -k: symbols of the modules that are loaded now",
     .store = call<accept>},
    {.name = "disable-order", .help = "take records in the order of the file", .store = call<accept>},
    {.name = "ns", .help = "times to the nanosecond", .store = call<accept>},
    {.name = "pretty",
     .value = Value::Required,
     .metavar = "key",
     .help = "style of printing: normal or raw",
     .store = call<accept>},
    {.name = "raw-trace",
     .help = "tracepoints' fields without their print formats",
     .store = set<&ReportOptions::raw_trace>},
    {.name = "full-source-path", .help = "whole paths of source files", .store = set<&O::full_source_path>},
    {.name = "objdump",
     .value = Value::Required,
     .metavar = "path",
     .help = "the objdump that disassembles",
     .store = call<accept>},
    {.name = "disassembler-style",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "disassembler style",
     .help = "dialect of the assembly: intel, att",
     .store = call<accept>},
    {.name = "percent-type",
     .value = Value::Required,
     .metavar = "local-period",
     .help = "what percentages of annotated lines are of: local-period, local-hits, global-period, global-hits",
     .store = call<check_percent_type>},
    {.name = "prefix",
     .value = Value::Required,
     .metavar = "prefix",
     .help = "put this before source paths",
     .store = set<&O::source_prefix>},
    {.name = "prefix-strip",
     .value = Value::Required,
     .metavar = "N",
     .help = "with --prefix: drop this many leading folders first",
     .store = set<&O::source_prefix_strip>},
    {.name = "samples",
     .value = Value::Required,
     .metavar = "n",
     .help = "keep this many samples of each row for browsing",
     .store = set<&O::browsed_samples>},
    {.name = "itrace",
     .value = Value::Sticky,
     .metavar = "opts",
     .help = "what to make of instruction traces: of recordings that hold none, nothing",
     .store = call<ask_traces>,
     .implied = ""},
    {.name = "stitch-lbr",
     .help = "join branch records of neighbouring samples into longer chains",
     .store = set<&O::stitch_lbr>},
    {.name = "tui", .help = "the interactive screen (the default on a terminal)", .store = set<&O::tui>},

    {.name = "branch-stack",
     .letter = 'b',
     .help = "count the branches of branch stacks instead of samples (default: where the recording has them)",
     .store = set<&O::branches>},
    {.name = "mem-mode",
     .help = "accesses of data, as mem record takes them: what they hit, and what they cost",
     .store = set<&O::memory>},
    {.name = "total-cycles",
     .help = "blocks of code between two branches, by the cycles that branch stacks give them",
     .store = set<&O::total_cycles>},
    // Known by name, not built yet.
    {.name = "branch-history", .help = "put the branch records into the call chains"},
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
    .summary = "Show where a recording's samples are",
    .usage = kUsage,
    .options = kOptions,
    .paging = Paging::ToTerminal,
    .takes_screen = screen<ReportOptions, wants_screen>,
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
