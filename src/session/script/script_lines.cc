#include "session/script/script_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record_rows.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/words.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/header/recorded_arch.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "output/binary/script_binary.h"
#include "output/csv/script_csv.h"
#include "output/json/script_jsonl.h"
#include "output/text/dump/raw_dump.h"
#include "output/text/field/script_branch_counters.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/script/script_counts.h"
#include "output/text/script/script_ftrace.h"
#include "output/text/script/script_lttng.h"
#include "output/text/script/script_printer.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/recorded_formats.h"
#include "pipeline/replay/replay.h"
#include "session/event_names.h"
#include "session/recording/losses.h"
#include "session/script/event_dumps.h"
#include "session/script/selecting_sink.h"

namespace peregrine {

namespace {

Isa isa_of_recording(abi::Arch arch) {
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

// A hexadecimal number is an address; it may be a symbol's name as well.
void take_symbols(const ScriptLinesRequest& request, ScriptPlan& plan) {
  plan.symbols = split_words(request.symbols);
  for (const std::string& word : plan.symbols) {
    std::string_view digits = word;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    if (const auto address = parse_number<u64>(digits, 16)) plan.addresses.push_back(*address);
  }
  plan.address_range = std::max<u64>(request.address_range.value_or(1), 1);
}

void choose_writer(const ScriptLinesRequest& request, const data::Reader& reader, ScriptPlan& plan) {
  const unsigned most = request.stacks.max_stack;
  const std::span<const ScriptField> rows = request.fields.rows();
  if (request.format == "ftrace") plan.make_writer = [] { return std::make_unique<FtraceWriter>(); };
  if (request.format == "lttng") {
    plan.in_sequence = true;
    plan.make_writer = [clock = plan.clock, host = reader.header().features.hostname.value_or("localhost")] {
      return std::make_unique<LttngWriter>(clock, host);
    };
  }
  if (request.format == "csv") plan.make_writer = [rows, most] { return std::make_unique<CsvWriter>(rows, most); };
  if (request.format == "jsonl") plan.make_writer = [rows, most] { return std::make_unique<JsonWriter>(rows, most); };
  if (request.format == "binary")
    plan.make_writer = [rows, most, columns = request.columns] {
      return std::make_unique<BinaryWriter>(rows, columns, most);
    };
}

bool shows_counters(const ScriptPlan& plan) {
  return !plan.make_writer && std::ranges::any_of(plan.events, [](const ScriptEvent& event) {
    return (event.fields & script_field::BrCounters) != 0;
  });
}

// The text of a slice waits for earlier slices: 300 kB for 256 chains, a tenth of that for as many lines.
std::size_t records_in_slice(const data::Evlist& evlist) {
  const bool chains = std::ranges::any_of(evlist, [](const data::Event& event) {
    return event.attr.samples(abi::sample_bit::Callchain) || event.attr.samples(abi::sample_bit::BranchStack);
  });
  return chains ? 64 : 256;
}

// Without formats, tracepoint fields are not printed.
TraceFormats formats_or_warning(const data::Reader& reader, SessionListener& listener) {
  auto formats = recorded_formats(reader);
  if (formats) return std::move(*formats);
  listener.warning(formats.error().message);
  return {};
}

}  // namespace

ScriptLines::ScriptLines(ScriptLinesRequest request, data::Reader& reader, SessionListener& listener)
    : request_(std::move(request)), reader_(reader), listener_(listener), names_(event_names(reader)) {}

Result<> ScriptLines::settle_fields() {
  auto settled = settle(names_);
  if (settled) formats_ = formats_or_warning(reader_, listener_);
  return settled;
}

Result<> ScriptLines::settle(const std::vector<std::string>& names) {
  const data::Evlist& evlist = reader_.evlist();
  const bool has_traces = std::any_of(
      evlist.begin(), evlist.end(), [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Raw); });
  if (are_counted_only(evlist)) return {};
  const bool lenient = request_.decoded || reader_.header().has(data::FeatureId::Auxtrace);
  PEREGRINE_TRY(request_.fields.check(evlist, names, has_traces, lenient));
  const bool traced_chains = std::any_of(evlist.begin(), evlist.end(), [](const data::Event& event) {
    return script_type(event.attr) == ScriptType::Tracepoint && event.attr.samples(abi::sample_bit::Callchain);
  });
  if (!request_.stacks.hidden && traced_chains && !request_.fields.user_set(ScriptType::Tracepoint))
    request_.fields.show_tracepoint_chains();
  // Decoded traces form a stream, even if they come from a file.
  const bool piped = reader_.header().layout == data::Layout::Pipe && !request_.decoded;
  if (!request_.stacks.hidden && piped) request_.fields.show_pipe_chains(evlist);
  return {};
}

void ScriptLines::make_plan() { plan_ = plan_for(names_); }

ScriptPlan ScriptLines::plan_for(const std::vector<std::string>& names) const {
  ScriptPlan plan(reader_.evlist(), names, request_.fields, formats_, !request_.stacks.hidden);
  plan.max_stack = request_.stacks.max_stack;
  plan.nanoseconds = request_.nanoseconds;
  plan.relative = request_.relative;
  plan.delta = request_.delta;
  plan.latency = request_.latency;
  plan.check_order = request_.check_order;
  plan.max_blocks = request_.max_blocks;
  plan.mnemonics = request_.mnemonics;
  plan.merges_chains = !request_.shows_deferred_chains();
  plan.counters = BranchCounters(reader_.evlist(), names, reader_.header().features, request_.detailed_counters);
  plan.dso_width = request_.branches == ScriptBranches::Calls ? 50 : 0;
  plan.dsos = split_words(request_.dsos);
  plan.stop_at = split_words(request_.stop_at);
  plan.branches = request_.branches;
  plan.shown_addresses = request_.addresses;
  plan.graph_functions = split_words(request_.graph_functions);
  plan.clock = reader_.header().features.clock_data;
  plan.arch = data::recorded_arch(reader_.header().features);
  choose_writer(request_, reader_, plan);
  take_symbols(request_, plan);
  return plan;
}

bool ScriptLines::lacks_time_of_day() const {
  return !plan_.clock && std::ranges::any_of(plan_.events, [](const ScriptEvent& event) {
    return (event.fields & script_field::Tod) != 0;
  });
}

Result<> ScriptLines::check_disassembler() const {
  const bool needed =
      std::ranges::any_of(plan_.events, [](const ScriptEvent& event) { return (event.fields & kCodeFields) != 0; });
  if (!needed) return {};
  auto opened = open_disassembler(isa_of_recording(plan_.arch));
  if (!opened) return std::unexpected(std::move(opened.error()));
  return {};
}

void ScriptLines::print_titles(Sink& out) const {
  if (request_.format == "csv") out.append(script_csv_titles(request_.fields.rows()));
  if (shows_counters(plan_)) out.append(plan_.counters.legend());
}

std::bitset<128> ScriptLines::shown_records() const {
  std::bitset<128> shown;
  auto show = [&](bool wanted, std::initializer_list<abi::RecordType> types) {
    for (const abi::RecordType type : types) {
      if (wanted) shown.set(static_cast<std::size_t>(type));
    }
  };
  using abi::RecordType;
  const ShownRecords& records = request_.records;
  show(records.mmaps, {RecordType::Mmap, RecordType::Mmap2});
  show(records.tasks, {RecordType::Comm, RecordType::Fork, RecordType::Exit});
  show(records.switches, {RecordType::Switch, RecordType::SwitchCpuWide});
  show(records.losses, {RecordType::Lost});
  show(records.namespaces, {RecordType::Namespaces});
  show(records.cgroups || plan_.names_cgroups(), {RecordType::Cgroup});
  show(records.rounds, {RecordType::FinishedRound});
  show(records.bpf, {RecordType::Ksymbol, RecordType::BpfEvent});
  show(records.text_pokes, {RecordType::TextPoke});
  const std::string& format = request_.format;  // machine formats contain only samples; the warnings count errors
  show(format.empty() || format == "perf" || format == "ftrace", {RecordType::AuxtraceError});
  show(request_.shows_deferred_chains(), {RecordType::CallchainDeferred});
  return shown;
}

ReplayOptions ScriptLines::replay_options(SampleFilter filter) const {
  ReplayOptions options;
  options.slice_records = records_in_slice(reader_.evlist());
  options.shown = shown_records();
  options.filter = std::move(filter);
  options.every_record = request_.dumps() || are_counted_only(reader_.evlist());
  request_.stacks.apply(options);
  options.merge_chains = plan_.merges_chains;
  options.by_time = !request_.dump_unsorted && !request_.records.rounds;  // rounds keep their place in the file
  const bool dumps_pipe = request_.dumps() && reader_.header().layout == data::Layout::Pipe;
  if (plan_.needs_single_worker() || are_counted_only(reader_.evlist()) || dumps_pipe || !request_.dump_stem.empty())
    options.workers = 1;
  return options;
}

// Returns whether a pipe has announced more events, or the formats of known ones.
bool ScriptLines::take_new_events(const std::function<void(const Error&)>& tell_lack, bool& explained) {
  const bool grown = reader_.evlist().size() > plan_.events.size(), late = !explained && has_formats(reader_);
  if (!grown && !late) return false;
  explained = has_formats(reader_);
  const std::vector<std::string> all = event_names(reader_);
  if (const auto settled = settle(all); !settled) tell_lack(settled.error());
  formats_ = formats_or_warning(reader_, listener_);
  plan_.take_events(plan_for(all));
  return true;
}

Result<ScriptLines::End> ScriptLines::print(Samples samples, Sink& out) {
  const auto selection = SelectingSink::make(samples.conditions, reader_);
  if (!selection) return std::unexpected(selection.error());
  print_titles(out);
  machine_ = std::make_unique<Machine>(std::move(samples.places));
  sources_ = std::make_unique<SourceTable>(machine_->dsos(), request_.full_source_path);
  plan_.sources = sources_.get();
  plan_.event_switch = samples.gate;
  plan_.shows_cgroups = request_.records.cgroups;
  if (request_.inlined) plan_.inlines = *request_.inlined ? ScriptInlines::Always : ScriptInlines::Never;
  ReplayOptions options = replay_options(std::move(samples.filter));
  ScriptPrinter printer(plan_, reader_.evlist(), out);
  if (request_.format == "binary") printer.write_bytes();
  std::optional<RawDump> dump;
  std::optional<ScriptCounts> counts;
  if (are_counted_only(reader_.evlist())) printer.set_counts(counts.emplace(reader_.evlist(), names_));
  if (request_.dumps()) {
    printer.set_dump(dump.emplace(reader_, names_, RawDump::Command::Script, !request_.dump_unsorted));
    out.append(dump->preamble());
  }
  printer.on_new_batch(
      [&, explained = has_formats(reader_)]() mutable { return take_new_events(samples.tell_lack, explained); });
  std::optional<EventDumps> dumps;
  if (!request_.dump_stem.empty()) {
    auto opened = EventDumps::open(request_.dump_stem, names_);
    if (!opened) return std::unexpected(std::move(opened.error()));
    printer.set_event_files(dumps.emplace(std::move(*opened)).files());
  }
  ReplaySink* sink = &selected(*selection, printer, options);
  if (samples.chooser != nullptr) {
    const auto choosing = samples.chooser->begin(*sink, *machine_, *sources_, reader_, names_, options);
    if (!choosing) return End{.refusal = choosing.error().message};
    sink = *choosing;
  }
  Replay replay(reader_, *machine_, std::move(options));
  const Result<> outcome = replay.run(*sink);
  if (samples.chooser != nullptr && !samples.chooser->finish())
    return End{.refusal = samples.chooser->name() + ": the filter failed"};
  sources_->keep_answers();
  if (dumps) PEREGRINE_TRY(dumps->finish(out));
  PEREGRINE_TRY(tell_end(replay, printer.misordered(), out));
  return End{.refusal = outcome ? std::string() : outcome.error().message, .is_read = true};
}

Result<> ScriptLines::tell_end(const Replay& replay, u64 misordered, Sink& out) {
  PEREGRINE_TRY(out.flush());
  if (request_.check_order) listener_.verbatim(fmt::format("Misordered timestamps: {}\n", misordered));
  ReplayAccount account = replay.account();
  if (request_.records.losses) account.lost_records = 0;  // they were shown
  warn_about_losses(listener_, account, reader_.account());
  return {};
}

}  // namespace peregrine
