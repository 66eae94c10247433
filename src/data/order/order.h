// Order: the records of a Reader in time order, in batches, without copying them.
//
//   chunks of file bytes ─▶ index {time, place} in file order ─▶ ascending runs ─▶ merged up to the watermark ─▶ Batch
//
// At a FINISHED_ROUND, all records up to the newest one before the previous round are safe to deliver, because all
// rings were read since. Rounds are combined until `batch_bytes` of records wait and then delivered in one batch,
// which gives the same order. A record without a time is delivered when it is read: after the records that its round
// released, before all others. Equal times keep file order. Memory: batch_bytes plus 16 bytes per waiting record.
// Beyond `held_bytes` (a file without rounds), bytes are dropped and read again on delivery. Compressed records cannot
// be read again, so they are delivered early. Not thread safe. With OrderOptions::ahead too, the Reader's header and
// events change only within next(), and no other code may read from it until stop().
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "data/order/run_merge.h"
#include "data/reader/reader.h"
#include "data/stream/chunk.h"

namespace peregrine::data {

class BatchAhead;

struct OrderOptions {
  bool by_time = true;  // false: file order, still in batches; Batch::time() is then 0
  bool ahead = false;   // prepare the next batch of a large file on a second thread
  bool rounds = false;  // deliver FINISHED_ROUND records too, each before the records that it releases
  std::size_t batch_bytes = 16u << 20;
  std::size_t least_bytes = 1u << 18;  // a paused pipe with less than this waits for the next round
  std::size_t held_bytes = 64u << 20;
};

// Records in delivery order. Views are valid until the next Order::next(). Const functions are thread safe.
class Batch {
 public:
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // Time in ns, or 0 for a record without a time.
  u64 time(std::size_t i) const { return (entries_[i].place & kTimeless) != 0 ? 0 : entries_[i].time; }
  abi::RecordView view(std::size_t i) const {
    const IndexEntry& entry = entries_[i];
    const Source& source = sources_[entry.chunk];
    const u32 place = entry.place & kPlace;
    const std::byte* at = source.bytes + place;
    abi::RecordView view;
    view.type = static_cast<abi::RecordType>(load<u32>(at, order_));
    view.misc = load<u16>(at + 4, order_);
    view.bytes = {at, load<u16>(at + 6, order_)};
    view.order = order_;
    view.offset = source.origin.offset_of(source.bytes, place);
    view.compressed = source.origin.compressed;
    return view;
  }
  // The next two do not touch the record's bytes.
  bool is_sample(std::size_t i) const { return (entries_[i].place & kSample) != 0; }
  // Evlist::event_of() of a sample, or kNoEvent if it was not determined when the record was read.
  u32 event(std::size_t i) const {
    return events_known_ ? ((entries_[i].place & kEvents) >> kEventShift) - 1 : kNoEvent;
  }
  // Prefetches the record's first bytes: neighbours in time are not neighbours in memory.
  void prefetch(std::size_t i) const {
    const IndexEntry& entry = entries_[i];
    const std::byte* at = sources_[entry.chunk].bytes + (entry.place & kPlace);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
  }
  // Prefetches more of a long record, which holds a stack: the innermost frames and the end. The first bytes must be
  // there.
  void prefetch_end(std::size_t i) const;

 private:
  friend class Order;
  // In IndexEntry::place, from above: flags, the sample's event plus 1 (0: not determined), the offset in the chunk.
  static constexpr u32 kTimeless = 1u << 31, kSample = 1u << 30, kPlace = Chunk::kSize - 1,
                       kEvents = kSample - Chunk::kSize;
  static constexpr unsigned kEventShift = 18;
  static_assert(Chunk::kSize == std::size_t{1} << kEventShift);
  // A copy of the chunk's essential data, because the stream may still fill the chunk after the batch's records.
  struct Source {
    const std::byte* bytes = nullptr;
    ChunkOrigin origin;
  };
  std::vector<IndexEntry> entries_;  // a timeless record has the time of the watermark it waited for
  std::vector<Source> sources_;      // indexed by the chunk's slot
  u64 unordered_ = 0;                // number of records so far that came too late
  bool events_known_ = true;
  ByteOrder order_ = kHostOrder;
};

class Order {
 public:
  explicit Order(Reader& reader, OrderOptions options = {});
  ~Order();
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  // Fills batch() with the next records. Returns false at the end. An error means that the file is damaged; everything
  // read before it has been delivered.
  Result<bool> next();
  const Batch& batch() const { return batch_; }
  // Number of delivered records that were older than what a round had already released.
  u64 unordered() const { return batch_.unordered_; }
  // Stops reading: the Reader belongs to the caller again. Invalidates the batch and its views.
  void stop();

 private:
  struct State;
  Batch batch_;
  std::unique_ptr<State> state_;
  std::unique_ptr<BatchAhead> ahead_;
};

}  // namespace peregrine::data
