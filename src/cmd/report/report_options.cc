#include "cmd/report/report_options.h"

#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/row/graph_options.h"
#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/joined.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/report/browse.h"
#include "cmd/report/report_rows.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/export/output_format.h"
#include "session/recording/sample_choice.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {

namespace {

Result<> choose_butterfly(ReportOptions& options, const Use& use) {
  const Use named{
      .option = use.option, .value = "butterfly", .has_value = true, .negated = use.negated, .spelled = use.spelled};
  return set_format<FormatUser::Report>(options, named);
}

Result<> set_report_graph(ReportOptions& options, const Use& use) {
  options.request.chains.graph_given = !use.negated;
  if (use.negated) {
    options.request.chains.graph.mode = GraphMode::None;
    return {};
  }
  return parse_graph_options(use.value, options.request.chains.graph);
}

Result<> set_report_group(ReportOptions& options, const Use& use) {
  options.request.grouping.group = !use.negated;
  options.request.grouping.group_given = true;
  return {};
}

}  // namespace

Result<u32> parse_group_member(std::string_view value) {
  if (const auto index = parse_number<int>(value)) return static_cast<u32>(*index);
  return fail(ErrorKind::Usage, "invalid --group-sort-idx '{}': must be a number", value);
}

Result<ColorMode> color_mode_of(const Use& use) {
  static constexpr std::pair<std::string_view, ColorMode> kModes[] = {
      {"always", ColorMode::Always}, {"never", ColorMode::Never}, {"auto", ColorMode::Auto}};
  for (const auto& [word, mode] : kModes)
    if (word == (use.negated ? "never" : use.value)) return mode;
  return fail(ErrorKind::Usage, "invalid --stdio-color '{}': must be always, never or auto", use.value);
}

Result<double> limit_of(const Use& use) {
  if (use.negated) return 0.0;
  if (const auto limit = parse_percent(use.value)) return *limit;
  return fail(ErrorKind::Usage, "invalid --percent-limit '{}': must be a percentage", use.value);
}

Result<> set_percent_limit(ReportOptions& options, const Use& use) {
  const auto limit = limit_of(use);
  if (!limit) return std::unexpected(limit.error());
  options.request.look.percent_limit = *limit;
  options.request.chains.graph.least_percent = use.negated ? GraphOptions().least_percent : *limit;
  return {};
}

namespace {

Result<> ask_report_traces(ReportOptions& options, const Use& use) {
  return options.traces.take(use.value, use.negated);
}

constexpr Option kWhereAndShown[] = {
    in(kFilesGroup, kInputRow<&ReportOptions::input>),
    in(kFilesGroup, kForceRow<&ReportOptions::symbols, &SymbolOptions::force>),
    in(kFilesGroup, kVmlinuxRow<&ReportOptions::symbols, &SymbolOptions::vmlinux>),
    in(kFilesGroup, kKallsymsRow<&ReportOptions::symbols, &SymbolOptions::kallsyms>),
    in(kFilesGroup, kDebuginfodRow<&ReportOptions::symbols, &SymbolOptions::servers>),
    in(kFilesGroup, kSymfsRow<&ReportOptions::symbols, &SymbolOptions::symfs>),
    in(kFilesGroup, kDemangleRow<&ReportOptions::symbols, &SymbolOptions::demangle>),
    in(kFilesGroup, kDemangleKernelRow<&ReportOptions::symbols, &SymbolOptions::demangle_kernel>),
    in(kFilesGroup, kStrippedFunctionsRow<&ReportOptions::symbols, &SymbolOptions::stripped_functions>),
    {.name = "sort",
     .letter = 's',
     .value = Value::Required,
     .metavar = "key[,key2...]",
     .help = "group and sort rows by these keys: {words}, and tracepoint fields: next_comm, switch.prev_state/raw, "
             "trace_fields; +key adds a key to the default",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::sort>,
     .group = kShownGroup,
     .words = column_words},
    {.name = "fields",
     .letter = 'F',
     .value = Value::Required,
     .metavar = "key[,keys...]",
     .help = "show these columns from left to right, with the keys of --sort",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::fields>,
     .group = kShownGroup,
     .words = column_words},
    {.name = "call-graph",
     .letter = 'g',
     .value = Value::NextWord,
     .metavar = "print_type,threshold[,print_limit],order,sort_key[,branch],value",
     .help = "print call chains in this form: graph, flat, fractal, folded or none; minimum percentage of a branch; "
             "maximum "
             "branches per row; caller or callee order; function or address; percent, period or count. Default: "
             "graph,0.5,caller,function,percent",
     .store = call<set_report_graph>,
     .implied = "graph,0.5,caller,function,percent",
     .group = kShownGroup,
     .words =
         [] {
           return std::vector<std::string_view>{"graph",  "flat",     "fractal", "folded",  "none",   "caller",
                                                "callee", "function", "address", "percent", "period", "count"};
         }},
    {.name = "inverted",
     .letter = 'G',
     .help = "print call chains from caller to callee (-g ...,caller)",
     .store = set<&ReportOptions::request, &ReportRequest::chains, &ChainRequest::inverted>,
     .group = kShownGroup},
    {.name = "children",
     .help = "charge samples to callers too, and show both sums (--no-children: self only)",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::children>,
     .group = kShownGroup},
    {.name = "show-nr-samples",
     .letter = 'n',
     .help = "add a column: number of samples",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::show_samples>,
     .group = kShownGroup},
    {.name = "show-total-period",
     .help = "add a column: sum of periods",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::show_period>,
     .group = kShownGroup},
    {.name = "show-cpu-utilization",
     .help = "add columns: overhead in the kernel, in user space and in guests",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::show_cpu_utilization>,
     .group = kShownGroup},
    {.name = "showcpuutilization",
     .help = "same as --show-cpu-utilization",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::show_cpu_utilization>,
     .group = kShownGroup},
    {.name = "latency",
     .help = "sort by latency, the share of wall-clock time: each sample is divided by the number of running threads; "
             "needs context switches (record --switch-events)",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::latency>,
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "hierarchy",
     .letter = 'H',
     .help = "show rows as a tree, one level per sort key or group of keys: -s {comm,dso},sym",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::hierarchy>,
     .group = kShownGroup},
    {.name = "threads",
     .letter = 'T',
     .help = "print the counts of each thread, as stored by record -s",
     .store = set<&ReportOptions::request, &ReportRequest::thread_counts>,
     .group = kShownGroup},
    {.name = "group",
     .help = "show the events of a group in one table",
     .store = call<set_report_group>,
     .group = kShownGroup},
    {.name = "percent-limit",
     .value = Value::Required,
     .metavar = "percent",
     .help = "hide rows below this percentage",
     .store = call<set_percent_limit>,
     .group = kShownGroup},
    in(kShownGroup, kPercentageRow<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::relative>),
    {.name = "symbol-filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "show only symbols with this text in the name",
     .store = set<&ReportOptions::request, &ReportRequest::look, &ReportLook::symbol_filter>,
     .group = kShownGroup},
    {.name = "skip-empty",
     .help = "hide events without samples",
     .store = set<&ReportOptions::request, &ReportRequest::look, &ReportLook::skip_empty>,
     .group = kShownGroup},
    {.name = "field-separator",
     .letter = 't',
     .value = Value::Required,
     .metavar = "separator",
     .help = "separate columns by this character, without padding; in names it becomes a dot",
     .store = set<&ReportOptions::request, &ReportRequest::look, &ReportLook::separator>,
     .group = kShownGroup},
    {.name = "column-widths",
     .letter = 'w',
     .value = Value::Required,
     .metavar = "width[,width...]",
     .help = "set column widths (default: fit the content)",
     .store = set<&ReportOptions::request, &ReportRequest::look, &ReportLook::column_widths>,
     .group = kShownGroup},
    {.name = "header",
     .help = "also print the recording's header",
     .store = set<&ReportOptions::header>,
     .group = kShownGroup},
    {.name = "header-only",
     .help = "print only the recording's header",
     .store = set<&ReportOptions::header_only>,
     .group = kShownGroup},
    {.name = "show-info",
     .letter = 'I',
     .help = "also print the long parts of the header",
     .store = set<&ReportOptions::info>,
     .group = kShownGroup},
    {.name = "stats",
     .help = "count the records of each type",
     .store = set<&ReportOptions::stats>,
     .group = kShownGroup},
    {.name = "tasks",
     .help = "print the recorded processes and threads as a tree",
     .store = set<&ReportOptions::tasks>,
     .group = kShownGroup},
    {.name = "mmaps",
     .help = "print the recorded processes and their memory maps as a tree",
     .store = set<&ReportOptions::mmaps>,
     .group = kShownGroup},
    {.name = "symbols-report",
     .help = "list where each binary's symbols come from, and why samples have no symbol",
     .store = set<&ReportOptions::symbols_report>,
     .group = kShownGroup,
     .since = Since::Ours},
};

constexpr Option kShownAndCounted[] = {
    {.name = "butterfly",
     .help = "show each function between its callers and callees, with its total and self",
     .store = call<choose_butterfly>,
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "format",
     .value = Value::Required,
     .metavar = "name[,word...]",
     .help = "write rows as csv, json or jsonl, or a profile for other tools: folded, speedscope, pprof, callgrind, "
             "gprof, firefox, chrome (docs/formats.md)",
     .store = call<set_format<FormatUser::Report, ReportOptions>>,
     .group = kShownGroup,
     .since = Since::Ours,
     .words = words_of_formats<FormatUser::Report>},
    in(kShownGroup, kOutputRow<&ReportOptions::format, &OutputFormat::output>),
    in(kShownGroup, kCsvSafeRow<&ReportOptions::format>),
    {.name = "quiet",
     .letter = 'q',
     .help = "print only the table",
     .store = set<&ReportOptions::request, &ReportRequest::look, &ReportLook::quiet>,
     .group = kShownGroup},
    {.name = "verbose",
     .letter = 'v',
     .help = "show addresses and symbol origins (-vv: more)",
     .store = count<&ReportOptions::verbose>,
     .group = kShownGroup},
    {.name = "group-sort-idx",
     .value = Value::Required,
     .metavar = "n",
     .help = "sort by event N of the group (0: the leader)",
     .store =
         set_parsed<parse_group_member, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::sort_member>,
     .group = kShownGroup},
    in(kShownGroup, kDumpRawTraceRow<&ReportOptions::dump>),
    {.name = "show-ref-call-graph",
     .help = "mark events recorded with call-graph=no in their heading",
     .store = set<&ReportOptions::request, &ReportRequest::look, &ReportLook::show_reference>,
     .group = kShownGroup},
    {.name = "stdio",
     .help = "print plain text, even on a terminal",
     .store = set<&ReportOptions::stdio>,
     .group = kShownGroup},
    {.name = "comms",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "comm[,comm...]",
     .help = "use only samples of these programs",
     .store = set<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::comms>,
     .group = kCountedGroup},
    in(kCountedGroup, kDsosRow<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::dsos>),
    in(kCountedGroup, kSymbolsRow<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::symbols>),
    in(kCountedGroup, kPidRow<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::pids>),
    in(kCountedGroup, kTidRow<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::tids>),
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "use only samples from these CPUs: 0-3,8",
     .store = set<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::cpus>,
     .group = kCountedGroup},
    in(kCountedGroup, kTimeRow<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::times>),
    {.name = "time-quantum",
     .value = Value::Required,
     .metavar = "time (ms|us|ns|s)",
     .help = "set the time step of the sort key 'time' (default: 100ms)",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::time_quantum>,
     .group = kCountedGroup},
    {.name = "socket-filter",
     .value = Value::Required,
     .metavar = "n",
     .help = "use only samples from this processor socket",
     .store = set<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::socket>,
     .group = kCountedGroup},
    {.name = "parallelism",
     .value = Value::Required,
     .metavar = "n[,n-n...]",
     .help = "use only samples taken while N threads ran, including the sampled one",
     .store = set<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::parallelisms>,
     .group = kCountedGroup,
     .since = Since::Ours},
    {.name = "switch-on",
     .value = Value::Required,
     .metavar = "event",
     .help = "start counting at this event",
     .store = set<&ReportOptions::switching, &SwitchedEvents::on>,
     .group = kCountedGroup},
    {.name = "switch-off",
     .value = Value::Required,
     .metavar = "event",
     .help = "stop counting at this event",
     .store = set<&ReportOptions::switching, &SwitchedEvents::off>,
     .group = kCountedGroup},
    {.name = "show-on-off-events",
     .help = "also count the --switch-on and --switch-off events",
     .store = set<&ReportOptions::switching, &SwitchedEvents::show>,
     .group = kCountedGroup},
    {.name = "parent",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "regex",
     .help = "use this regular expression to find the callers shown by the sort key 'parent'",
     .store = set<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::parent>,
     .group = kCountedGroup},
    {.name = "exclude-other",
     .letter = 'x',
     .help = "omit samples that do not match --parent",
     .store = set<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::exclude_other>,
     .group = kCountedGroup},
    {.name = "ignore-callees",
     .value = Value::Required,
     .metavar = "regex",
     .help = "charge callees to these functions",
     .store = set<&ReportOptions::request, &ReportRequest::chains, &ChainRequest::ignore_callees>,
     .group = kCountedGroup},
    {.name = "hide-unresolved",
     .letter = 'U',
     .help = "omit addresses without a symbol",
     .store = set<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::hide_unresolved>,
     .group = kCountedGroup},
    {.name = "no-idle",
     .help = "omit samples in the kernel's idle functions",
     .store = set<&ReportOptions::request, &ReportRequest::selection, &SampleSelection::hide_idle>,
     .group = kCountedGroup,
     .since = Since::Ours},
    {.name = "max-stack",
     .value = Value::Required,
     .metavar = "n",
     .help = "use at most N frames of each call chain (default: kernel.perf_event_max_stack, or 127)",
     .store = set<&ReportOptions::request, &ReportRequest::chains, &ChainRequest::max_stack>,
     .group = kCountedGroup},
};

constexpr Option kOtherOptions[] = {
    {.name = "itrace",
     .value = Value::Sticky,
     .metavar = "opts",
     .help = kItraceHelp,
     .store = call<ask_report_traces>,
     .implied = ""},
    kStitchLbrRow<&ReportOptions::request, &ReportRequest::chains, &ChainRequest::stitch_branches>,
    kAccessingRow<&ReportOptions::request, &ReportRequest::accessing>,
    kTuiRow<&ReportOptions::tui>,

    {.name = "branch-stack",
     .letter = 'b',
     .help = "count the branches of branch stacks instead of samples (default if recorded)",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::branches>},
    {.name = "mem-mode",
     .help = "show memory accesses (from mem record): what they hit, and their cost",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::memory>},
    {.name = "total-cycles",
     .help = "show blocks of code between branches, by cycles from branch stacks",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::total_cycles>},
    {.name = "branch-history",
     .help = "add to call chains the branches that led to each sample (from branch stacks)",
     .store = set<&ReportOptions::request, &ReportRequest::chains, &ChainRequest::branch_history>},
};

constexpr auto kReportOptions =
    joined(kWhereAndShown, kReportPictureRows, kShownAndCounted, kReportCodeRows, kOtherOptions);

constexpr std::string_view kReportUsage[] = {"[<options>]"};
constexpr std::string_view kReportExamples[] = {
    "perf report|the hottest functions in perf.data, with call chains",
    "perf report --no-children -g none -s comm,dso|libraries per program",
    "perf report --flamegraph flame.svg|a flame graph for a browser",
};

}  // namespace

constinit const Command kReport{
    .name = "report",
    .summary = "Show the profile in a recording: hottest functions, call chains",
    .usage = kReportUsage,
    .options = kReportOptions,
    .paging = Paging::ToTerminal,
    .takes_screen = screen<ReportOptions, wants_screen>,
    .description =
        "Groups the samples of a recording by program, library and function, and shows each group's share, largest "
        "first. With call chains, a tree of callers or callees follows each row. On a terminal, it opens an "
        "interactive screen; --stdio prints text instead.",
    .examples = kReportExamples,
    .run = entry<ReportOptions, opening<ReportOptions, confined<ReportOptions, report>>>,
};

ReaderNeeds needs_of(const ReportOptions& options, const Invocation& call) {
  ReaderNeeds needs{.inputs = {options.input},
                    .outputs = {options.format.output},
                    .screen = wants_screen(options) && has_screen(call)};
  add_picture_needs(options.pictures, needs);
  // Screens and pages show instructions, which are needed to find data types.
  const auto has_types = [](const std::optional<std::string>& keys) { return keys && keys->contains("typ"); };
  needs.kernel_code = needs.screen || options.pictures.page() || options.traces.requested ||
                      has_types(options.request.grouping.sort) || has_types(options.request.grouping.fields);
  return needs;
}

ReportOptions ReportOptions::settled(const Config& config) const {
  ReportOptions options = *this;
  options.request.whole_stacks = format.is_profile();
  options.request.samples_only = stats || symbols_report;
  options.request.look.parameters = options.symbols.parameters = verbose > 0;
  choose_sides(options.request.selection, config);
  options.pictures.inverted = request.chains.inverted;
  return options;
}

}  // namespace peregrine::cmd
