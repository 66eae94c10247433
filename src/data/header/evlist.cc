#include "data/header/evlist.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>
#include <utility>

#include "abi/record_places.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/trailer_end.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::data {
namespace {

namespace bit = abi::sample_bit;

u32 agree(u32 known, u32 next, bool first) { return first || known == next ? next : 0xfffffffeu; }

// Distance of the id from the end of the record. The trailer is: tid, time, id, stream_id, cpu, identifier.
u32 trailer_id_distance(const abi::EventAttr& attr) {
  if (!attr.has(abi::attr_flag::SampleIdAll)) return abi::kAbsent;
  if (attr.samples(bit::Identifier)) return 8;
  if (!attr.samples(bit::Id)) return abi::kAbsent;
  return 8 * (1u + static_cast<u32>(std::popcount(attr.sample_type & (bit::StreamId | bit::Cpu))));
}

u32 trailer_time_distance(const abi::EventAttr& attr) {
  if (!attr.has(abi::attr_flag::SampleIdAll) || !attr.samples(bit::Time)) return abi::kAbsent;
  return 8 * (1u + static_cast<u32>(
                       std::popcount(attr.sample_type & (bit::Id | bit::StreamId | bit::Cpu | bit::Identifier))));
}

// Returns the 8 bytes at `distance` before the end of the trailer, or 0 if the record is too short.
u64 trailer_word(const abi::RecordView& record, u32 distance, const abi::EventAttr& attr) {
  const std::size_t end = abi::trailer_end(record, abi::sample_id_size(attr));
  if (distance == abi::kAbsent || end < abi::kRecordHeaderSize + distance) return 0;
  return load<u64>(record.bytes.data() + end - distance, record.order);
}

bool is_sample(const abi::RecordView& record) { return record.type == abi::RecordType::Sample; }

u64 random_odd_number() {
  u64 number = 0;
  if (::getentropy(&number, sizeof number) != 0)
    number = 0x9e3779b97f4a7c15;  // no randomness: no worse than a fixed hash
  return number | 1;
}

}  // namespace

Evlist::Evlist(ByteOrder order) : order_(order), mixer_(random_odd_number()) {}

u32 Evlist::add(Event event) {
  const u32 index = static_cast<u32>(events_.size());
  event.leader = index;
  const std::vector<u64> ids = event.ids;
  events_.push_back(std::move(event));
  for (const u64 id : ids) insert(id, index);
  plan(events_.back());
  return index;
}

void Evlist::add_id(u32 event, u64 id) {
  events_[event].ids.push_back(id);
  insert(id, event);
}

void Evlist::name_tracepoint(u64 config, std::string_view name) {
  for (Event& event : events_) {
    if (event.is_nameless_tracepoint() && event.attr.config == config) event.name = name;
  }
}

void Evlist::set_group(u32 leader, u32 members, std::string name) {
  if (leader >= events_.size() || members == 0 || members > events_.size() - leader) return;
  // Groups do not overlap. A repeated definition changes nothing.
  if (events_[leader].leader != leader || events_[leader].members > 1) return;
  events_[leader].members = members;
  events_[leader].group_name = std::move(name);
  for (u32 i = leader; i < leader + members; ++i) events_[i].leader = leader;
}

// Adds the decoder of the next event and updates which offsets all events share.
void Evlist::plan(const Event& event) {
  const bool first = decoders_.empty();
  decoders_.emplace_back(event.attr, order_);
  const abi::SampleOffsets& at = decoders_.back().offsets();
  sample_id_at_ = agree(sample_id_at_, at.identifier != abi::kAbsent ? at.identifier : at.id, first);
  sample_time_at_ = agree(sample_time_at_, at.time, first);
  trailer_id_at_ = agree(trailer_id_at_, trailer_id_distance(event.attr), first);
  trailer_time_at_ = agree(trailer_time_at_, trailer_time_distance(event.attr), first);
}

void Evlist::insert(u64 id, u32 event) {
  if (id == 0 || find_id(id) != kNoEvent) return;
  if (2 * (used_ + 1) > slots_.size()) {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 16 : 2 * old.size(), Slot{});
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
    used_ = 0;
    for (const Slot& slot : old) {
      if (slot.id != 0) insert(slot.id, slot.event);
    }
  }
  std::size_t at = (id * mixer_) >> shift_;
  while (slots_[at].id != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {id, event};
  ++used_;
}

u32 Evlist::find_id(u64 id) const {
  if (slots_.empty() || id == 0) return kNoEvent;
  for (std::size_t at = (id * mixer_) >> shift_; slots_[at].id != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].id == id) return slots_[at].event;
  }
  return kNoEvent;
}

// The offset of the id in samples. If the events disagree on it, use the first event's: such a list is decodable only
// with IDENTIFIER, which is at the same offset in all events.
u32 Evlist::sample_id_place() const {
  return sample_id_at_ == kMixed ? decoders_[0].offsets().identifier : sample_id_at_;
}

// Returns the id in a record, or 0.
u64 Evlist::id_in(const abi::RecordView& record) const {
  const std::size_t size = record.bytes.size();
  u32 at;
  if (is_sample(record)) {
    at = sample_id_place();
    if (at == abi::kAbsent || size < at + std::size_t{8}) return 0;
    return load<u64>(record.bytes.data() + at, order_);
  }
  at = trailer_id_at_ == kMixed ? trailer_id_distance(events_[0].attr) : trailer_id_at_;
  return trailer_word(record, at, events_[0].attr);
}

u32 Evlist::event_of(const abi::RecordView& record) const {
  if (events_.size() <= 1) return events_.empty() ? kNoEvent : 0;
  const u64 id = id_in(record);
  if (id == 0) return 0;
  const u32 event = find_id(id);
  // Without sample_id_all, side-band has no field that could identify an event.
  if (event == kNoEvent && !is_sample(record) && !events_[0].attr.has(abi::attr_flag::SampleIdAll)) return 0;
  return event;
}

const abi::EventAttr& Evlist::attr_of(const abi::RecordView& record) const {
  static constexpr abi::EventAttr kNoAttr{};  // a file may have records but no event
  if (events_.empty()) return kNoAttr;
  const u32 event = event_of(record);
  return events_[event == kNoEvent ? 0 : event].attr;
}

bool Evlist::all_use_clock(i32 clock) const {
  return !events_.empty() && std::ranges::all_of(events_, [clock](const Event& event) {
    return event.attr.has(abi::attr_flag::UseClockid) && event.attr.clockid == clock;
  });
}

std::optional<Evlist::SamplePlaces> Evlist::sample_places() const {
  if (events_.empty() || sample_time_at_ == kMixed) return std::nullopt;
  return SamplePlaces{sample_time_at_, events_.size() == 1 ? abi::kAbsent : sample_id_place()};
}

u64 Evlist::time_of(const abi::RecordView& record) const {
  if (record.type == abi::RecordType::AuxtraceError) return abi::auxtrace_error_time(record);
  if (static_cast<u32>(record.type) >= 64 || events_.empty()) return 0;
  const std::size_t size = record.bytes.size();
  if (is_sample(record)) {
    u32 at = sample_time_at_;
    if (at == kMixed) {
      const u32 event = event_of(record);
      at = decoders_[event == kNoEvent ? 0 : event].offsets().time;
    }
    if (at == abi::kAbsent || size < at + std::size_t{8}) return 0;
    return load<u64>(record.bytes.data() + at, order_);
  }
  if (trailer_time_at_ != kMixed) return trailer_word(record, trailer_time_at_, events_[0].attr);
  const abi::EventAttr& attr = attr_of(record);
  return trailer_word(record, trailer_time_distance(attr), attr);
}

}  // namespace peregrine::data
