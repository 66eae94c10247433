#include "cmd/script/script_options.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "auxtrace/itrace.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/field_report_rows.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/sandbox/confined_reader.h"
#include "machine/dso/dso.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_fields.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "session/export/output_format.h"
#include "session/recording/sample_choice.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {

namespace {

Result<> add_fields(ScriptOptions& options, const Use& use) {
  return options.lines.fields.parse(use.value, options.field_warnings);
}

Result<> choose_addresses(ScriptOptions& options, const Use& use) {
  options.lines.addresses = ScriptAddresses::AsPerf;
  if (use.negated) return {};
  for (const auto& [name, form] : {std::pair("abs", ScriptAddresses::Absolute),
                                   {"rel", ScriptAddresses::Relative},
                                   {"both", ScriptAddresses::Both}})
    if (use.value == name) {
      options.lines.addresses = form;
      return {};
    }
  return fail(ErrorKind::Usage, "invalid --addr '{}': must be abs, rel or both", use.value);
}

Result<> accept_script_program(ScriptOptions&, const Use&) { return {}; }

Result<> ask_for_traces(ScriptOptions& options, const Use& use) { return options.traces.take(use.value, use.negated); }

// The fields that --call-trace and similar options select, with times in ns.
Result<> choose_trace(ScriptOptions& options, std::string_view decoded, std::string_view fields) {
  options.traces.requested = parse_itrace(decoded).value_or(ItraceOptions());
  options.lines.nanoseconds = true;
  return options.lines.fields.parse(fields, options.field_warnings);
}

Result<> trace_calls(ScriptOptions& options, const Use& use) {
  if (use.negated) return {};
  options.lines.branches = ScriptBranches::Calls;
  return choose_trace(options, "cewp", "-ip,-addr,-event,-period,+callindent");
}

Result<> trace_calls_and_returns(ScriptOptions& options, const Use& use) {
  if (use.negated) return {};
  options.lines.branches = ScriptBranches::CallsAndReturns;
  return choose_trace(options, "crewp", "-ip,-addr,-event,-period,+flags,+callindent");
}

Result<> trace_instructions(ScriptOptions& options, const Use& use) {
  if (use.negated) return {};
  if (!use.value.empty() && use.value != "raw" && use.value != "disasm")
    return fail(ErrorKind::Usage, "invalid --insn-trace '{}': must be raw or disasm", use.value);
  return choose_trace(options, "i0nse", use.value == "disasm" ? "+disasm,-event,-period" : "+insn,-event,-period");
}

// A format with a brace is the form of a line.
Result<> choose_script_format(ScriptOptions& options, const Use& use) {
  if (use.negated || !use.value.contains('{')) return set_format<FormatUser::Script>(options, use);
  options.summary.report.format = use.value;
  return {};
}

std::vector<std::string_view> script_field_words() { return field_names(kScriptFields); }

template <auto Member>
constexpr auto set_line = set<&ScriptOptions::lines, Member>;
template <auto Member>
constexpr auto set_record = set<&ScriptOptions::lines, &ScriptLinesRequest::records, Member>;

constexpr Option kScriptOptions[] = {
    {.name = "comms",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "comm[,comm...]",
     .help = "use only samples of these programs",
     .store = set<&ScriptOptions::comms>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "use only samples from these CPUs",
     .store = set<&ScriptOptions::cpus>},
    {.name = "fields",
     .letter = 'F',
     .value = Value::Required,
     .metavar = "str",
     .help = "fields to print, separated by commas; a leading 'type:' selects hw, sw, trace, raw, break or synth; "
             "+field adds and -field removes. Fields: {words}",
     .store = call<add_fields>,
     .words = script_field_words},
    kForceRow<&ScriptOptions::symbols, &SymbolOptions::force>,
    {.name = "hide-call-graph",
     .letter = 'G',
     .help = "print the sampled address without its call chain",
     .store = set<&ScriptOptions::lines, &ScriptLinesRequest::stacks, &ScriptStacks::hidden>},
    kInputRow<&ScriptOptions::input>,
    {.name = "show-info",
     .letter = 'I',
     .help = "with --header: also print its long parts",
     .store = set<&ScriptOptions::info>},
    kVmlinuxRow<&ScriptOptions::symbols, &SymbolOptions::vmlinux>,
    {.name = "Latency",
     .letter = 'L',
     .help = "show interrupt and preemption state, as ftrace does",
     .store = set_line<&ScriptLinesRequest::latency>},
    kSymbolsRow<&ScriptOptions::lines, &ScriptLinesRequest::symbols>,
    {.name = "verbose",
     .letter = 'v',
     .help = "show the parameters of C++ functions",
     .store = count<&ScriptOptions::verbose>},
    {.name = "deltatime",
     .help = "print the time since the previous sample",
     .store = set_line<&ScriptLinesRequest::delta>},
    kDemangleRow<&ScriptOptions::symbols, &SymbolOptions::demangle>,
    kDemangleKernelRow<&ScriptOptions::symbols, &SymbolOptions::demangle_kernel>,
    {.name = "dsos",
     .value = Value::Required,
     .metavar = "dso[,dso...]",
     .help = "use only samples in these binaries",
     .store = set_line<&ScriptLinesRequest::dsos>},
    {.name = "header", .help = "print the recording's header first", .store = set<&ScriptOptions::header>},
    {.name = "header-only", .help = "print only the recording's header", .store = set<&ScriptOptions::header_only>},
    kKallsymsRow<&ScriptOptions::symbols, &SymbolOptions::kallsyms>,
    {.name = "max-stack",
     .value = Value::Required,
     .metavar = "n",
     .help = "print at most N frames of each call chain (default: 127)",
     .store = set<&ScriptOptions::lines, &ScriptLinesRequest::stacks, &ScriptStacks::max_stack>},
    {.name = "merge-callchains",
     .help = "attach user call chains that the kernel deferred to their samples (default); --no-merge-callchains "
             "prints them as separate records",
     .store = set_line<&ScriptLinesRequest::merge_chains>},
    {.name = "ns",
     .help = "print times in nanoseconds (nine digits instead of six)",
     .store = set_line<&ScriptLinesRequest::nanoseconds>},
    kPidRow<&ScriptOptions::pids>,
    {.name = "reltime",
     .help = "print the time since the first sample",
     .store = set_line<&ScriptLinesRequest::relative>},
    {.name = "show-bpf-events",
     .help = "also show loads and unloads of BPF programs",
     .store = set_record<&ShownRecords::bpf>},
    {.name = "show-cgroup-events", .help = "also show new cgroups", .store = set_record<&ShownRecords::cgroups>},
    {.name = "show-kernel-path",
     .help = "print the path of the kernel's symbols instead of [kernel.kallsyms]",
     .store = set<&ScriptOptions::show_kernel_path>},
    {.name = "show-lost-events",
     .help = "also show records of lost events",
     .store = set_record<&ShownRecords::losses>},
    {.name = "show-mmap-events", .help = "also show new memory mappings", .store = set_record<&ShownRecords::mmaps>},
    {.name = "show-namespace-events",
     .help = "also show namespace changes",
     .store = set_record<&ShownRecords::namespaces>},
    {.name = "show-round-events",
     .help = "also show when the recorder finished a round",
     .store = set_record<&ShownRecords::rounds>},
    {.name = "show-switch-events", .help = "also show context switches", .store = set_record<&ShownRecords::switches>},
    {.name = "show-task-events",
     .help = "also show forks, exits and renames",
     .store = set_record<&ShownRecords::tasks>},
    {.name = "show-text-poke-events",
     .help = "also show changes to kernel code",
     .store = set_record<&ShownRecords::text_pokes>},
    {.name = "stop-bt",
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "end call chains at these symbols",
     .store = set_line<&ScriptLinesRequest::stop_at>},
    kDebuginfodRow<&ScriptOptions::symbols, &SymbolOptions::servers>,
    kSymfsRow<&ScriptOptions::symbols, &SymbolOptions::symfs>,
    kTidRow<&ScriptOptions::tids>,
    kTimeRow<&ScriptOptions::times>,
    {.name = "all-cpus",
     .letter = 'a',
     .help = "with scripts that record: record all CPUs",
     .store = set<&ScriptOptions::all_cpus>},
    {.name = "debug-mode",
     .letter = 'd',
     .help = "do not print samples; report how many were out of order",
     .store = set_line<&ScriptLinesRequest::check_order>},
    kFullSourcePathRow<&ScriptOptions::lines, &ScriptLinesRequest::full_source_path>,
    {.name = "dump-raw-trace",
     .letter = 'D',
     .help = "dump every record as numbers and bytes, in time order",
     .store = set_line<&ScriptLinesRequest::dump>},
    {.name = "gen-script",
     .letter = 'g',
     .value = Value::Required,
     .metavar = "lang",
     .help = "write a starter script in this language",
     .store = set<&ScriptOptions::generated>,
     .words = [] { return std::vector<std::string_view>{"python", "perl"}; }},
    {.name = "list", .letter = 'l', .help = "list the available scripts", .store = set<&ScriptOptions::list>},
    {.name = "script",
     .letter = 's',
     .value = Value::Required,
     .metavar = "name",
     .help = "run this script on the samples: LANGUAGE:FILE, a file, or a name from --list",
     .store = set<&ScriptOptions::script>},
    {.name = "itrace", .value = Value::Sticky, .metavar = "opts", .help = kItraceHelp, .store = call<ask_for_traces>},
    {.name = "inline",
     .help = "show inlined functions in call chains (default: only in unwound ones)",
     .store = set_line<&ScriptLinesRequest::inlined>},
    {.name = "addr",
     .value = Value::Required,
     .metavar = "abs|rel|both",
     .help = "print addresses as in memory (abs), as in the binary (rel), or both (default: rel in call chains, "
             "otherwise abs)",
     .store = call<choose_addresses>,
     .since = Since::Ours},
    {.name = "addr2line",
     .value = Value::Required,
     .metavar = "PROGRAM",
     .help = "accepted and ignored: source lines need no external program",
     .store = call<accept_script_program>},
    {.name = "addr-range",
     .value = Value::Required,
     .metavar = "n",
     .help = "with -S ADDRESS: set the length of the range in bytes",
     .store = set_line<&ScriptLinesRequest::address_range>},
    {.name = "call-ret-trace",
     .value = Value::Sticky,
     .help = "print recorded calls and returns, indented",
     .store = call<trace_calls_and_returns>,
     .implied = ""},
    {.name = "call-trace",
     .value = Value::Sticky,
     .help = "print recorded calls, indented",
     .store = call<trace_calls>,
     .implied = ""},
    {.name = "dlarg",
     .value = Value::Required,
     .metavar = "argument",
     .help = "pass this argument to --dlfilter; may be repeated",
     .store = set<&ScriptOptions::dlfilter_arguments>},
    {.name = "dlfilter",
     .value = Value::Required,
     .metavar = "file",
     .help = "filter samples with this shared library",
     .store = set<&ScriptOptions::dlfilter>},
    {.name = "dump-unsorted-raw-trace",
     .help = "dump every record as numbers and bytes, in file order",
     .store = set_line<&ScriptLinesRequest::dump_unsorted>},
    {.name = "graph-function",
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "with --call-trace: show only these functions and their callees",
     .store = set_line<&ScriptLinesRequest::graph_functions>},
    {.name = "guest-code",
     .help = "accepted and ignored: guest code is not resolved",
     .store = set<&ScriptOptions::guest_code>},
    {.name = "guestkallsyms",
     .value = Value::Required,
     .metavar = "file",
     .help = "use this copy of the guest's /proc/kallsyms",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::guests, &GuestPlaces::kallsyms>},
    {.name = "guestmodules",
     .value = Value::Required,
     .metavar = "file",
     .help = "use this copy of the guest's /proc/modules",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::guests, &GuestPlaces::modules>},
    {.name = "guestmount",
     .value = Value::Required,
     .metavar = "directory",
     .help = "look for guests' root file systems in this folder, in subfolders named after the process ID",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::guests, &GuestPlaces::mount>},
    {.name = "guestvmlinux",
     .value = Value::Required,
     .metavar = "file",
     .help = "use this kernel image of the guest",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::guests, &GuestPlaces::vmlinux>},
    {.name = "insn-trace",
     .value = Value::Sticky,
     .metavar = "raw|disasm",
     .help = "print the instruction of each sample, as bytes (raw, default) or text (disasm)",
     .store = call<trace_instructions>,
     .implied = ""},
    {.name = "list-dlfilters",
     .help = "list the available filters for --dlfilter",
     .store = set<&ScriptOptions::list_dlfilters>},
    {.name = "count-by",
     .value = Value::Required,
     .metavar = "field[,field...]",
     .help = "count samples by these fields: comm, pid, tid, cpu, event, sym, dso or tracepoint fields",
     .store = set<&ScriptOptions::summary, &SummaryRequest::count_by>,
     .since = Since::Ours},
    {.name = "sum",
     .value = Value::Required,
     .metavar = "field",
     .help = "sum this field for each value of --count-by",
     .store = set<&ScriptOptions::summary, &SummaryRequest::sum>,
     .since = Since::Ours},
    {.name = "hist",
     .value = Value::Required,
     .metavar = "field",
     .help = "print the distribution of this field's values",
     .store = set<&ScriptOptions::summary, &SummaryRequest::histogram>,
     .since = Since::Ours},
    {.name = "pair",
     .value = Value::Required,
     .metavar = "event,event",
     .help = "measure the time from the first to the second event, matched by --key",
     .store = set<&ScriptOptions::summary, &SummaryRequest::pair>,
     .since = Since::Ours},
    {.name = "key",
     .value = Value::Required,
     .metavar = "field[,field...]",
     .help = "with --pair: match events in which these fields are equal",
     .store = set<&ScriptOptions::summary, &SummaryRequest::pair_key>,
     .since = Since::Ours},
    {.name = "heatmap",
     .value = Value::Required,
     .metavar = "file",
     .help = "with --pair: write an SVG heat map of the durations over time, with percentiles, to this file",
     .store = set<&ScriptOptions::summary, &SummaryRequest::heat_map>,
     .since = Since::Ours},
    kAggregateRow<&ScriptOptions::summary, &SummaryRequest::report>,
    kWhereRow<&ScriptOptions::summary, &SummaryRequest::report>,
    kFromRow<&ScriptOptions::summary, &SummaryRequest::report>,
    kUntilRow<&ScriptOptions::summary, &SummaryRequest::report>,
    kTableIntervalRow<&ScriptOptions::summary, &SummaryRequest::report>,
    {.name = "format",
     .value = Value::Required,
     .metavar = "name[,word...]|template",
     .help = "write samples in this form ('{comm} {prev_pid}': {FIELD} or {FIELD:WIDTH}), or as perf (columns), ftrace "
             "(lines of trace_pipe), jsonl (one JSON object per line), csv, "
             "binary (64-bit numbers), or a profile for other tools: folded, speedscope, pprof, callgrind, gprof, "
             "firefox, chrome (docs/formats.md)",
     .store = call<choose_script_format>,
     .since = Since::Ours,
     .words = words_of_formats<FormatUser::Script>},
    kOutputRow<&ScriptOptions::format, &OutputFormat::output>,
    kCsvSafeRow<&ScriptOptions::format>,
    {.name = "max-blocks",
     .value = Value::Required,
     .metavar = "n",
     .help = "print only the last N blocks of code from each branch stack",
     .store = set_line<&ScriptLinesRequest::max_blocks>},
    {.name = "per-event-dump",
     .help = "write the samples of each event to a separate file, INPUT.EVENT.dump",
     .store = set<&ScriptOptions::per_event>},
    {.name = "show-on-off-events",
     .help = "also show the --switch-on and --switch-off events",
     .store = set<&ScriptOptions::switching, &SwitchedEvents::show>},
    kStitchLbrRow<&ScriptOptions::lines, &ScriptLinesRequest::stacks, &ScriptStacks::stitch_lbr>,
    kAccessingRow<&ScriptOptions::lines, &ScriptLinesRequest::stacks, &ScriptStacks::accessing>,
    {.name = "switch-off",
     .value = Value::Required,
     .metavar = "event",
     .help = "stop printing at this event",
     .store = set<&ScriptOptions::switching, &SwitchedEvents::off>},
    {.name = "switch-on",
     .value = Value::Required,
     .metavar = "event",
     .help = "start printing at this event",
     .store = set<&ScriptOptions::switching, &SwitchedEvents::on>},
    {.name = "xed",
     .help = "print instructions as assembly instead of bytes, as xed does",
     .store = set_line<&ScriptLinesRequest::mnemonics>},
};

constexpr std::string_view kScriptUsage[] = {
    "[<options>]",
    "[<options>] -s <script> [<script arguments>]",
    "[<options>] record <name> [<record options>] <command>",
    "[<options>] report <name> [<script arguments>]",
    "[<options>] <name> [<script arguments> --] [<command>]",
};
constexpr std::string_view kScriptExamples[] = {
    "perf script|all samples of perf.data",
    "perf script -F comm,tid,time,event,ip,sym|only these fields",
    "perf script -s ./count.py|run a Python script on the samples",
    "perf script --format speedscope -o profile.json|convert to a profile for speedscope",
};

}  // namespace

ReaderNeeds needs_of(const ScriptOptions& options, const Invocation& call) {
  // Without -s, arguments name a script, which is run by a shell.
  ReaderNeeds needs{.inputs = {options.input},
                    .outputs = {options.format.output, options.summary.heat_map},
                    .programs = !options.script.empty() || !options.dlfilter.empty() || !call.words.empty() ||
                                options.list || options.list_dlfilters};
  needs.kernel_code = options.traces.requested.has_value();
  for (std::size_t type = 0; type < kScriptTypes; ++type)
    needs.kernel_code |= (options.lines.fields.of(static_cast<ScriptType>(type)) & kCodeFields) != 0;
  if (!options.generated.empty()) needs.outputs.insert(needs.outputs.end(), {"perf-script.py", "perf-script.pl"});
  if (options.per_event) {
    const std::size_t name = options.input.rfind('/') + 1;
    needs.outputs.push_back(options.input.substr(0, name) + "*.dump");
  }
  return needs;
}

constinit const Command kScript{
    .name = "script",
    .summary = "Print every sample of a recording",
    .usage = kScriptUsage,
    .options = kScriptOptions,
    .first_words = [] { return std::vector<std::string_view>{"record", "report"}; },
    .words_at = Words::StopAtFirst,
    .paging = Paging::ToTerminal,
    .description =
        "Prints every sample with its time, event and call chain, in time order. Use it to look at individual samples, "
        "or to pass them to other tools: the format is linux-perf's, so flame graph tools and other scripts work "
        "unchanged.\n\n"
        "It also runs Python or Perl scripts (-s), which define one function per event: sched__sched_switch() receives "
        "the samples of sched:sched_switch. -g writes a starter script, and -l lists the installed ones. `script "
        "record NAME` records what a script needs, `script report NAME` runs it, and `script NAME` does both at once.",
    .examples = kScriptExamples,
    .run = entry<ScriptOptions, confined<ScriptOptions, script>>,
};

}  // namespace peregrine::cmd
