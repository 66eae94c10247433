#include "cmd/top/top_options.h"

#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/row/graph_options.h"
#include "base/result.h"
#include "base/text/words.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/record/record_choice.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/recording_rows.h"
#include "event/config/callgraph.h"
#include "event/config/record_config.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/synthesis.h"
#include "session/record/record_request.h"
#include "session/recording/sample_choice.h"
#include "session/report/report_request.h"
#include "sys/process/user.h"

namespace peregrine::cmd {

namespace {

// Rows that set a member in a part of the recording's request.
template <auto Member>
constexpr Store kSetTopTarget =
    set<&TopOptions::record, &RecordCommandOptions::request, &RecordRequest::target, Member>;
template <auto... Members>
constexpr Store kSetTopRecording =
    set<&TopOptions::record, &RecordCommandOptions::request, &RecordRequest::recording, Members...>;
template <auto... Members>
constexpr Store kSetTopConfig = kSetTopRecording<&RecordingRequest::config, Members...>;

// The same option as in record or report.
template <auto Function>
Result<> as_record(TopOptions& options, const Use& use) {
  return Function(options.record, use);
}
template <auto Function>
Result<> as_report(TopOptions& options, const Use& use) {
  return Function(options.report, use);
}

Result<> accept_top_program(TopOptions&, const Use&) { return {}; }
Result<> want_chains(TopOptions& options, const Use& use) {
  if (use.negated) options.report.request.chains.graph.mode = GraphMode::None;
  return want_callgraph(options.record, use);
}

Result<> show_idle(TopOptions& options, const Use& use) {
  options.report.request.selection.hide_idle = use.negated;
  return {};
}

bool is_number(std::string_view word) { return !word.empty() && word.find_first_not_of("0123456789") == word.npos; }

// The first keywords choose how call chains are recorded, the others how they are shown:
// "dwarf,4096,graph,0.5,caller".
Result<> choose_chains(TopOptions& options, const Use& use) {
  if (use.negated) return want_chains(options, use);
  std::string taken, shown;
  for (const std::string& word : split_words(use.value)) {
    const bool mode = taken.empty() && shown.empty() && (word == "fp" || word == "dwarf" || word == "lbr");
    const bool size = taken == "dwarf" && shown.empty() && is_number(word);
    std::string& list = mode || size ? taken : shown;
    list += (list.empty() ? "" : ",") + word;
  }
  if (!shown.empty()) PEREGRINE_TRY(parse_graph_options(shown, options.report.request.chains.graph));
  Use part = use;
  part.value = taken;
  return taken.empty() ? want_callgraph(options.record, part) : choose_callgraph(options.record, part);
}

constexpr std::string_view kWho = "Targets", kWhat = "Events and sampling";

constexpr Option kTopOptions[] = {
    {.name = "all-cpus",
     .letter = 'a',
     .help = "sample all CPUs (default)",
     .store = kSetTopTarget<&TargetRequest::system_wide>,
     .group = kWho},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "sample these CPUs: 0,2-3",
     .store = kSetTopTarget<&TargetRequest::cpus>,
     .group = kWho},
    {.name = "pid",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "pid",
     .help = "sample these processes and their future threads (comma-separated)",
     .store = kSetTopTarget<&TargetRequest::pids>,
     .group = kWho},
    {.name = "tid",
     .letter = 't',
     .value = Value::Required,
     .metavar = "tid",
     .help = "sample only these threads (comma-separated)",
     .store = kSetTopTarget<&TargetRequest::tids>,
     .group = kWho},
    {.name = "uid",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "user",
     .help = "sample the processes of this user",
     .store = set_parsed<&user_number, &TopOptions::record, &RecordCommandOptions::request, &RecordRequest::target,
                         &TargetRequest::user>,
     .group = kWho},
    {.name = "cgroup",
     .letter = 'G',
     .value = Value::Required,
     .metavar = "name",
     .help = "sample the preceding events only in this cgroup (comma-separated: one per event)",
     .store = call<&as_record<&choose_cgroups>>,
     .group = kWho},
    {.name = "no-inherit",
     .letter = 'i',
     .help = "do not follow children",
     .store = call<&as_record<&no_inherit>>,
     .group = kWho},
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "sample these events (see `list`); may be repeated",
     .store = call<&as_record<&add_events>>,
     .group = kWhat},
    {.name = "pfm-events",
     .value = Value::Required,
     .metavar = "event",
     .help = "sample these events, in libpfm4 syntax: NAME:MASK:u:c=1,...; may be repeated",
     .store = call<&as_record<&add_pfm_events>>,
     .group = kWhat},
    {.name = "filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "filter the preceding -e, by tracepoint fields or by samples",
     .store = call<&as_record<&add_filter>>,
     .group = kWhat},
    {.name = "freq",
     .letter = 'F',
     .value = Value::Required,
     .metavar = "freq or 'max'",
     .help = "take this many samples per second and CPU (default: 4000; max: the kernel's limit); warn and use the "
             "limit if it is lower",
     .store = call<&as_record<&choose_frequency>>,
     .group = kWhat},
    {.name = "count",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "n",
     .help = "sample every n-th event",
     .store = kSetTopConfig<&RecordConfig::sampling, &SamplingRequest::period>,
     .group = kWhat},
    {.name = "group",
     .help = "put all events into one group, led by the first, with shared rows",
     .store = kSetTopConfig<&RecordConfig::sampling, &SamplingRequest::group>,
     .group = kWhat},
    {.letter = 'g', .help = "record call chains, by frame pointers", .store = call<&want_chains>, .group = kWhat},
    {.name = "call-graph",
     .value = Value::Required,
     .metavar = "record_mode[,record_size],print_type,threshold[,print_limit],order,sort_key[,branch]",
     .help = "record call chains (fp, dwarf, lbr; see record) and show them in this form (see report); default: "
             "fp,graph,0.5,caller,function",
     .store = call<&choose_chains>,
     .group = kWhat,
     .words =
         [] {
           return std::vector<std::string_view>{"fp",      "dwarf",  "lbr",    "graph",    "flat",
                                                "fractal", "caller", "callee", "function", "address"};
         }},
    {.name = "branch-any",
     .letter = 'b',
     .help = "count taken branches",
     .store = call<&as_record<&any_branch>>,
     .group = kWhat},
    {.name = "branch-history",
     .help = "add the branches that led to a sample to its call chain",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::chains, &ChainRequest::branch_history>,
     .group = kWhat},
    {.name = "branch-filter",
     .letter = 'j',
     .value = Value::Required,
     .metavar = "branch filter mask",
     .help = "count these taken branches: any, any_call, any_ret, ind_call, cond, u, k, ...",
     .store = call<&as_record<&choose_branches>>,
     .group = kWhat,
     .words =
         [] {
           return std::vector<std::string_view>{"any",  "any_call", "any_ret", "ind_call", "ind_jmp", "cond",
                                                "call", "stack",    "u",       "k",        "hv",      "save_type"};
         }},
    {.name = "mmap-pages",
     .letter = 'm',
     .value = Value::Required,
     .metavar = "pages",
     .help = "set the size of each ring buffer: pages, or bytes with suffix B, K, M or G",
     .store = call<&as_record<&choose_ring_size>>,
     .group = kWhat},
    {.name = "overwrite",
     .help = "let new records overwrite the oldest: keeps the latest samples, may miss new processes",
     .store = kSetTopConfig<&RecordConfig::sampling, &SamplingRequest::overwrite>,
     .group = kWhat},
    {.name = "realtime",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "n",
     .help = "read ring buffers at this real-time priority (SCHED_FIFO)",
     .store = kSetTopRecording<&RecordingRequest::rings, &RingRequest::real_time_priority>,
     .group = kWhat},
    {.name = "no-bpf-event",
     .help = "do not record loads and unloads of BPF programs",
     .store = call<&as_record<&no_bpf_event>>,
     .group = kWhat},
    {.name = "namespaces",
     .help = "record the namespaces of processes",
     .store = kSetTopConfig<&RecordConfig::side_band, &SideBandRequest::namespaces>,
     .group = kWhat},
    {.name = "all-cgroups",
     .help = "record the cgroup of each sample, for the cgroup key",
     .store = kSetTopConfig<&RecordConfig::side_band, &SideBandRequest::cgroups>,
     .group = kWhat},
    {.name = "num-thread-synthesize",
     .value = Value::Required,
     .metavar = "n",
     .help = "read /proc with n threads at the start (default: one per CPU)",
     .store = kSetTopRecording<&RecordingRequest::synthesis, &SynthesisRequest::threads>,
     .group = kWhat},
    {.name = "proc-map-timeout",
     .value = Value::Required,
     .metavar = "n",
     .help = "give up reading a process's maps after n ms (default: never)",
     .store = kSetTopRecording<&RecordingRequest::synthesis, &SynthesisRequest::map_timeout_ms>,
     .group = kWhat},
    {.name = "delay",
     .letter = 'd',
     .value = Value::Required,
     .metavar = "n",
     .help = "refresh every n seconds (default: 2)",
     .store = set<&TopOptions::settings, &LiveSettings::delay>,
     .group = kShownGroup},
    in(kWhat, kTimeoutRow<&TopOptions::record, &RecordCommandOptions::request, &RecordRequest::recording,
                          &RecordingRequest::run, &RunRequest::duration>),
    {.name = "entries",
     .letter = 'E',
     .value = Value::Required,
     .metavar = "n",
     .help = "show n rows (default: as many as fit on the screen)",
     .store = set<&TopOptions::settings, &LiveSettings::entries>,
     .group = kShownGroup},
    {.name = "count-filter",
     .letter = 'f',
     .value = Value::Required,
     .metavar = "n",
     .help = "show only rows with more than n samples",
     .store = set<&TopOptions::settings, &LiveSettings::least_samples>,
     .group = kShownGroup},
    {.name = "hide_kernel_symbols",
     .letter = 'K',
     .help = "hide kernel functions",
     .store = set<&TopOptions::settings, &LiveSettings::hide_kernel>,
     .group = kShownGroup},
    {.name = "idle",
     .help = "also show the kernel's idle functions",
     .store = call<show_idle>,
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "hide_user_symbols",
     .letter = 'U',
     .help = "hide user-space functions",
     .store = set<&TopOptions::settings, &LiveSettings::hide_user>,
     .group = kShownGroup},
    {.name = "zero",
     .letter = 'z',
     .help = "reset counts at each refresh",
     .store = set<&TopOptions::settings, &LiveSettings::zero>,
     .group = kShownGroup},
    {.name = "sort",
     .letter = 's',
     .value = Value::Required,
     .metavar = "key[,key2...]",
     .help = "group rows by these keys of report --sort (default: dso,symbol)",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::sort>,
     .group = kShownGroup,
     .words = column_words},
    {.name = "fields",
     .value = Value::Required,
     .metavar = "key[,keys...]",
     .help = "show these columns from left to right, with the keys of --sort",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::fields>,
     .group = kShownGroup,
     .words = column_words},
    {.name = "show-nr-samples",
     .letter = 'n',
     .help = "add a column with the number of samples",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::show_samples>,
     .group = kShownGroup},
    {.name = "show-total-period",
     .help = "add a column with the sum of periods",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::show_period>,
     .group = kShownGroup},
    {.name = "children",
     .help = "with call chains: also charge callees to their callers (default)",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::children>,
     .group = kShownGroup},
    {.name = "max-stack",
     .value = Value::Required,
     .metavar = "n",
     .help = "use only n frames of a call chain (default: 127)",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::chains, &ChainRequest::max_stack>,
     .group = kShownGroup},
    {.name = "ignore-callees",
     .value = Value::Required,
     .metavar = "regex",
     .help = "charge callees to these functions",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::chains, &ChainRequest::ignore_callees>,
     .group = kShownGroup},
    {.name = "stitch-lbr",
     .help = "with --call-graph lbr: complete call chains from earlier samples",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::chains, &ChainRequest::stitch_branches>,
     .group = kShownGroup},
    {.name = "dsos",
     .value = Value::Required,
     .metavar = "dso[,dso...]",
     .help = "use only samples in these libraries and programs",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::selection, &SampleSelection::dsos>,
     .group = kShownGroup},
    {.name = "comms",
     .value = Value::Required,
     .metavar = "comm[,comm...]",
     .help = "use only samples of these programs",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::selection, &SampleSelection::comms>,
     .group = kShownGroup},
    {.name = "symbols",
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "use only samples in these functions",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::selection, &SampleSelection::symbols>,
     .group = kShownGroup},
    in(kShownGroup,
       kPercentageRow<&TopOptions::report, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::relative>),
    {.name = "percent-limit",
     .value = Value::Required,
     .metavar = "percent",
     .help = "hide rows below this percentage",
     .store = call<&as_report<&set_percent_limit>>,
     .group = kShownGroup},
    {.name = "column-widths",
     .letter = 'w',
     .value = Value::Required,
     .metavar = "width[,width...]",
     .help = "set column widths; 0: as wide as necessary",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::look, &ReportLook::column_widths>,
     .group = kShownGroup},
    {.name = "group-sort-idx",
     .value = Value::Required,
     .metavar = "n",
     .help = "sort by event n of the group",
     .store = set_parsed<parse_group_member, &TopOptions::report, &ReportOptions::request, &ReportRequest::grouping,
                         &RowGrouping::sort_member>,
     .group = kShownGroup},
    {.name = "hierarchy",
     .letter = 'H',
     .help = "show rows as a tree, with a level per sort key",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::hierarchy>,
     .group = kShownGroup},
    {.name = "raw-trace",
     .help = "show raw tracepoint fields instead of formatted text",
     .store = set<&TopOptions::report, &ReportOptions::request, &ReportRequest::grouping, &RowGrouping::raw_trace>,
     .group = kShownGroup},
    {.name = "switch-on",
     .value = Value::Required,
     .metavar = "event",
     .help = "ignore samples before this event",
     .store = set<&TopOptions::report, &ReportOptions::switching, &SwitchedEvents::on>,
     .group = kShownGroup},
    {.name = "switch-off",
     .value = Value::Required,
     .metavar = "event",
     .help = "ignore samples after this event",
     .store = set<&TopOptions::report, &ReportOptions::switching, &SwitchedEvents::off>,
     .group = kShownGroup},
    {.name = "show-on-off-events",
     .help = "also count the --switch-on and --switch-off events",
     .store = set<&TopOptions::report, &ReportOptions::switching, &SwitchedEvents::show>,
     .group = kShownGroup},
    {.name = "stdio",
     .help = "print plain text, line by line",
     .store = set<&TopOptions::report, &ReportOptions::stdio>,
     .group = kShownGroup},
    in(kShownGroup, kTuiRow<&TopOptions::report, &ReportOptions::tui>),
    {.name = "sym-annotate",
     .value = Value::Required,
     .metavar = "symbol name",
     .help = "show the annotated code of this function below the rows",
     .store = set<&TopOptions::settings, &LiveSettings::annotated>,
     .group = kShownGroup},
    {.name = "disassembler-style",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "disassembler style",
     .help = "use this syntax in annotated code: att or intel",
     .store = set<&TopOptions::disassembler_style>,
     .group = kShownGroup,
     .words = [] { return std::vector<std::string_view>{"att", "intel"}; }},
    {.name = "asm-raw",
     .help = "show instruction bytes in annotated code",
     .store = set<&TopOptions::code_bytes>,
     .group = kShownGroup},
    {.name = "source",
     .help = "show source lines in annotated code (default)",
     .store = set<&TopOptions::source>,
     .group = kShownGroup},
    {.name = "prefix",
     .value = Value::Required,
     .metavar = "prefix",
     .help = "prepend this to the recorded source paths",
     .store = set<&TopOptions::report, &ReportOptions::source_prefix>,
     .group = kFilesGroup},
    {.name = "prefix-strip",
     .value = Value::Required,
     .metavar = "N",
     .help = "with --prefix: first remove N leading folders from the recorded paths",
     .store = set<&TopOptions::report, &ReportOptions::source_prefix_strip>,
     .group = kFilesGroup},
    {.name = "addr2line",
     .value = Value::Required,
     .metavar = "path",
     .help = "accepted and ignored: source lines need no external program",
     .store = call<accept_top_program>,
     .group = kFilesGroup,
     .since = Since::Ours},
    {.name = "objdump",
     .value = Value::Required,
     .metavar = "path",
     .help = "disassemble annotated code with this objdump",
     .store = set<&TopOptions::objdump>,
     .group = kFilesGroup},
    in(kFilesGroup, kVmlinuxRow<&TopOptions::report, &ReportOptions::symbols, &SymbolOptions::vmlinux>),
    {.name = "ignore-vmlinux",
     .help = "accepted and ignored: a kernel image is used only with -k",
     .store = set<&TopOptions::ignore_vmlinux>,
     .group = kFilesGroup},
    in(kFilesGroup, kKallsymsRow<&TopOptions::report, &ReportOptions::symbols, &SymbolOptions::kallsyms>),
    {.name = "demangle-kernel",
     .help = "show the kernel's C++ and Rust names as written in source",
     .store = set<&TopOptions::report, &ReportOptions::symbols, &SymbolOptions::demangle_kernel>,
     .group = kFilesGroup},
    {.name = "force",
     .help = "accepted and ignored: live data has no file owner to check",
     .store = set<&TopOptions::report, &ReportOptions::symbols, &SymbolOptions::force>,
     .group = kFilesGroup},
    {.name = "dump-symtab",
     .letter = 'D',
     .help = "at the end, list the files that symbols came from",
     .store = set<&TopOptions::dump_symbols>,
     .group = kFilesGroup},
    {.name = "verbose",
     .letter = 'v',
     .help = "show C++ names with parameters, and how events were opened",
     .store = count<&TopOptions::report, &ReportOptions::verbose>},
};

constexpr std::string_view kTopUsage[] = {"[<options>]"};
constexpr std::string_view kTopExamples[] = {
    "perf top|the hottest functions of the whole machine",
    "perf top -g -p 1234|the hottest functions of one process, with their callers",
    "perf top -e raw_syscalls:sys_enter -n -s comm|the number of system calls of each command",
    "perf top --stdio -d 1 > log|write a table every second",
};

}  // namespace

constinit const Command kTop{
    .name = "top",
    .summary = "Show the hottest functions live",
    .usage = kTopUsage,
    .options = kTopOptions,
    .description =
        "Samples all CPUs, or selected processes or CPUs, and shows the hottest functions live. Use it to see what a "
        "machine is doing right now. It writes nothing to disk.\n\n"
        "Older samples fade: at each refresh, every row keeps 7/8 of its count (--zero: nothing). The first line shows "
        "the number of samples, the number of lost samples, and the CPU use of top itself.",
    .examples = kTopExamples,
    .run = entry<TopOptions, top>,
};

Result<> TopOptions::configure(const Config& config) {
  PEREGRINE_TRY(record.configure(config));
  report.request.selection.hide_idle = true;
  auto chains = config.flag("top.children", true);
  if (!chains) return std::unexpected(std::move(chains.error()));
  report.request.grouping.children = *chains;
  PEREGRINE_TRY(configure_graph(config, report.request.chains.graph));
  PEREGRINE_TRY(configure_percentage(config, report.request.grouping.relative));
  if (const auto graph = config.find("top.call-graph")) {
    auto request = parse_callgraph(*graph);
    if (!request) return std::unexpected(std::move(request.error()));
    record.usual_callgraph = *request;
  }
  return {};
}

}  // namespace peregrine::cmd
