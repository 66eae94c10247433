// Order: the records of a Reader in time order, in batches, without copying them.
//
//   chunks of file bytes ─▶ index {time, place} in file order ─▶ ascending runs ─▶ merged up to the watermark ─▶ Batch
//
// At a FINISHED_ROUND all records are safe to deliver that are not newer than the newest record before the previous
// round, because all rings were read since. Rounds are combined until `batch_bytes` of records wait, then delivered in
// one batch, which gives the same order. A record without a time is delivered when it is read: after the records that
// its round released, before all others. Equal times keep file order. Memory: batch_bytes plus 16 bytes per waiting
// record; beyond `held_bytes` (a file without rounds) bytes are dropped and read again when they are delivered;
// compressed records cannot be read again, and are delivered early. Not thread safe; with OrderOptions::ahead the
// Reader's header and events change within next() as without, and nobody else may read from it until stop().
#pragma once
#include <memory>
#include <vector>

#include "data/order/run_merge.h"
#include "data/reader/reader.h"
#include "data/stream/chunk.h"

namespace peregrine::data {

class BatchAhead;

struct OrderOptions {
  bool by_time = true;  // false: file order, still in batches; Batch::time() is then 0
  bool ahead = false;   // of a large file, makes the next batch on a thread of its own meanwhile
  bool rounds = false;  // deliver FINISHED_ROUND records too, each before what it makes safe
  std::size_t batch_bytes = 16u << 20;
  std::size_t least_bytes = 1u << 18;  // of a pipe whose writer pauses: less waits for the next round
  std::size_t held_bytes = 64u << 20;
};

// Records in delivery order. Views are valid until the next Order::next(). Const functions are thread safe.
class Batch {
 public:
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // ns; 0 when the record has no time of its own.
  u64 time(std::size_t i) const { return (entries_[i].place & kTimeless) != 0 ? 0 : entries_[i].time; }
  abi::RecordView view(std::size_t i) const;
  // Without touching the record's bytes.
  bool is_sample(std::size_t i) const { return (entries_[i].place & kSample) != 0; }
  // Starts fetching the record's first bytes: neighbours in time are not neighbours in memory.
  void prefetch(std::size_t i) const;
  // Of a record whose first bytes are there: of long ones, which hold a stack, its innermost frames and the end.
  void prefetch_end(std::size_t i) const;

 private:
  friend class Order;
  // Flags in IndexEntry::place, above the offset in the chunk.
  static constexpr u32 kTimeless = 1u << 31, kSample = 1u << 30, kPlace = kSample - 1;
  // What is needed of a chunk: it goes on being filled behind the batch's records.
  struct Source {
    const std::byte* bytes = nullptr;
    ChunkOrigin origin;
  };
  std::vector<IndexEntry> entries_;  // time of a timeless record: the watermark it waited behind
  std::vector<Source> sources_;      // by slot of the chunk
  u64 unordered_ = 0;                // records so far that came too late
  ByteOrder order_ = kHostOrder;
};

class Order {
 public:
  explicit Order(Reader& reader, OrderOptions options = {});
  ~Order();
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  // Fills batch() with the next records. False when there are no more. An error is a broken file: what was read before
  // it has been delivered.
  Result<bool> next();
  const Batch& batch() const { return batch_; }
  // Of those delivered so far, records that were older than what a round had already released.
  u64 unordered() const { return batch_.unordered_; }
  // No more is read: the Reader is the caller's again. The batch and its views are gone.
  void stop();

 private:
  struct State;
  Batch batch_;
  std::unique_ptr<State> state_;
  std::unique_ptr<BatchAhead> ahead_;
};

}  // namespace peregrine::data
