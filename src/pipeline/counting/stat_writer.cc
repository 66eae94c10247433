#include "pipeline/counting/stat_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/attr.h"
#include "abi/session_record.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/synthesis/kernel.h"
#include "capture/synthesis/session.h"
#include "capture/target/target.h"
#include "data/header/evlist.h"
#include "data/header/pipe_records.h"
#include "pipeline/recording/output/recorded_event.h"
#include "sys/hardware/cpu.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Readers of counts ignore read_format, but linux-perf rejects files in which it differs between events, as it does in
// groups.
constexpr u64 kReadFormat = abi::read_bit::TotalTimeEnabled | abi::read_bit::TotalTimeRunning;

Result<std::optional<RecordingPlace>> claim_place(const std::string& path) {
  if (path == "-") return std::optional<RecordingPlace>();
  auto place = RecordingPlace::claim(path, RecordingPlace::Shape::File);
  if (!place) return std::unexpected(std::move(place.error()));
  return std::optional<RecordingPlace>(std::move(*place));
}

Result<data::Writer> open_writer(const std::string& path, const std::optional<RecordingPlace>& place) {
  if (place) {
    auto file = place->file();
    if (!file) return std::unexpected(std::move(file.error()));
    return data::Writer::open_fd(std::move(*file), path, {});
  }
  Fd out(::dup(STDOUT_FILENO));
  if (!out) return fail_errno("standard output");
  return data::Writer::open_fd(std::move(out), "standard output", {.pipe = true});
}

// Like linux-perf, writes a tool event as a dummy event that the kernel never counts.
EventList written_events(const EventList& events) {
  EventList written = events;
  for (EventSpec& spec : written) {
    spec.attr.read_format = kReadFormat;
    if (spec.tool == ToolEvent::None) continue;
    spec.attr.type = static_cast<u32>(abi::EventType::Software);
    spec.attr.config = static_cast<u64>(abi::SoftwareEvent::Dummy);
    if (spec.is_tool_time()) spec.unit = "ns";
  }
  return written;
}

}  // namespace

Result<StatWriter> StatWriter::create(const Root& root, StatFileOptions options, const EventList& events,
                                      const CounterSet& counters, const Target& target,
                                      std::span<const std::string> comms) {
  auto place = claim_place(options.path);
  if (!place) return std::unexpected(std::move(place.error()));
  auto writer = open_writer(options.path, *place);
  if (!writer) return std::unexpected(std::move(writer.error()));
  StatWriter made(root, std::move(options), std::move(*place), std::move(*writer));
  made.collect_ids(events, counters, target.kind == TargetKind::Cpus ? target.cpus.front() : -1);
  std::vector<std::vector<u64>> ids(events.size());
  for (std::size_t event = 0; event < events.size(); ++event)
    for (const CellId& cell : made.ids_[event]) ids[event].push_back(cell.id);
  add_recorded_events(written_events(events), ids, made.evlist_, made.features_);
  made.features_.stat = true;
  made.features_.tracing_data = std::move(made.options_.tracing_data);
  if (made.options_.path == "-") gather_host_features(root, made.options_.host, made.features_);
  PEREGRINE_TRY(made.writer_.begin(made.evlist_, made.features_));
  ByteWriter opening;
  made.open_records(target, comms, opening);
  PEREGRINE_TRY(made.writer_.append(opening.bytes()));
  return made;
}

void StatWriter::collect_ids(const EventList& events, const CounterSet& counters, int first_cpu) {
  u64 highest = 0;
  ids_.resize(events.size());
  for (std::size_t event = 0; event < events.size(); ++event) {
    if (events[event].tool != ToolEvent::None || !counters.supported(event)) continue;
    for (const Cell& cell : counters.matrix().at(event).cells) {
      if (!cell.fd) continue;
      ids_[event].push_back({cell.cpu, cell.thread, event_id(cell.fd.get())});
      highest = std::max(highest, ids_[event].back().id);
    }
  }
  // Tool events have no kernel id, so they get unused ones.
  for (std::size_t event = 0; event < events.size(); ++event)
    if (events[event].tool != ToolEvent::None) ids_[event] = {{first_cpu, -1, ++highest}};
}

void StatWriter::open_records(const Target& target, std::span<const std::string> comms, ByteWriter& out) {
  // A pipe has already sent them with the attrs.
  if (options_.path != "-")
    for (const data::Event& event : evlist_) data::put_event_updates(event, false, out);
  threads_ = target.kind == TargetKind::Cpus ? std::vector<Pid>{-1} : target.threads;
  std::vector<ThreadMapEntry> threads;
  for (std::size_t i = 0; i < threads_.size(); ++i)
    threads.push_back({threads_[i], i < comms.size() ? comms[i] : std::string()});
  synthesize_thread_map(threads, out);
  synthesize_cpu_map(target.kind == TargetKind::Cpus ? target.cpus : CpuList{-1}, out);
  synthesize_stat_config(
      {{{0, options_.aggregation}, {1, options_.interval_ms}, {2, options_.scale ? u64{1} : u64{0}}}}, out);
}

const StatWriter::CellId* StatWriter::cell_of(const CounterReading& reading) const {
  const auto& cells = ids_[reading.event];
  const auto same = [&](const CellId& cell) { return cell.cpu == reading.cpu && cell.thread == reading.thread; };
  const auto found = std::ranges::find_if(cells, same);
  if (found != cells.end()) return &*found;
  // Tool events have no CPU, but linux-perf requires one.
  return cells.size() == 1 && reading.cpu < 0 && reading.thread < 0 ? &cells.front() : nullptr;
}

Result<> StatWriter::add_round(std::span<const CounterReading> readings, u64 since_start_ns, bool last) {
  if (place_) PEREGRINE_TRY(place_->take());
  ByteWriter out;
  for (const CounterReading& reading : readings) {
    const CellId* cell = cell_of(reading);
    if (cell == nullptr) continue;
    const auto thread = std::ranges::find(threads_, reading.thread);
    abi::StatRecord record{.id = cell->id, .cpu = cell->cpu};
    if (thread != threads_.end()) record.thread = static_cast<u32>(thread - threads_.begin());
    record.value = reading.value;
    record.enabled = reading.enabled;
    record.running = reading.running;
    synthesize_stat(record, out);
  }
  synthesize_stat_round({last, since_start_ns}, out);
  return writer_.append(out.bytes());
}

Result<> StatWriter::finish() {
  if (place_) PEREGRINE_TRY(place_->take());
  if (options_.path != "-") {
    // Readers of profiles expect a kernel map in every file.
    ByteWriter out;
    if (const auto text = kernel_text(root_)) synthesize_kernel_map(*text, {}, 0, out);
    PEREGRINE_TRY(writer_.append(out.bytes()));
    gather_host_features(root_, options_.host, features_);
  }
  return writer_.finish(features_);
}

}  // namespace peregrine
