#include "cmd/script_options.h"

#include "cmd/command_table.h"
#include "cmd/confined_reader.h"
#include "cmd/recording_rows.h"

namespace peregrine::cmd {

namespace {

Result<> add_fields(ScriptOptions& options, const Use& use) {
  return options.fields.parse(use.value, options.field_warnings);
}

Result<> choose_addresses(ScriptOptions& options, const Use& use) {
  for (const auto& [name, form] : {std::pair("abs", ScriptAddresses::Absolute),
                                   {"rel", ScriptAddresses::Relative},
                                   {"both", ScriptAddresses::Both}})
    if (use.value == name) {
      options.addresses = form;
      return {};
    }
  return fail(ErrorKind::Usage, "--addr must be abs, rel or both, not '{}'", use.value);
}

Result<> accept_script_program(ScriptOptions&, const Use&) { return {}; }

Result<> ask_for_traces(ScriptOptions& options, const Use& use) { return options.traces.take(use); }

// The fields that --call-trace and its like stand for, with times in ns.
Result<> choose_trace(ScriptOptions& options, std::string_view decoded, std::string_view fields) {
  options.traces.asked = parse_itrace(decoded).value_or(ItraceOptions());
  options.nanoseconds = true;
  return options.fields.parse(fields, options.field_warnings);
}

Result<> trace_calls(ScriptOptions& options, const Use& use) {
  if (use.negated) return {};
  options.branches = ScriptBranches::Calls;
  return choose_trace(options, "cewp", "-ip,-addr,-event,-period,+callindent");
}

Result<> trace_calls_and_returns(ScriptOptions& options, const Use& use) {
  if (use.negated) return {};
  options.branches = ScriptBranches::CallsAndReturns;
  return choose_trace(options, "crewp", "-ip,-addr,-event,-period,+flags,+callindent");
}

Result<> trace_instructions(ScriptOptions& options, const Use& use) {
  if (use.negated) return {};
  if (!use.value.empty() && use.value != "raw" && use.value != "disasm")
    return fail(ErrorKind::Usage, "--insn-trace wants raw or disasm, not '{}'", use.value);
  return choose_trace(options, "i0nse", use.value == "disasm" ? "+disasm,-event,-period" : "+insn,-event,-period");
}

constexpr Option kScriptOptions[] = {
    {.name = "comms",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "comm[,comm...]",
     .help = "only samples of these programs",
     .store = set<&ScriptOptions::comms>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "only samples of these CPUs",
     .store = set<&ScriptOptions::cpus>},
    {.name = "fields",
     .letter = 'F',
     .value = Value::Required,
     .metavar = "str",
     .help =
         "what to print, separated by commas; 'type:' before them chooses hw, sw, trace, raw, break or synth; +field "
         "adds and -field removes. Fields: comm,tid,pid,time,cpu,event,trace,ip,sym,dso,dsoff,addr,symoff,period,iregs,"
         "uregs,brstack,brstacksym,brstackoff,brstackinsn,brstackinsnlen,brstackdisasm,insn,insnlen,disasm,srccode,"
         "srcline,flags,data_src,weight,bpf-output,callindent,synth,phys_addr,misc,ipc,tod,"
         "data_page_size,code_page_size,ins_lat,retire_lat,brcntr,cgroup,callsite,machine_pid,vcpu",
     .store = call<add_fields>},
    kForceRow<&ScriptOptions::symbols, &SymbolOptions::force>,
    {.name = "hide-call-graph",
     .letter = 'G',
     .help = "only the sampled address, without its call chain",
     .store = set<&ScriptOptions::hide_chains>},
    kInputRow<&ScriptOptions::input>,
    {.name = "show-info",
     .letter = 'I',
     .help = "with --header: its long parts, too",
     .store = set<&ScriptOptions::info>},
    kVmlinuxRow<&ScriptOptions::symbols, &SymbolOptions::vmlinux>,
    {.name = "Latency",
     .letter = 'L',
     .help = "show whether interrupts and preemption were off, as ftrace does",
     .store = set<&ScriptOptions::latency>},
    kSymbolsRow<&ScriptOptions::symbol_list>,
    {.name = "verbose",
     .letter = 'v',
     .help = "show the parameters of C++ functions",
     .store = count<&ScriptOptions::verbose>},
    {.name = "deltatime", .help = "times since the sample before", .store = set<&ScriptOptions::delta>},
    kDemangleRow<&ScriptOptions::symbols, &SymbolOptions::demangle>,
    kDemangleKernelRow<&ScriptOptions::symbols, &SymbolOptions::demangle_kernel>,
    {.name = "dsos",
     .value = Value::Required,
     .metavar = "dso[,dso...]",
     .help = "only samples in these binaries",
     .store = set<&ScriptOptions::dso_list>},
    {.name = "header", .help = "first what the file's header says", .store = set<&ScriptOptions::header>},
    {.name = "header-only",
     .help = "what the file's header says, and nothing else",
     .store = set<&ScriptOptions::header_only>},
    kKallsymsRow<&ScriptOptions::symbols, &SymbolOptions::kallsyms>,
    {.name = "max-stack",
     .value = Value::Required,
     .metavar = "n",
     .help = "print this many frames of each call chain (default: 127)",
     .store = set<&ScriptOptions::max_stack>},
    {.name = "merge-callchains",
     .help = "complete samples with user call chains that the kernel deferred (default); --no-merge-callchains shows "
             "them as separate records",
     .store = set<&ScriptOptions::merge_chains>},
    {.name = "ns",
     .help = "times in nanoseconds, nine digits instead of six",
     .store = set<&ScriptOptions::nanoseconds>},
    kPidRow<&ScriptOptions::pids>,
    {.name = "reltime", .help = "times since the first sample", .store = set<&ScriptOptions::relative>},
    {.name = "show-bpf-events", .help = "BPF programs that come and go, too", .store = set<&ScriptOptions::bpf>},
    {.name = "show-cgroup-events", .help = "new cgroups, too", .store = set<&ScriptOptions::cgroups>},
    {.name = "show-kernel-path",
     .help = "the path of the kernel's symbols instead of [kernel.kallsyms]",
     .store = set<&ScriptOptions::show_kernel_path>},
    {.name = "show-lost-events", .help = "records that tell of lost ones, too", .store = set<&ScriptOptions::losses>},
    {.name = "show-mmap-events", .help = "new maps, too", .store = set<&ScriptOptions::mmaps>},
    {.name = "show-namespace-events", .help = "changes of namespaces, too", .store = set<&ScriptOptions::namespaces>},
    {.name = "show-round-events", .help = "ends of the recorder's rounds, too", .store = set<&ScriptOptions::rounds>},
    {.name = "show-switch-events", .help = "context switches, too", .store = set<&ScriptOptions::switches>},
    {.name = "show-task-events", .help = "forks, exits and new names, too", .store = set<&ScriptOptions::tasks>},
    {.name = "show-text-poke-events",
     .help = "changes of the kernel's code, too",
     .store = set<&ScriptOptions::text_pokes>},
    {.name = "stop-bt",
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "end call chains at these symbols",
     .store = set<&ScriptOptions::stop_at>},
    kDebuginfodRow<&ScriptOptions::symbols, &SymbolOptions::servers>,
    kSymfsRow<&ScriptOptions::symbols, &SymbolOptions::symfs>,
    kTidRow<&ScriptOptions::tids>,
    kTimeRow<&ScriptOptions::times>,
    {.name = "all-cpus",
     .letter = 'a',
     .help = "for scripts that record: the whole machine",
     .store = set<&ScriptOptions::all_cpus>},
    {.name = "debug-mode",
     .letter = 'd',
     .help = "show no samples, but tell how many were out of order",
     .store = set<&ScriptOptions::check_order>},
    kFullSourcePathRow<&ScriptOptions::full_source_path>,
    {.name = "dump-raw-trace",
     .letter = 'D',
     .help = "every record as numbers and bytes, in order of time",
     .store = set<&ScriptOptions::dump>},
    {.name = "gen-script",
     .letter = 'g',
     .value = Value::Required,
     .metavar = "lang",
     .help = "write a script in this language to start from",
     .store = set<&ScriptOptions::generated>},
    {.name = "list", .letter = 'l', .help = "which scripts there are", .store = set<&ScriptOptions::list>},
    {.name = "script",
     .letter = 's',
     .value = Value::Required,
     .metavar = "name",
     .help = "the script that reads the samples: LANGUAGE:FILE, a file or a name of --list",
     .store = set<&ScriptOptions::script>},
    {.name = "itrace",
     .value = Value::Sticky,
     .metavar = "opts",
     .help = "what to make of instruction traces",
     .store = call<ask_for_traces>},
    {.name = "inline",
     .help = "name inlined functions in call chains; without it, in unwound ones only",
     .store = set<&ScriptOptions::inlined>},
    {.name = "addr",
     .value = Value::Required,
     .metavar = "abs|rel|both",
     .help = "show addresses as in memory (abs), as in their binary (rel), or both; default: rel in call chains, abs "
             "without",
     .store = call<choose_addresses>,
     .since = Since::Ours},
    {.name = "addr2line",
     .value = Value::Required,
     .metavar = "PROGRAM",
     .help = "accepted: source lines need no other program",
     .store = call<accept_script_program>},
    {.name = "addr-range",
     .value = Value::Required,
     .metavar = "n",
     .help = "with -S ADDRESS: so many bytes from there on",
     .store = set<&ScriptOptions::address_range>},
    {.name = "call-ret-trace",
     .value = Value::Sticky,
     .help = "calls and returns of recorded branches, indented",
     .store = call<trace_calls_and_returns>,
     .implied = ""},
    {.name = "call-trace",
     .value = Value::Sticky,
     .help = "calls of recorded branches, indented",
     .store = call<trace_calls>,
     .implied = ""},
    {.name = "dlarg",
     .value = Value::Required,
     .metavar = "argument",
     .help = "a word for --dlfilter; may be given again",
     .store = set<&ScriptOptions::dlfilter_arguments>},
    {.name = "dlfilter",
     .value = Value::Required,
     .metavar = "file",
     .help = "a shared object that chooses samples",
     .store = set<&ScriptOptions::dlfilter>},
    {.name = "dump-unsorted-raw-trace",
     .help = "every record as numbers and bytes, as they stand in the file",
     .store = set<&ScriptOptions::dump_unsorted>},
    {.name = "graph-function",
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "with --call-trace: only these functions and what they call",
     .store = set<&ScriptOptions::graph_functions>},
    {.name = "guest-code",
     .help = "the guest's code lies in the process that runs it; guests' addresses stay unnamed",
     .store = set<&ScriptOptions::guest_code>},
    {.name = "guestkallsyms",
     .value = Value::Required,
     .metavar = "file",
     .help = "a guest's copy of /proc/kallsyms",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::guests, &GuestPlaces::kallsyms>},
    {.name = "guestmodules",
     .value = Value::Required,
     .metavar = "file",
     .help = "a guest's copy of /proc/modules",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::guests, &GuestPlaces::modules>},
    {.name = "guestmount",
     .value = Value::Required,
     .metavar = "directory",
     .help = "the folder that holds the root of each guest, by its pid",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::guests, &GuestPlaces::mount>},
    {.name = "guestvmlinux",
     .value = Value::Required,
     .metavar = "file",
     .help = "a guest's kernel image",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::guests, &GuestPlaces::vmlinux>},
    {.name = "insn-trace",
     .value = Value::Sticky,
     .metavar = "raw|disasm",
     .help = "the instruction of each sample, as bytes or as text",
     .store = call<trace_instructions>,
     .implied = ""},
    {.name = "list-dlfilters",
     .help = "which filters for --dlfilter there are",
     .store = set<&ScriptOptions::list_dlfilters>},
    {.name = "count-by",
     .value = Value::Required,
     .metavar = "field[,field...]",
     .help = "count the samples by these fields: comm, pid, tid, cpu, event, sym, dso or fields of tracepoints",
     .store = set<&ScriptOptions::count_by>,
     .since = Since::Ours},
    {.name = "sum",
     .value = Value::Required,
     .metavar = "field",
     .help = "add up this field, for each value of --count-by",
     .store = set<&ScriptOptions::sum>,
     .since = Since::Ours},
    {.name = "hist",
     .value = Value::Required,
     .metavar = "field",
     .help = "how often this field had which values",
     .store = set<&ScriptOptions::histogram>,
     .since = Since::Ours},
    {.name = "pair",
     .value = Value::Required,
     .metavar = "event,event",
     .help = "how long it took from the first of these events to the second, matched by --key",
     .store = set<&ScriptOptions::pair>,
     .since = Since::Ours},
    {.name = "key",
     .value = Value::Required,
     .metavar = "field[,field...]",
     .help = "with --pair: the fields whose values both events have in common",
     .store = set<&ScriptOptions::pair_key>,
     .since = Since::Ours},
    {.name = "heatmap",
     .value = Value::Required,
     .metavar = "file",
     .help = "with --pair: draw how long they took over time, as an SVG picture with percentiles, into this file",
     .store = set<&ScriptOptions::heat_map>,
     .since = Since::Ours},
    {.name = "format",
     .value = Value::Required,
     .metavar = "name[,word...]",
     .help = "write samples as perf: columns, ftrace: lines of trace_pipe, jsonl: JSON objects, one on each line, "
             "csv; binary: 64-bit numbers; or a profile for other programs: folded, speedscope, pprof, callgrind, "
             "firefox, chrome "
             "(docs/formats.md)",
     .store = call<set_format<FormatUser::Script, ScriptOptions>>,
     .since = Since::Ours},
    kOutputRow<&ScriptOptions::format, &FormatOptions::output>,
    kCsvSafeRow<&ScriptOptions::format>,
    {.name = "max-blocks",
     .value = Value::Required,
     .metavar = "n",
     .help = "of the code that branch stacks tell, only the last n blocks of each sample",
     .store = set<&ScriptOptions::max_blocks>},
    {.name = "per-event-dump",
     .help = "the samples of each event into a file of its own, INPUT.EVENT.dump",
     .store = set<&ScriptOptions::per_event>},
    {.name = "show-on-off-events",
     .help = "the events of --switch-on and --switch-off, too",
     .store = set<&ScriptOptions::switching, &SwitchOptions::show>},
    kStitchLbrRow<&ScriptOptions::stitch_lbr>,
    kAccessingRow<&ScriptOptions::accessing>,
    {.name = "switch-off",
     .value = Value::Required,
     .metavar = "event",
     .help = "show nothing from an event of this name on",
     .store = set<&ScriptOptions::switching, &SwitchOptions::off>},
    {.name = "switch-on",
     .value = Value::Required,
     .metavar = "event",
     .help = "show nothing before an event of this name",
     .store = set<&ScriptOptions::switching, &SwitchOptions::on>},
    {.name = "xed",
     .help = "instructions in words instead of bytes, as xed would print them",
     .store = set<&ScriptOptions::mnemonics>},
};

constexpr std::string_view kScriptUsage[] = {
    "[<options>]",
    "[<options>] -s <script> [<script's arguments>]",
    "[<options>] record <name> [<options of record>] <command>",
    "[<options>] report <name> [<script's arguments>]",
    "[<options>] <name> [<script's arguments> --] [<command>]",
};

}  // namespace

ReaderNeeds needs_of(const ScriptOptions& options, const Invocation& call) {
  // Without -s, words name a script, which a shell starts.
  ReaderNeeds needs{.inputs = {options.input},
                    .outputs = {options.format.output, options.heat_map},
                    .programs = !options.script.empty() || !options.dlfilter.empty() || !call.words.empty() ||
                                options.list || options.list_dlfilters};
  needs.kernel_code = options.traces.asked.has_value();
  for (std::size_t type = 0; type < kScriptTypes; ++type)
    needs.kernel_code |= (options.fields.of(static_cast<ScriptType>(type)) & kCodeFields) != 0;
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
    .words_at = Words::StopAtFirst,
    .paging = Paging::ToTerminal,
    .description =
        "Prints every sample with its time, its event and its call chain, in the order in which they happened. "
        "The text is linux-perf's, so that flame graph tools and scripts written for it work unchanged.\n\n"
        "A script in Python or Perl (-s) gets each sample in a function named after its event: sched__sched_switch(). "
        "-g "
        "writes one to start from, -l lists those that came along: 'script record NAME' records what such a script "
        "reads, "
        "'script report NAME' runs it, and 'script NAME' does both at once.",
    .run = entry<ScriptOptions, confined<ScriptOptions, script>>,
};

}  // namespace peregrine::cmd
