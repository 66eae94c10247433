// script: every sample of a recording as text, in time order, in the form that flame graph tools and people's own
// scripts read.
#include <unistd.h>

#include <algorithm>
#include <bitset>

#include "cmd/command_table.h"
#include "cmd/recording.h"
#include "machine/machine.h"
#include "output/text/header_text.h"
#include "output/text/script_printer.h"
#include "pipeline/replay/replay.h"

namespace peregrine::cmd {

namespace {

struct ScriptOptions {
  std::string input;
  SymbolOptions symbols;
  ScriptFields fields;
  std::vector<std::string> field_warnings;
  std::string comms, pids, tids, cpus, times, symbol_list, dso_list, stop_at;
  unsigned max_stack = 127;
  bool hide_chains = false;
  bool nanoseconds = false, relative = false, delta = false, latency = false;
  bool header = false, header_only = false, info = false;
  bool show_kernel_path = false;
  bool mmaps = false, tasks = false, switches = false, losses = false, namespaces = false, cgroups = false,
       rounds = false, bpf = false, text_pokes = false;
  bool decode_traces = false;
  // Accepted, since they change nothing for the samples of a recording: what they ask for is done anyway, or is no
  // loss.
  bool all_cpus = false, debug_mode = false, full_source_path = false, inlined = true;
  int verbose = 0;
};

Result<> add_fields(ScriptOptions& options, const Use& use) {
  return options.fields.parse(use.value, options.field_warnings);
}

Result<> ask_for_traces(ScriptOptions& options, const Use& use) {
  options.decode_traces = !use.negated;
  return {};
}

constexpr Option kScriptOptions[] = {
    {.name = "comms",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "comm[,comm...]",
     .help = "only display events for these comms",
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
         "adds and -field removes. Fields: comm,tid,pid,time,cpu,event,trace,ip,sym,dso,addr,symoff,period,iregs,"
         "uregs,brstack,flags,data_src,weight,phys_addr,misc,data_page_size,code_page_size,ins_lat",
     .store = call<add_fields>},
    {.name = "force",
     .letter = 'f',
     .help = "don't complain, do it",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::force>},
    {.name = "hide-call-graph",
     .letter = 'G',
     .help = "When printing symbols do not display call chain",
     .store = set<&ScriptOptions::hide_chains>},
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "input file name",
     .store = set<&ScriptOptions::input>},
    {.name = "show-info",
     .letter = 'I',
     .help = "display extended information from perf.data file",
     .store = set<&ScriptOptions::info>},
    {.name = "vmlinux",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "file",
     .help = "vmlinux pathname",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::vmlinux>},
    {.name = "Latency",
     .letter = 'L',
     .help = "show latency attributes (irqs/preemption disabled, etc)",
     .store = set<&ScriptOptions::latency>},
    {.name = "symbols",
     .letter = 'S',
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "only consider these symbols",
     .store = set<&ScriptOptions::symbol_list>},
    {.name = "verbose", .letter = 'v', .help = "be more verbose", .store = count<&ScriptOptions::verbose>},
    {.name = "deltatime", .help = "Show time stamps relative to previous event", .store = set<&ScriptOptions::delta>},
    {.name = "demangle",
     .help = "Enable symbol demangling",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::demangle>},
    {.name = "demangle-kernel",
     .help = "Enable kernel symbol demangling",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::demangle_kernel>},
    {.name = "dsos",
     .value = Value::Required,
     .metavar = "dso[,dso...]",
     .help = "only consider symbols in these DSOs",
     .store = set<&ScriptOptions::dso_list>},
    {.name = "header", .help = "Show data header.", .store = set<&ScriptOptions::header>},
    {.name = "header-only", .help = "Show only data header.", .store = set<&ScriptOptions::header_only>},
    {.name = "kallsyms",
     .value = Value::Required,
     .metavar = "file",
     .help = "kallsyms pathname",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::kallsyms>},
    {.name = "max-stack",
     .value = Value::Required,
     .metavar = "n",
     .help =
         "Set the maximum stack depth when parsing the callchain, anything beyond the specified depth will be ignored",
     .store = set<&ScriptOptions::max_stack>},
    {.name = "ns", .help = "Use 9 decimal places when displaying time", .store = set<&ScriptOptions::nanoseconds>},
    {.name = "pid",
     .value = Value::Required,
     .metavar = "pid[,pid...]",
     .help = "only consider symbols in these pids",
     .store = set<&ScriptOptions::pids>},
    {.name = "reltime", .help = "Show time stamps relative to start", .store = set<&ScriptOptions::relative>},
    {.name = "show-bpf-events", .help = "Show bpf related events (if recorded)", .store = set<&ScriptOptions::bpf>},
    {.name = "show-cgroup-events", .help = "Show cgroup events (if recorded)", .store = set<&ScriptOptions::cgroups>},
    {.name = "show-kernel-path",
     .help = "Show the path of [kernel.kallsyms]",
     .store = set<&ScriptOptions::show_kernel_path>},
    {.name = "show-lost-events", .help = "Show lost events (if recorded)", .store = set<&ScriptOptions::losses>},
    {.name = "show-mmap-events", .help = "Show the mmap events", .store = set<&ScriptOptions::mmaps>},
    {.name = "show-namespace-events",
     .help = "Show namespace events (if recorded)",
     .store = set<&ScriptOptions::namespaces>},
    {.name = "show-round-events", .help = "Show round events (if recorded)", .store = set<&ScriptOptions::rounds>},
    {.name = "show-switch-events",
     .help = "Show context switch events (if recorded)",
     .store = set<&ScriptOptions::switches>},
    {.name = "show-task-events", .help = "Show the fork/comm/exit events", .store = set<&ScriptOptions::tasks>},
    {.name = "show-text-poke-events",
     .help = "Show text poke related events (if recorded)",
     .store = set<&ScriptOptions::text_pokes>},
    {.name = "stop-bt",
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "Stop display of callgraph at these symbols",
     .store = set<&ScriptOptions::stop_at>},
    {.name = "symfs",
     .value = Value::Required,
     .metavar = "directory",
     .help = "Look for files with symbols relative to this directory",
     .store = set<&ScriptOptions::symbols, &SymbolOptions::symfs>},
    {.name = "tid",
     .value = Value::Required,
     .metavar = "tid[,tid...]",
     .help = "only consider symbols in these tids",
     .store = set<&ScriptOptions::tids>},
    {.name = "time",
     .value = Value::Required,
     .metavar = "str",
     .help = "Time span of interest (start,stop)",
     .store = set<&ScriptOptions::times>},
    {.name = "all-cpus",
     .letter = 'a',
     .help = "system-wide collection from all CPUs",
     .store = set<&ScriptOptions::all_cpus>},
    {.name = "debug-mode",
     .letter = 'd',
     .help = "do various checks like samples ordering and lost events",
     .store = set<&ScriptOptions::debug_mode>},
    {.name = "full-source-path",
     .help = "Show full source file name path for source lines",
     .store = set<&ScriptOptions::full_source_path>},
    {.name = "dump-raw-trace", .letter = 'D', .help = "dump raw trace in ASCII"},
    {.name = "gen-script",
     .letter = 'g',
     .value = Value::Required,
     .metavar = "lang",
     .help = "generate perf-script.xx script in specified language"},
    {.name = "list", .letter = 'l', .help = "list available scripts"},
    {.name = "script",
     .letter = 's',
     .value = Value::Required,
     .metavar = "name",
     .help = "script file name (lang:script name, script name, or *)"},
    {.name = "itrace",
     .value = Value::Sticky,
     .metavar = "opts",
     .help = "Instruction Tracing options",
     .store = call<ask_for_traces>},
    {.name = "inline", .help = "Show inline function", .store = set<&ScriptOptions::inlined>},
    {.name = "addr-range",
     .value = Value::Required,
     .metavar = "n",
     .help = "Use with -S to list traced records within address range"},
    {.name = "call-ret-trace", .value = Value::Sticky, .help = "trace calls and returns", .implied = ""},
    {.name = "call-trace", .value = Value::Sticky, .help = "trace calls", .implied = ""},
    {.name = "dlarg", .value = Value::Required, .metavar = "argument", .help = "filter argument"},
    {.name = "dlfilter", .value = Value::Required, .metavar = "file", .help = "filter .so file name"},
    {.name = "dump-unsorted-raw-trace", .help = "dump raw trace in ASCII, in file order"},
    {.name = "graph-function",
     .value = Value::Required,
     .metavar = "symbol[,symbol...]",
     .help = "Only print symbols and callees with --call-trace/--call-ret-trace"},
    {.name = "guest-code", .help = "Guest code can be found in hypervisor process"},
    {.name = "guestkallsyms",
     .value = Value::Required,
     .metavar = "file",
     .help = "file saving guest os /proc/kallsyms"},
    {.name = "guestmodules", .value = Value::Required, .metavar = "file", .help = "file saving guest os /proc/modules"},
    {.name = "guestmount",
     .value = Value::Required,
     .metavar = "directory",
     .help = "directory under which every guest's root is mounted"},
    {.name = "guestvmlinux", .value = Value::Required, .metavar = "file", .help = "file saving guest os vmlinux"},
    {.name = "insn-trace",
     .value = Value::Sticky,
     .metavar = "raw|disasm",
     .help = "trace instructions",
     .implied = ""},
    {.name = "list-dlfilters", .help = "list available dlfilters"},
    {.name = "max-blocks",
     .value = Value::Required,
     .metavar = "n",
     .help = "Maximum number of code blocks to dump with brstackinsn"},
    {.name = "per-event-dump", .help = "write the output of each event to a file of its name"},
    {.name = "show-on-off-events", .help = "Show the events of --switch-on and --switch-off too"},
    {.name = "stitch-lbr", .help = "Enable LBR callgraph stitching approach"},
    {.name = "switch-off", .value = Value::Required, .metavar = "event", .help = "Stop at the first of this event"},
    {.name = "switch-on", .value = Value::Required, .metavar = "event", .help = "Begin at the first of this event"},
    {.name = "xed", .value = Value::Sticky, .help = "Run xed disassembler on output", .implied = ""},
};

constexpr std::string_view kScriptUsage[] = {"[<options>]"};

// A message that other programs match, and linux-perf's exit code for a command that could not start.
int refuse(Invocation& call, std::string_view message) {
  call.messages.verbatim(fmt::format("{}\n", message));
  return 255;
}

std::bitset<128> shown_records(const ScriptOptions& options) {
  std::bitset<128> shown;
  auto show = [&](bool wanted, std::initializer_list<abi::RecordType> types) {
    for (const abi::RecordType type : types) {
      if (wanted) shown.set(static_cast<std::size_t>(type));
    }
  };
  using abi::RecordType;
  show(options.mmaps, {RecordType::Mmap, RecordType::Mmap2});
  show(options.tasks, {RecordType::Comm, RecordType::Fork, RecordType::Exit});
  show(options.switches, {RecordType::Switch, RecordType::SwitchCpuWide});
  show(options.losses, {RecordType::Lost});
  show(options.namespaces, {RecordType::Namespaces});
  show(options.cgroups, {RecordType::Cgroup});
  show(options.rounds, {RecordType::FinishedRound});
  show(options.bpf, {RecordType::Ksymbol, RecordType::BpfEvent});
  show(options.text_pokes, {RecordType::TextPoke});
  return shown;
}

// What -C, --time, --pid, --tid and --comms say; an empty optional when a message was printed instead.
Result<std::optional<SampleFilter>> make_filter(const ScriptOptions& options, const data::Reader& reader,
                                                Invocation& call) {
  SampleFilter filter;
  filter.comms = split_words(options.comms);
  const auto pids = parse_number_list(options.pids), tids = parse_number_list(options.tids);
  if (!pids || !tids) {
    call.messages.verbatim(fmt::format("problems parsing {} list\n", pids ? "tid" : "pid"));
    return std::nullopt;
  }
  filter.pids = *pids;
  filter.tids = *tids;
  if (!options.cpus.empty()) {
    for (const data::Event& event : reader.evlist()) {
      if (event.attr.samples(abi::sample_bit::Cpu)) continue;
      call.messages.verbatim("File does not contain CPU events. Remove -C option to proceed.\n");
      return std::nullopt;
    }
    const auto cpus = parse_number_list(options.cpus);
    if (!cpus) {
      call.messages.verbatim("Invalid cpu_list\n");
      return std::nullopt;
    }
    filter.cpus = *cpus;
  }
  if (!options.times.empty()) {
    const auto span = reader.header().features.sample_times;
    auto times = parse_time_ranges(options.times, span ? span->first : 0, span ? span->last : 0);
    if (!times) {
      if (times.error().message != "Invalid time string") return std::unexpected(std::move(times.error()));
      call.messages.verbatim("Invalid time string\n");
      return std::nullopt;
    }
    filter.times = std::move(*times);
  }
  return filter;
}

// The fields that this recording can show; nothing when the user asked for one it cannot, which was then said.
bool settle_fields(ScriptOptions& options, const data::Reader& reader, const std::vector<std::string>& names,
                   Invocation& call) {
  const data::Evlist& evlist = reader.evlist();
  const bool has_traces = std::any_of(
      evlist.begin(), evlist.end(), [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Raw); });
  const bool lenient = reader.header().has(data::FeatureId::Auxtrace);
  if (auto checked = options.fields.check(evlist, names, has_traces, lenient); !checked) {
    call.messages.verbatim(checked.error().message + "\n");
    return false;
  }
  const bool traced_chains = std::any_of(evlist.begin(), evlist.end(), [](const data::Event& event) {
    return script_type(event.attr) == ScriptType::Tracepoint && event.attr.samples(abi::sample_bit::Callchain);
  });
  if (!options.hide_chains && traced_chains && !options.fields.user_set(ScriptType::Tracepoint)) {
    options.fields.show_tracepoint_chains();
  }
  if (!options.hide_chains && reader.header().layout == data::Layout::Pipe) options.fields.show_pipe_chains(evlist);
  return true;
}

Result<int> script(ScriptOptions& options, Invocation& call) {
  for (const std::string& warning : options.field_warnings) call.messages.verbatim(warning);
  if (const std::string fields = options.fields.unprinted(); !fields.empty()) {
    call.messages.warning(fmt::format("this version does not print {}", fields));
  }
  if (options.decode_traces) call.messages.warning("this version does not decode hardware traces");
  for (const std::string* file : {&options.symbols.vmlinux, &options.symbols.kallsyms}) {
    if (!file->empty() && ::access(file->c_str(), R_OK) != 0) return refuse(call, "Invalid file: " + *file);
  }
  auto reader = open_recording(options.input, options.symbols.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  if (options.header || options.header_only) {
    print_header(reader->header(), reader->evlist(), options.info, call.out);
    if (options.header_only) return 0;
  }
  const std::vector<std::string> names = event_names(*reader);
  if (!settle_fields(options, *reader, names, call)) return 255;
  auto filter = make_filter(options, *reader, call);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return 255;

  ScriptPlan plan(reader->evlist(), names, options.fields, !options.hide_chains);
  plan.max_stack = options.max_stack;
  plan.nanoseconds = options.nanoseconds;
  plan.relative = options.relative;
  plan.delta = options.delta;
  plan.latency = options.latency;
  plan.symbols = split_words(options.symbol_list);
  plan.dsos = split_words(options.dso_list);
  plan.stop_at = split_words(options.stop_at);
  if (const auto& arch = reader->header().features.arch) plan.arch = abi::arch_of(*arch);

  Machine machine(symbol_places(options.symbols, call.config, reader->header()));
  ReplayOptions replay_options;
  replay_options.shown = shown_records(options);
  replay_options.filter = std::move(**filter);
  if (plan.in_one_hand()) replay_options.workers = 1;
  Replay replay(*reader, machine, std::move(replay_options));
  ScriptPrinter printer(plan, reader->evlist(), call.out);
  const Result<> outcome = replay.run(printer);
  PEREGRINE_TRY(call.out.flush());
  ReplayAccount account = replay.account();
  if (options.losses) account.lost_records = 0;  // they were shown
  warn_about_losses(call, account, reader->account());
  if (!outcome) return refuse(call, outcome.error().message);
  return 0;
}

}  // namespace

constinit const Command kScript{
    .name = "script",
    .summary = "Read perf.data (created by perf record) and display trace output",
    .usage = kScriptUsage,
    .options = kScriptOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Prints every sample with its time, its event and its call chain, in the order in which they happened. "
        "The text is linux-perf's, so that flame graph tools and scripts written for it work unchanged.",
    .run = entry<ScriptOptions, script>,
};

}  // namespace peregrine::cmd
