// script: every sample of a recording as text, in time order, in the form that flame graph tools and people's own
// scripts read.
#include "cmd/script/script_options.h"

#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <charconv>

#include "base/number/number_list.h"
#include "cli/frame/program_name.h"
#include "cmd/sandbox/denied_files.h"
#include "cmd/script/event_dumps.h"
#include "cmd/script/script_export.h"
#include "cmd/script/script_filter.h"
#include "cmd/script/script_generate.h"
#include "cmd/script/script_run.h"
#include "cmd/script/script_summary.h"
#include "data/header/recorded_arch.h"
#include "machine/machine.h"
#include "output/binary/script_binary.h"
#include "output/csv/script_csv.h"
#include "output/json/script_jsonl.h"
#include "output/text/dump/header_text.h"
#include "output/text/script/script_ftrace.h"
#include "output/text/script/script_lttng.h"
#include "output/text/script/script_printer.h"
#include "pipeline/replay/recorded_formats.h"
#include "pipeline/replay/replay.h"
#include "session/event_names.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

// Formats for programs always have whole chains.
bool shows_deferred_chains(const ScriptOptions& options) {
  const std::string& format = options.format.name;
  return !options.merge_chains && !options.hide_chains && (format.empty() || format == "perf");
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
  const std::string& format = options.format.name;  // machine formats have samples only; the warnings count errors
  show(format.empty() || format == "perf" || format == "ftrace", {RecordType::AuxtraceError});
  show(shows_deferred_chains(options), {RecordType::CallchainDeferred});
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
    if (!samples_have_cpus(reader.evlist(), call)) return std::nullopt;
    const auto cpus = parse_number_list(options.cpus, kHighestCpu);
    if (!cpus) {
      call.messages.verbatim("Invalid cpu_list\n");
      return std::nullopt;
    }
    filter.cpus = *cpus;
  }
  if (!options.times.empty()) {
    auto times = choose_times(options.times, reader);
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
bool settle_fields(ScriptOptions& options, const OpenedRecording& reader, const std::vector<std::string>& names,
                   Invocation& call) {
  const data::Evlist& evlist = reader.evlist();
  const bool has_traces = std::any_of(
      evlist.begin(), evlist.end(), [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Raw); });
  if (are_counted_only(evlist)) return true;
  const bool lenient = reader.decoded || reader.header().has(data::FeatureId::Auxtrace);
  if (auto checked = options.fields.check(evlist, names, has_traces, lenient); !checked) {
    call.messages.verbatim(with_program_name(call.messages.program(), checked.error().message) + "\n");
    return false;
  }
  const bool traced_chains = std::any_of(evlist.begin(), evlist.end(), [](const data::Event& event) {
    return script_type(event.attr) == ScriptType::Tracepoint && event.attr.samples(abi::sample_bit::Callchain);
  });
  if (!options.hide_chains && traced_chains && !options.fields.user_set(ScriptType::Tracepoint)) {
    options.fields.show_tracepoint_chains();
  }
  // Decoded traces come as a stream, of a recording that need not be one.
  const bool piped = reader.header().layout == data::Layout::Pipe && !reader.decoded;
  if (!options.hide_chains && piped) options.fields.show_pipe_chains(evlist);
  return true;
}

Isa isa_of(abi::Arch arch) {
  switch (arch) {
    case abi::Arch::X86:
      return Isa::X86_64;
    case abi::Arch::Arm:
      return Isa::Arm;
    case abi::Arch::Arm64:
      return Isa::Arm64;
    case abi::Arch::Powerpc:
      return Isa::Ppc64;
    case abi::Arch::S390:
      return Isa::S390;
    case abi::Arch::Riscv:
    case abi::Arch::Unknown:
      break;
  }
  return Isa::Unknown;
}

// The library that reads instructions may be missing: then that is said before anything is printed.
Result<> check_disassembler(const ScriptPlan& plan) {
  const bool needed = std::any_of(plan.events.begin(), plan.events.end(),
                                  [](const ScriptEvent& event) { return (event.fields & kCodeFields) != 0; });
  if (!needed) return {};
  auto opened = open_disassembler(isa_of(plan.arch));
  if (!opened) return std::unexpected(std::move(opened.error()));
  return {};
}

// What -S names: symbols, and addresses where a word is a hexadecimal number (which may be a symbol's name as well).
void take_symbols(const ScriptOptions& options, ScriptPlan& plan) {
  plan.symbols = split_words(options.symbol_list);
  for (const std::string& word : plan.symbols) {
    std::string_view digits = word;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    u64 address = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
    if (parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size()) plan.addresses.push_back(address);
  }
  plan.address_range = std::max<u64>(options.address_range.value_or(1), 1);
}

// How its tracepoints are printed; formats that are broken are said, and then nothing is printed of them.
TraceFormats trace_formats(const data::Reader& reader, Invocation& call) {
  auto formats = recorded_formats(reader);
  if (formats) return std::move(*formats);
  call.messages.warning(formats.error().message);
  return {};
}

ScriptPlan make_plan(const ScriptOptions& options, const data::Reader& reader, const std::vector<std::string>& names,
                     const TraceFormats& formats) {
  ScriptPlan plan(reader.evlist(), names, options.fields, formats, !options.hide_chains);
  plan.max_stack = options.max_stack;
  plan.nanoseconds = options.nanoseconds;
  plan.relative = options.relative;
  plan.delta = options.delta;
  plan.latency = options.latency;
  plan.check_order = options.check_order;
  plan.max_blocks = options.max_blocks;
  plan.mnemonics = options.mnemonics;
  plan.merges_chains = !shows_deferred_chains(options);
  plan.counters = BranchCounters(reader.evlist(), names, reader.header().features, options.verbose > 0);
  plan.dso_width = options.branches == ScriptBranches::Calls ? 50 : 0;
  plan.dsos = split_words(options.dso_list);
  plan.stop_at = split_words(options.stop_at);
  plan.branches = options.branches;
  plan.shown_addresses = options.addresses;
  plan.graph_functions = split_words(options.graph_functions);
  plan.clock = reader.header().features.clock_data;
  plan.arch = data::recorded_arch(reader.header().features);
  if (options.format.name == "ftrace") plan.make_writer = [] { return std::make_unique<FtraceWriter>(); };
  if (options.format.name == "lttng") {
    plan.in_sequence = true;
    plan.make_writer = [clock = plan.clock, host = reader.header().features.hostname.value_or("localhost")] {
      return std::make_unique<LttngWriter>(clock, host);
    };
  }
  if (options.format.name == "csv")
    plan.make_writer = [most = options.max_stack] { return std::make_unique<CsvWriter>(most); };
  if (options.format.name == "jsonl")
    plan.make_writer = [most = options.max_stack] { return std::make_unique<JsonWriter>(most); };
  if (options.format.name == "binary")
    plan.make_writer = [most = options.max_stack, columns = options.format.columns] {
      return std::make_unique<BinaryWriter>(columns, most);
    };
  take_symbols(options, plan);
  return plan;
}

bool shows_counters(const ScriptPlan& plan) {
  return !plan.make_writer && std::ranges::any_of(plan.events, [](const ScriptEvent& event) {
    return (event.fields & script_field::BrCounters) != 0;
  });
}

bool asks_time_of_day(const ScriptPlan& plan) {
  return std::any_of(plan.events.begin(), plan.events.end(),
                     [](const ScriptEvent& event) { return (event.fields & script_field::Tod) != 0; });
}

// Words on stderr about options, and the exit code if nothing can be done with them.
std::optional<int> check_options(const ScriptOptions& options, Invocation& call) {
  for (const std::string& warning : options.field_warnings) call.messages.verbatim(warning);
  if (options.guest_code)
    call.messages.note("--guest-code: guests' code is not looked up in the process that runs them");
  if (options.relative && options.delta) {
    return refuse_verbatim(
        call, "reltime and deltatime - the two don't get along well. Please limit to --reltime or --deltatime.");
  }
  return std::nullopt;
}

// What is asked of branches that are not there.
void warn_about_calls(const ScriptOptions& options, const OpenedRecording& reader, Invocation& call) {
  const bool calls = options.branches != ScriptBranches::All || !options.graph_functions.empty();
  const auto is_branch = [](const data::Event& event) { return is_branch_record(event.attr); };
  if (!calls || reader.decoded || std::ranges::any_of(reader.evlist().events(), is_branch)) return;
  call.messages.note("no calls are known: the recording has no branches", "record -e branches:u -c 1 -d records them");
}

// A slice's text waits until those before it are written: 300 kB for 256 chains, a tenth of it for as many lines.
std::size_t slice_records(const data::Evlist& evlist) {
  const bool chains = std::ranges::any_of(evlist, [](const data::Event& event) {
    return event.attr.samples(abi::sample_bit::Callchain) || event.attr.samples(abi::sample_bit::BranchStack);
  });
  return chains ? 64 : 256;
}

Result<int> print_recording(ScriptOptions& options, ScriptPlan plan, SampleFilter filter, OpenedRecording& reader,
                            TraceFormats& formats, const std::vector<std::string>& names, Invocation& call) {
  std::unique_ptr<ScriptFilter> chooser;
  if (!options.dlfilter.empty()) {
    auto opened = ScriptFilter::open(options, call);
    if (!opened) return refuse_verbatim(call, fmt::format("{}: {}", opened.error().message, opened.error().hint));
    chooser = std::move(*opened);
  }
  options.symbols.parameters = options.verbose > 0;
  Machine machine(symbol_places(options.symbols, call, reader));
  SourceTable sources(machine.dsos(), options.full_source_path);
  plan.sources = &sources;
  if (options.inlined) plan.inlines = *options.inlined ? ScriptInlines::Always : ScriptInlines::Never;
  ReplayOptions replay_options;
  replay_options.slice_records = slice_records(reader.evlist());
  replay_options.shown = shown_records(options);
  plan.shows_cgroups = options.cgroups;
  if (plan.names_cgroups()) replay_options.shown.set(static_cast<std::size_t>(abi::RecordType::Cgroup));
  replay_options.filter = std::move(filter);
  const bool dumps_records = options.dump || options.dump_unsorted, counted = are_counted_only(reader.evlist());
  replay_options.every_record = dumps_records || counted;
  replay_options.unwind = !options.hide_chains;
  replay_options.max_stack = options.max_stack;
  replay_options.stitch_branches = options.stitch_lbr;
  replay_options.accessing = options.accessing;
  replay_options.merge_chains = plan.merges_chains;
  replay_options.by_time = !options.dump_unsorted && !options.rounds;  // rounds are shown where they stand
  if (plan.needs_single_worker() || replay_options.every_record || options.per_event) replay_options.workers = 1;
  ScriptPrinter printer(plan, reader.evlist(), call.out);
  if (options.format.name == "binary") printer.write_bytes();
  std::optional<RawDump> dump;
  std::optional<ScriptCounts> counts;
  if (counted) printer.set_counts(counts.emplace(reader.evlist(), names));
  if (dumps_records) {
    printer.set_dump(dump.emplace(reader, names, RawDump::Command::Script, !options.dump_unsorted));
    call.out.append(dump->preamble());
  }
  printer.on_new_batch([&, explained = has_formats(reader)]() mutable {
    const bool grown = reader.evlist().size() > plan.events.size(), late = !explained && has_formats(reader);
    if (!grown && !late) return false;
    explained = has_formats(reader);
    const std::vector<std::string> all = event_names(reader);
    settle_fields(options, reader, all, call);  // what they lack is said; the others are still shown
    formats = trace_formats(reader, call);
    plan.take_events(make_plan(options, reader, all, formats));
    return true;
  });
  std::optional<EventDumps> dumps;
  if (options.per_event) {
    const bool is_pipe = reader.header().layout == data::Layout::Pipe;
    auto opened = EventDumps::open(is_pipe ? std::string() : reader.path(), names);
    if (!opened) return std::unexpected(std::move(opened.error()));
    printer.set_event_files(dumps.emplace(std::move(*opened)).files());
  }
  ReplaySink* sink = &printer;
  if (chooser != nullptr) {
    const auto choosing = chooser->begin(printer, machine, sources, reader, names, replay_options);
    if (!choosing) return refuse_verbatim(call, choosing.error().message);
    sink = *choosing;
  }
  Replay replay(reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(*sink);
  if (chooser != nullptr && !chooser->finish()) return refuse_verbatim(call, options.dlfilter + ": the filter failed");
  sources.keep_answers();
  if (dumps) PEREGRINE_TRY(dumps->finish(call.out));
  PEREGRINE_TRY(call.out.flush());
  if (options.check_order) {
    call.messages.verbatim(fmt::format("Misordered timestamps: {}\n", printer.misordered()));
  }
  ReplayAccount account = replay.account();
  if (options.losses) account.lost_records = 0;  // they were shown
  warn_about_losses(call, account, reader.account());
  warn_about_denied_files(call, machine.dsos());
  if (!outcome) return refuse_verbatim(call, outcome.error().message);
  return 0;
}

Result<int> read_otherwise(ScriptOptions& options, OpenedRecording& reader, const std::vector<std::string>& names,
                           Invocation& call) {
  auto filter = make_filter(options, reader, call);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return 255;
  const auto gate = make_event_switch(options.switching, names, call);
  if (!gate) return 254;
  if (options.format.is_profile()) return export_script(options, std::move(**filter), *gate, reader, call);
  return run_script(options, std::move(**filter), *gate, reader, call);
}

Result<int> show_recording(ScriptOptions& options, OpenedRecording& reader, Invocation& call) {
  const std::vector<std::string> names = event_names(reader);
  if (!options.generated.empty()) return generate_script(options.generated, reader, call);
  if (!options.script.empty() || options.format.is_profile()) return read_otherwise(options, reader, names, call);
  if (!settle_fields(options, reader, names, call)) return 255;
  TraceFormats formats = trace_formats(reader, call);
  if (asks_summary(options)) {
    auto summed = make_filter(options, reader, call);
    if (!summed) return std::unexpected(std::move(summed.error()));
    return *summed ? print_summary(options, formats, std::move(**summed), reader, names, call) : 255;
  }
  ScriptPlan plan = make_plan(options, reader, names, formats);
  if (asks_time_of_day(plan) && !plan.clock) {
    return refuse_verbatim(call,
                           "Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option.");
  }
  PEREGRINE_TRY(check_disassembler(plan));
  auto filter = make_filter(options, reader, call);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return 255;
  const auto gate = make_event_switch(options.switching, names, call);
  if (!gate) return 254;
  plan.event_switch = *gate;
  if (options.format.name == "csv") call.out.append(kScriptCsvTitles);
  if (shows_counters(plan)) call.out.append(plan.counters.legend());
  return print_recording(options, std::move(plan), std::move(**filter), reader, formats, names, call);
}

Result<int> read_recording(ScriptOptions& options, Invocation& call) {
  if (const auto code = check_options(options, call)) return *code;
  if (options.format.name == "binary" && call.out_is_terminal && options.format.output.empty())
    return std::unexpected(Error{ErrorKind::Usage, "--format binary does not write to a terminal"}.with_hint(
        "write it to a file (-o FILE) or into a pipe"));
  if (options.list) return list_scripts(call);
  if (options.list_dlfilters) return list_dlfilters(call);
  if (!options.script.empty()) {
    PEREGRINE_TRY(check_script(options, call));
  } else if (!call.words.empty()) {
    return run_named_script(options, call);
  }
  auto reader = open_recording(options.input, options.symbols.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  if (options.header || options.header_only) {
    print_header(reader->header(), reader->evlist(), options.info, call.out);
    if (options.header_only) return 0;
  }
  if (!options.dump)
    PEREGRINE_TRY(decode_recording(*reader, options.traces, default_itrace(false), options.symbols, call));
  warn_about_calls(options, *reader, call);
  auto code = show_recording(options, *reader, call);
  tell_decoding(*reader, call);
  return code;
}

}  // namespace

Result<int> script(ScriptOptions& options, Invocation& call) {
  const Writing writing = options.format.is_profile() ? Writing::Whole : Writing::AsItGoes;
  return write_into(options.format, writing, {}, options.input, call,
                    [&](Invocation& into) { return read_recording(options, into); });
}

}  // namespace peregrine::cmd
