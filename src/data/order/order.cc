#include "data/order/order.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <expected>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header.h"
#include "data/order/batch_ahead.h"
#include "data/order/memory_limit.h"
#include "data/reader/reader_state.h"
#include "data/stream/record_stream.h"

namespace peregrine::data {
namespace {

constexpr u64 kNoTime = ~u64{0};
constexpr std::size_t kWindow = std::size_t{1} << 18, kMaxRecord = std::size_t{1} << 16;
constexpr std::size_t kMaxWindows = 128;
constexpr u64 kLeap = 600'000'000'000;  // 10 minutes
constexpr u32 kLeapsBelieved = 64;
constexpr std::size_t kLargeIndex = std::size_t{1} << 20;  // entries; a larger vector is not reused

}  // namespace

void Batch::prefetch_end(std::size_t i) const {
  constexpr std::size_t kLine = 64, kShort = 1024, kPart = 16 * kLine;
  const IndexEntry& entry = entries_[i];
  const std::byte* bytes = sources_[entry.chunk].bytes + (entry.place & kPlace);
  const std::size_t size = load<u16>(bytes + 6, order_);
  if (size < kShort) return;
  for (std::size_t at = 2 * kLine; at < kPart; at += kLine) __builtin_prefetch(bytes + at);
  __builtin_prefetch(bytes + size - 1);
}

// Sorts records by time within the bounds that FINISHED_ROUND guarantees: at each round, everything up to the youngest
// record seen before the previous round is safe to deliver. `waiting` holds what is not safe yet.
//
// Records in dropped chunks are read again through windows of the file and copied into chunks made for copies. A
// merged run is contiguous in the file, so a few windows serve thousands of records.
struct Order::State {
  Reader::State& reader;
  OrderOptions options;
  std::vector<IndexEntry> waiting;  // in file order
  std::vector<IndexEntry> sorted;   // merged; delivered from sorted_at on
  std::size_t sorted_at = 0;
  std::vector<IndexEntry> rest;
  u64 released = 0;      // records up to this time are safe to deliver
  u64 before_round = 0;  // youngest record before the last round
  u64 youngest = 0;
  u64 leap_to = 0;  // oldest of the records that are far ahead
  u32 leaps = 0;    // number of records that are far ahead
  u64 merged_until = 0;
  std::size_t waiting_bytes = 0, timeless_bytes = 0;
  const std::size_t events;  // when reading began; later ones may change which event a sample belongs to
  MemoryLimit limit;
  u64 unordered = 0;
  bool ended = false;
  bool dropping = false;  // chunks were dropped, so bytes must be read from the file again

  // A part of the file that was read again. At most kMaxWindows stay in memory; the least recently used one makes
  // room.
  struct Window {
    std::vector<std::byte> bytes;
    u64 used = 0;
  };
  // Key: the input in the upper 24 bits, the number of the window below.
  std::unordered_map<u64, Window> windows;
  // Counts uses of windows.
  u64 clock = 0;
  // The chunk that receives copies now, held by one reference, and its first free byte.
  Chunk* copy = nullptr;
  std::size_t copy_at = 0;

  // Called before shared state changes; it must return only when all readers of that state are idle.
  std::function<void()> wait_for_caller;

  State(Reader::State& r, OrderOptions o) : reader(r), options(o), events(r.evlist.size()), limit(o.held_bytes) {}

  ChunkPool& pool() { return reader.stream.pool(); }
  // An entry in `waiting`, `sorted` or a batch holds one reference to its chunk; release() gives them back.
  void release(std::span<const IndexEntry> entries);
  bool gather();
  void add(const StreamRecord& record);
  void add_samples();
  u32 event_bits(const std::byte* sample, u32 id_place) const;
  void note_time(u64 time, bool exact);
  void merge(u64 until);
  void drop_old_chunks();
  bool deliver(std::vector<IndexEntry>& entries);
  bool bring_back(IndexEntry& entry, std::size_t& size);
  const Window* window_of(u32 input, u64 offset);
  Result<bool> fill(Batch& batch);
};

Order::Order(Reader& reader, OrderOptions options) : state_(std::make_unique<State>(*reader.state_, options)) {
  if (!options.ahead || reader.header().layout == Layout::Pipe || !state_->reader.stream.is_large()) return;
  ahead_ = std::make_unique<BatchAhead>([this](Batch& batch) { return state_->fill(batch); });
  state_->reader.before_change = state_->wait_for_caller = [this] {
    ahead_->alone();
    state_->release(batch_.entries_);
    batch_.entries_.clear();
  };
}

Order::~Order() {
  stop();
  state_->release(batch_.entries_);
  state_->release(state_->waiting);
  state_->release(std::span(state_->sorted).subspan(state_->sorted_at));
  if (state_->copy != nullptr) state_->pool().release(*state_->copy);
}

void Order::stop() {
  if (ahead_ == nullptr) return;
  ahead_->stop();
  state_->reader.before_change = nullptr;
  state_->release(ahead_->batch().entries_);
  ahead_->batch().entries_.clear();
}

// Neighbouring entries are mostly in the same chunk, so release each chunk once per run of entries.
void Order::State::release(std::span<const IndexEntry> entries) {
  for (std::size_t first = 0; first < entries.size();) {
    std::size_t end = first + 1;
    while (end < entries.size() && entries[end].chunk == entries[first].chunk) ++end;
    pool().release(pool()[entries[first].chunk], static_cast<u32>(end - first));
    first = end;
  }
}

void Order::State::add(const StreamRecord& record) {
  const std::size_t size = record.view.bytes.size();
  IndexEntry entry{options.by_time ? reader.evlist.time_of(record.view) : 0, record.chunk->slot, record.place};
  if (record.view.type == abi::RecordType::Sample) entry.place |= Batch::kSample;
  if (entry.time == 0 || entry.time == kNoTime) {
    entry.time = released;
    entry.place |= Batch::kTimeless;
    timeless_bytes += size;
  } else {
    if (entry.time < released) ++unordered;
    note_time(entry.time, record.view.type == abi::RecordType::Sample);
  }
  ++record.chunk->references;
  waiting.push_back(entry);
  waiting_bytes += size;
}

// The sample's event, as the bits that IndexEntry::place has for it.
u32 Order::State::event_bits(const std::byte* sample, u32 id_place) const {
  constexpr u32 kMost = Batch::kEvents >> Batch::kEventShift;
  u32 event = 0;
  if (id_place != abi::kAbsent) {
    const u64 id = load<u64>(sample + id_place, reader.header.order);
    if (id != 0) event = reader.evlist.find_id(id);
  }
  return event < kMost ? (event + 1) << Batch::kEventShift : 0;
}

// Does what gather() and add() do for the samples at the front of the bytes in memory, up to the first record that
// needs more care. A third of the work of reading them one by one.
void Order::State::add_samples() {
  if (!options.by_time || !reader.ahead.empty()) return;
  const auto places = reader.evlist.sample_places();
  if (!places || places->time == abi::kAbsent) return;
  const RecordStream::Front front = reader.stream.front();
  if (front.size == 0) return;
  const ByteOrder order = reader.header.order;
  const std::size_t least = std::max(places->time, places->id == abi::kAbsent ? 0 : places->id) + sizeof(u64);
  const bool tells_events = reader.evlist.size() == events;
  const bool limited = limit.is_exceeded(pool().resident());
  const std::byte* const start = front.chunk->memory.get() + front.place;
  std::size_t at = 0;
  const std::size_t known = waiting.size();
  while (front.size - at >= abi::kRecordHeaderSize && !(limited && waiting_bytes >= options.batch_bytes)) {
    const std::byte* const record = start + at;
    const std::size_t size = load<u16>(record + 6, order);
    if (load<u32>(record, order) != static_cast<u32>(abi::RecordType::Sample) || size % 8 != 0) break;
    if (size < least || size > front.size - at) break;
    const u64 time = load<u64>(record + places->time, order);
    if (time == 0 || time == kNoTime) break;
    u32 place = static_cast<u32>(front.place + at) | Batch::kSample;
    if (tells_events) place |= event_bits(record, places->id);
    if (time < released) ++unordered;
    if (time > youngest) {
      youngest = time;
      leaps = 0;
    }
    waiting.push_back({time, front.chunk->slot, place});
    waiting_bytes += size;
    at += size;
  }
  const auto count = static_cast<u32>(waiting.size() - known);
  front.chunk->references += count;
  reader.stream.pass_samples(at, count);
}

// A sample has its time at a fixed offset, but a side-band record has it after a variable-length body. A record with
// excess bytes would therefore yield a bogus time far in the future, and every later record would seem late. Such a
// leap is accepted only after kLeapsBelieved records agree.
void Order::State::note_time(u64 time, bool exact) {
  if (time <= youngest) return;
  if (exact || time - youngest < kLeap) {
    youngest = time;
    leaps = 0;
    return;
  }
  leap_to = leaps == 0 ? time : std::min(leap_to, time);
  if (++leaps < kLeapsBelieved) return;
  youngest = leap_to;
  leaps = 0;
}

// Reads until a batch can be delivered. Returns false at the end.
// Delivers when waiting would cost more than it gains:
//
//   after a round that released records  if batch_bytes wait, or least_bytes and the pipe is paused
//   after any other record               if timeless records alone fill a batch, or if memory is exceeded and an
//                                        earlier round released records
//   memory still far exceeded            everything read so far, as if a round had ended here; records that come later
//                                        may be too late then (unordered())
bool Order::State::gather() {
  limit.reset();
  StreamRecord record;
  for (;;) {
    add_samples();
    if (!reader.advance(record)) return false;
    if (record.view.type == abi::RecordType::FinishedRound) {
      if (options.rounds) add(record);
      if (reader.stream.input_count() > 1) continue;  // other files of the directory may still hold older records
      released = before_round;
      before_round = youngest;
      if (released <= merged_until || waiting_bytes < options.least_bytes) continue;
      if (waiting_bytes >= options.batch_bytes || reader.stream.would_block()) return true;
      continue;
    }
    add(record);
    if (waiting_bytes < options.batch_bytes) continue;
    if (timeless_bytes >= options.batch_bytes) return true;
    if (!limit.is_exceeded(pool().resident())) continue;
    if (released > merged_until) return true;
    if (!limit.should_drop(pool().resident())) continue;
    drop_old_chunks();
    if (!limit.is_far_exceeded(pool().resident())) continue;
    released = before_round = youngest;
    return true;
  }
}

// Frees the memory of all chunks that can be read again, except the one that the stream is still filling.
void Order::State::drop_old_chunks() {
  if (wait_for_caller) wait_for_caller();
  for (std::size_t slot = 0; slot < pool().slots(); ++slot) {
    Chunk& chunk = pool()[static_cast<u32>(slot)];
    if (chunk.references == 0 || chunk.memory == nullptr || reader.stream.reading(chunk)) continue;
    if (chunk.origin.compressed || chunk.origin.copied || !reader.stream.input(chunk.input).seekable) continue;
    pool().drop_memory(chunk);
    dropping = true;
  }
  limit.note_dropped(pool().resident());
}

void Order::State::merge(u64 until) {
  sorted.clear();
  sorted_at = 0;
  rest.clear();
  merge_runs(waiting, until, sorted, rest);
  std::swap(waiting, rest);
  if (rest.capacity() > kLargeIndex) rest = {};
  merged_until = until;
  waiting_bytes = timeless_bytes = 0;
  if (waiting.empty()) return;
  // The remaining records count towards the next batch. Their sizes are not stored, so assume 64 bytes on average.
  waiting_bytes = waiting.size() * 64;
}

const Order::State::Window* Order::State::window_of(u32 input, u64 offset) {
  const u64 key = u64{input} << 40 | offset / kWindow;
  auto found = windows.find(key);
  if (found == windows.end()) {
    Window fresh;
    if (windows.size() >= kMaxWindows) {
      auto oldest = windows.begin();
      for (auto it = windows.begin(); it != windows.end(); ++it) {
        if (it->second.used < oldest->second.used) oldest = it;
      }
      fresh = std::move(oldest->second);
      windows.erase(oldest);
    }
    // Longer than its step by one record, so that a record which starts in a window is complete in it.
    fresh.bytes.resize(kWindow + kMaxRecord);
    const auto got = reader.stream.read_again(input, offset / kWindow * kWindow, fresh.bytes);
    if (!got) return nullptr;
    fresh.bytes.resize(*got);
    found = windows.emplace(key, std::move(fresh)).first;
  }
  found->second.used = ++clock;
  return &found->second;
}

// Copies a record of a dropped chunk into a chunk for copies. Returns false if the file has changed meanwhile.
bool Order::State::bring_back(IndexEntry& entry, std::size_t& size) {
  Chunk& from = pool()[entry.chunk];
  const u32 place = entry.place & Batch::kPlace;
  const u64 offset = from.origin.file_offset + place;
  const Window* window = window_of(from.input, offset);
  if (window == nullptr) return false;
  const std::size_t at = offset % kWindow;
  if (window->bytes.size() < at + abi::kRecordHeaderSize) return false;
  size = load<u16>(window->bytes.data() + at + 6, reader.header.order);
  if (size < abi::kRecordHeaderSize || window->bytes.size() < at + size) return false;
  const std::size_t room = 8 + (size + 7) / 8 * 8;
  if (copy == nullptr || Chunk::kSize - copy_at < room) {
    if (copy != nullptr) pool().release(*copy);
    copy = &pool().take();
    copy->origin.copied = true;
    copy_at = 0;
  }
  // The eight bytes before a copy are the offset of the original, for ChunkOrigin::offset_of().
  std::memcpy(copy->memory.get() + copy_at, &offset, sizeof offset);
  std::memcpy(copy->memory.get() + copy_at + 8, window->bytes.data() + at, size);
  pool().release(from);
  ++copy->references;
  entry.chunk = copy->slot;
  entry.place = static_cast<u32>(copy_at + 8) | (entry.place & ~Batch::kPlace);
  copy_at += room;
  return true;
}

// Moves the next merged entries into the batch: all of them, or one batch at a time if they must be read again.
bool Order::State::deliver(std::vector<IndexEntry>& entries) {
  if (!dropping) {
    std::swap(entries, sorted);
    sorted.clear();
    sorted_at = 0;
    return !entries.empty();
  }
  for (std::size_t bytes = 0; sorted_at < sorted.size() && bytes < options.batch_bytes; ++sorted_at) {
    IndexEntry entry = sorted[sorted_at];
    std::size_t size = 64;
    if (pool()[entry.chunk].memory == nullptr && !bring_back(entry, size)) {
      reader.account.cut.add(pool()[entry.chunk].origin.file_offset + (entry.place & Batch::kPlace), 0);
      pool().release(pool()[entry.chunk]);
      continue;
    }
    entries.push_back(entry);
    bytes += size;
  }
  return !entries.empty();
}

Result<bool> Order::next() { return ahead_ != nullptr ? ahead_->next(batch_) : state_->fill(batch_); }

Result<bool> Order::State::fill(Batch& batch) {
  // Release first: the chunks of the last batch can then take the bytes of the next one.
  release(batch.entries_);
  batch.entries_.clear();
  batch.order_ = reader.header.order;
  while (!deliver(batch.entries_) && !ended) {
    ended = !gather();
    merge(ended ? kNoTime : released);
  }
  batch.unordered_ = unordered;
  batch.events_known_ = reader.evlist.size() == events;
  batch.sources_.resize(pool().slots());
  for (u32 slot = 0; slot < batch.sources_.size(); ++slot) {
    const Chunk& chunk = pool()[slot];
    batch.sources_[slot] = {chunk.memory.get(), chunk.origin};
  }
  if (!batch.entries_.empty()) return true;
  if (reader.stream.error()) return std::unexpected(*reader.stream.error());
  return false;
}

}  // namespace peregrine::data
