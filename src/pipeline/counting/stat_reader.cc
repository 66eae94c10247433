#include "pipeline/counting/stat_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>
#include <variant>

#include "abi/record.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/kind/name.h"
#include "sys/process/process.h"

namespace peregrine {

Result<StatReader> StatReader::open(data::Reader& reader) {
  StatReader made(reader);
  PEREGRINE_TRY(made.read_settings());
  return made;
}

Result<> StatReader::read_settings() {
  abi::RecordView record;
  while (!has_settings_) {
    auto more = reader_.next(record);
    if (!more) return std::unexpected(std::move(more.error()));
    if (!*more) {
      return std::unexpected(
          Error{ErrorKind::Malformed, fmt::format("{}: contains no counts", reader_.path())}.with_hint(
              "use 'stat record' to record counts; 'report' and 'script' read other recordings"));
    }
    take(record);
  }
  make_events();
  return {};
}

// Called at the settings record: by then, the attrs and EVENT_UPDATE records have described all events.
void StatReader::make_events() {
  const data::Evlist& evlist = reader_.evlist();
  for (std::size_t index = 0; index < evlist.size(); ++index) {
    const data::Event& event = evlist[index];
    EventSpec spec;
    spec.name = event.name.empty() ? event_name(event.attr) : event.name;
    spec.attr = event.attr;
    spec.unit = event.unit;
    spec.scale = event.scale;
    spec.leader = event.leader < evlist.size() ? event.leader : index;
    spec.group_size = event.members;
    spec.group_name = event.group_name;
    events_.push_back(std::move(spec));
  }
}

std::vector<bool> StatReader::supported() const {
  std::vector<bool> supported;
  for (const data::Event& event : reader_.evlist()) supported.push_back(!event.ids.empty());
  return supported;
}

void StatReader::take(const abi::RecordView& record) {
  const auto decoded = abi::decode_session_record(record);
  if (!decoded || !*decoded) return;  // the reader counts malformed records
  if (const auto* threads = std::get_if<abi::ThreadMapRecord>(&**decoded)) {
    threads_.clear();
    for (const auto& thread : threads->threads)
      threads_.push_back({static_cast<Pid>(thread.tid), std::string(thread.comm)});
  } else if (const auto* cpus = std::get_if<abi::CpuMapRecord>(&**decoded)) {
    cpus_.clear();
    for (const u32 cpu : cpus->cpus) cpus_.push_back(static_cast<int>(cpu));
  } else if (const auto* settings = std::get_if<abi::StatConfigRecord>(&**decoded)) {
    for (const auto& entry : settings->entries) {
      if (entry.tag == 0) aggregation_ = entry.value;
      if (entry.tag == 1) interval_ms_ = entry.value;
      if (entry.tag == 2) scale_ = entry.value != 0;
    }
    has_settings_ = true;
  } else if (const auto* reading = std::get_if<abi::StatRecord>(&**decoded)) {
    add(*reading);
  } else if (const auto* round = std::get_if<abi::StatRoundRecord>(&**decoded)) {
    round_ = *round;
  }
}

void StatReader::add(const abi::StatRecord& reading) {
  const u32 event = reader_.evlist().find_id(reading.id);
  const bool known_cpu = reading.cpu < 0 || std::ranges::find(cpus_, reading.cpu) != cpus_.end();
  const bool known_thread = reading.thread < threads_.size() || (threads_.empty() && reading.thread == 0);
  if (event == data::kNoEvent || !known_cpu || !known_thread) {
    ++unknown_;
    return;
  }
  const Pid thread = threads_.empty() ? -1 : threads_[reading.thread].thread;
  readings_[{event, reading.cpu, reading.thread}] = {event,         reading.cpu,     thread,
                                                     reading.value, reading.enabled, reading.running};
}

Result<std::optional<StatRound>> StatReader::next() {
  abi::RecordView record;
  round_.reset();
  while (!round_) {
    auto more = reader_.next(record);
    if (!more) return std::unexpected(std::move(more.error()));
    if (!*more) return std::nullopt;
    take(record);
  }
  StatRound made{.since_start_ns = round_->time, .last = round_->last};
  for (const auto& [place, reading] : readings_) made.readings.push_back(reading);
  return made;
}

}  // namespace peregrine
