#include "pipeline/recording/unwind/lap_unwinder.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/record_walk.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/dso/kept_files.h"
#include "machine/process/moment.h"
#include "unwind/unwinder.h"

namespace peregrine {
namespace {

// Unwinding needs no symbols, so they are never loaded.
SymbolPlaces without_symbols(KeptFiles kept) {
  SymbolPlaces places;
  places.load = false;
  places.kept = std::move(kept);
  return places;
}

constexpr u64 kUnwoundBits = abi::sample_bit::Callchain | abi::sample_bit::RegsUser | abi::sample_bit::StackUser;

}  // namespace

LapUnwinder::LapUnwinder(data::Evlist evlist, KeptFiles kept)
    : evlist_(std::move(evlist)),
      machine_(without_symbols(std::move(kept))),
      tables_(machine_.dsos()),
      resolver_(machine_),
      unwinder_(machine_, tables_) {
  machine_.forget_exited_threads();
}

// Returns the view of a record that list() found.
abi::RecordView LapUnwinder::view(Bytes lap, u32 offset) const {
  abi::RecordView record = *abi::first_record(lap.subspan(offset));
  record.offset = offset;
  return record;
}

// Sorts the lap by time: the kernel writes each ring in time order, but a lap holds several rings.
void LapUnwinder::list(Bytes lap) {
  items_.clear();
  for (std::size_t at = 0;;) {
    auto record = abi::first_record(lap.subspan(at));
    if (!record) break;
    record->offset = at;
    items_.push_back(Item{evlist_.time_of(*record), static_cast<u32>(at), 0});
    at += record->bytes.size();
  }
  by_time_.resize(items_.size());
  std::iota(by_time_.begin(), by_time_.end(), 0u);
  std::ranges::stable_sort(by_time_, {}, [&](u32 item) { return items_[item].time; });
}

// Two passes: first the machine learns the lap's side-band in time order, then each stack is unwound at the moment of
// its sample. The output keeps the order of the lap.
Bytes LapUnwinder::rewrite(Bytes lap, bool unwind) {
  list(lap);
  machine_.forget_before(next_);
  for (const u32 item : by_time_) {
    items_[item].moment = next_++;
    const abi::RecordView record = view(lap, items_[item].offset);
    if (record.type != abi::RecordType::Sample) follow(record, items_[item].moment);
  }
  machine_.set_applied_until(next_);
  tables_.grow();
  if (!unwind) {
    for (const Item& item : items_) kept_ += decode_stack(view(lap, item.offset)) ? 1 : 0;
    return lap;
  }
  out_.clear();
  for (const Item& item : items_) {
    const abi::RecordView record = view(lap, item.offset);
    if (!shorten(record, item.moment)) out_.append(record.bytes);
  }
  return out_.bytes();
}

void LapUnwinder::follow(const abi::RecordView& record, Moment moment) {
  if (record.type >= abi::RecordType::UserTypeStart) return;
  const auto decoded = abi::decode_side_band(record, evlist_.attr_of(record), side_band_scratch_);
  if (decoded && *decoded) machine_.apply(**decoded, moment);
}

// Decodes a sample with a user stack into sample_ and returns its decoder, or nullptr for other records.
const abi::SampleDecoder* LapUnwinder::decode_stack(const abi::RecordView& record) {
  if (record.type != abi::RecordType::Sample) return nullptr;
  const u32 event = evlist_.event_of(record);
  if (event == data::kNoEvent || (evlist_[event].attr.sample_type & kUnwoundBits) != kUnwoundBits) return nullptr;
  const abi::SampleDecoder& decoder = evlist_.decoder(event);
  const bool whole = decoder.decode(record, sample_, sample_scratch_);
  return whole && StackUnwinder::has_stack(sample_) ? &decoder : nullptr;
}

bool LapUnwinder::shorten(const abi::RecordView& record, Moment moment) {
  const abi::SampleDecoder* decoder = decode_stack(record);
  if (decoder == nullptr) return false;
  const auto places = decoder->stack_places(record);
  if (!places) return false;
  frames_.clear();
  const Resolver::Context& context = resolver_.context(sample_.pid, sample_.tid, moment);
  const UnwindLimits limits{.callers_minus_one = false};
  const UnwindStop stop = unwinder_.unwind(context.space, abi::kHostArch, kHostOrder, sample_, limits, frames_);
  const std::size_t chain = sample_.callchain.size() + 1 + frames_.size();
  const std::size_t size = places->callchain + 8 + 8 * chain + (places->registers - places->callchain_end) + 16 +
                           (record.bytes.size() - places->stack_end);
  const bool unknown = frames_.size() <= 1 && stop != UnwindStop::Ended;
  if (unknown || stop == UnwindStop::Unsupported || size > 0xffff) {
    ++kept_;
    return false;
  }
  ++counts_.stacks[static_cast<std::size_t>(stop)];
  const std::size_t start = out_.size();
  out_.append(record.bytes.first(places->callchain)).put64(chain);
  for (const u64 ip : sample_.callchain) out_.put64(ip);
  out_.put64(abi::kContextUser);
  for (const u64 ip : frames_) out_.put64(ip);
  out_.append(record.bytes.subspan(places->callchain_end, places->registers - places->callchain_end));
  out_.put64(0).put64(0);  // no registers, no stack
  out_.append(record.bytes.subspan(places->stack_end));
  out_.patch(start + 6, static_cast<u16>(size));
  return true;
}

}  // namespace peregrine
