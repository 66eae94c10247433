#include "abi/sample.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/recorded_field.h"
#include "abi/trailer_end.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {
namespace {

using namespace sample_bit;

constexpr std::size_t kBranchEntrySize = 24;

template <class T, bool kSwap>
T get(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return kSwap ? swap_bytes(value) : value;
}

template <bool kSwap>
std::span<const u64> words(const std::byte* at, std::size_t count, std::vector<u64>& store) {
  if (!kSwap && reinterpret_cast<std::uintptr_t>(at) % alignof(u64) == 0) {
    return {reinterpret_cast<const u64*>(at), count};
  }
  store.resize(count);
  for (std::size_t i = 0; i < count; ++i) store[i] = get<u64, kSwap>(at + 8 * i);
  return store;
}

// The third word of struct perf_branch_entry is a C bit-field without a big-endian variant, so on big-endian machines
// its first member has the highest bits.
BranchEntry branch_entry(u64 from, u64 to, u64 flags, ByteOrder order) {
  unsigned at = 0;
  const auto bits = [&](unsigned width) {
    const u64 shifted = order == ByteOrder::Little ? flags >> at : flags >> (64 - at - width);
    at += width;
    return shifted & ((u64{1} << width) - 1);
  };
  BranchEntry entry;
  entry.from = from;
  entry.to = to;
  entry.mispredicted = bits(1) != 0;
  entry.predicted = bits(1) != 0;
  entry.in_transaction = bits(1) != 0;
  entry.abort = bits(1) != 0;
  entry.cycles = static_cast<u16>(bits(16));
  entry.type = static_cast<u8>(bits(4));
  entry.speculation = static_cast<u8>(bits(2));
  entry.new_type = static_cast<u8>(bits(4));
  entry.privilege = static_cast<u8>(bits(3));
  return entry;
}

// The bytes of a sample that are still to be decoded. Every take_…() checks the remaining size.
template <bool kSwap>
struct Cursor {
  const std::byte* at;
  const std::byte* end;

  std::size_t left() const { return static_cast<std::size_t>(end - at); }
  bool get64(u64& value) {
    if (left() < 8) return false;
    value = get<u64, kSwap>(at);
    at += 8;
    return true;
  }
  bool take(u64 size, Bytes& bytes) {
    if (left() < size) return false;
    bytes = {at, static_cast<std::size_t>(size)};
    at += size;
    return true;
  }
  bool take_words(u64 count, std::span<const u64>& out, std::vector<u64>& store) {
    if (left() / 8 < count) return false;
    out = words<kSwap>(at, static_cast<std::size_t>(count), store);
    at += 8 * count;
    return true;
  }
};

template <bool kSwap>
bool take_raw(Cursor<kSwap>& in, Sample& out) {
  if (in.left() < 4) return false;
  const u32 size = get<u32, kSwap>(in.at);
  in.at += 4;
  return in.take(size, out.raw);
}

template <bool kSwap>
bool take_branches(Cursor<kSwap>& in, Sample& out, u64 branch_sample_type, ByteOrder order, SampleScratch& scratch) {
  // They depend on more than the sample_type: an earlier sample, of another event, may have left them.
  out.branch_hw_index = 0;
  out.branch_counters = {};
  u64 count = 0;
  if (!in.get64(count)) return false;
  if ((branch_sample_type & branch_bit::HwIndex) != 0 && !in.get64(out.branch_hw_index)) return false;
  if (in.left() / kBranchEntrySize < count) return false;
  scratch.branches.resize(static_cast<std::size_t>(count));
  for (BranchEntry& entry : scratch.branches) {
    entry = branch_entry(get<u64, kSwap>(in.at), get<u64, kSwap>(in.at + 8), get<u64, kSwap>(in.at + 16), order);
    in.at += kBranchEntrySize;
  }
  out.branches = scratch.branches;
  if ((branch_sample_type & branch_bit::Counters) == 0) return true;
  return in.take_words(count, out.branch_counters, scratch.branch_counters);
}

template <bool kSwap>
bool take_registers(Cursor<kSwap>& in, u64 mask, Registers& out, std::vector<u64>& store) {
  out.mask = mask;
  out.values = {};
  if (!in.get64(out.abi)) return false;
  if (out.abi == 0) return true;
  return in.take_words(static_cast<u64>(std::popcount(mask)), out.values, store);
}

template <bool kSwap>
bool take_stack(Cursor<kSwap>& in, Sample& out) {
  out.user_stack = {};
  if (!in.get64(out.user_stack_size)) return false;
  if (out.user_stack_size == 0) return in.take(0, out.user_stack);
  Bytes whole;
  u64 dynamic = 0;
  if (!in.take(out.user_stack_size, whole) || !in.get64(dynamic)) return false;
  out.user_stack = whole.first(static_cast<std::size_t>(std::min<u64>(dynamic, whole.size())));
  return true;
}

template <bool kSwap>
bool take_read(Cursor<kSwap>& in, u64 read_format, Sample& out, ByteOrder order, SampleScratch& scratch) {
  ByteReader reader(Bytes(in.at, in.end), order);
  if (!decode_read(reader, read_format, out.read, scratch.read)) return false;
  in.at += reader.offset();
  return true;
}

template <bool kSwap>
bool take_trace_facts(Cursor<kSwap>& in, TraceFacts& out) {
  u64 word = 0;
  if (!in.get64(word) || !in.get64(out.instructions) || !in.get64(out.cycles)) return false;
  out.flags = static_cast<u32>(word);
  out.length = static_cast<u8>(word >> 32);
  out.depth = static_cast<u32>(word >> 40);
  return true;
}

struct RareFormats {
  u64 branch_sample_type, regs_user, regs_intr;
  ByteOrder order;
};

// Decodes the fields after the raw data, which most samples lack.
template <bool kSwap>
bool take_rare(Cursor<kSwap>& in, u64 has, const RareFormats& formats, Sample& out, SampleScratch& scratch) {
  if ((has & BranchStack) != 0 && !take_branches(in, out, formats.branch_sample_type, formats.order, scratch))
    return false;
  if ((has & RegsUser) != 0 && !take_registers(in, formats.regs_user, out.user_registers, scratch.user_regs))
    return false;
  if ((has & StackUser) != 0 && !take_stack(in, out)) return false;
  if ((has & (Weight | WeightStruct)) != 0) {
    if (!in.get64(out.weight)) return false;
    if ((has & WeightStruct) != 0) {
      out.weight2 = static_cast<u16>(out.weight >> 32);
      out.weight3 = static_cast<u16>(out.weight >> 48);
      out.weight &= 0xffffffffu;
    }
  }
  if ((has & DataSrc) != 0 && !in.get64(out.data_src)) return false;
  if ((has & Transaction) != 0 && !in.get64(out.transaction)) return false;
  if ((has & RegsIntr) != 0 &&
      !take_registers(in, formats.regs_intr, out.interrupt_registers, scratch.interrupt_regs)) {
    return false;
  }
  if ((has & tail_bits()) != 0) {
    for (const RecordedField* field : kTailFields)
      if ((has & field->bits) != 0 && !in.get64(out.*field->tail)) return false;
  }
  u64 aux_size = 0;
  if ((has & Aux) != 0 && !(in.get64(aux_size) && in.take(aux_size, out.aux))) return false;
  return (has & Traced) == 0 || take_trace_facts(in, out.traced);
}

}  // namespace

bool decode_read(ByteReader& in, u64 read_format, ReadValues& out, std::vector<ReadValue>& values) {
  const bool group = (read_format & read_bit::Group) != 0;
  out = {};
  values.clear();
  u64 count = 1;
  if (group) count = in.get64();
  // A single value precedes the times; the values of a group follow them.
  ReadValue single;
  if (!group) single.value = in.get64();
  if ((read_format & read_bit::TotalTimeEnabled) != 0) out.time_enabled = in.get64();
  if ((read_format & read_bit::TotalTimeRunning) != 0) out.time_running = in.get64();
  const bool has_id = (read_format & read_bit::Id) != 0, has_lost = (read_format & read_bit::Lost) != 0;
  const std::size_t entry = 8 * ((group ? 1u : 0u) + (has_id ? 1u : 0u) + (has_lost ? 1u : 0u));
  if (!in.ok() || (entry != 0 && in.left() / entry < count)) return false;
  values.resize(static_cast<std::size_t>(count));
  for (ReadValue& value : values) {
    value.value = group ? in.get64() : single.value;
    value.id = has_id ? in.get64() : 0;
    value.lost = has_lost ? in.get64() : 0;
  }
  out.values = values;
  return in.ok();
}

SampleDecoder::SampleDecoder(const EventAttr& attr, ByteOrder order)
    : sample_type_(attr.sample_type),
      read_format_(attr.read_format),
      branch_sample_type_(attr.branch_sample_type),
      regs_user_(attr.sample_regs_user),
      regs_intr_(attr.sample_regs_intr),
      fixed_period_(attr.sample_period),
      order_(order) {
  u32 at = kRecordHeaderSize;
  const auto place = [&](u64 bit, u32& offset) {
    if ((sample_type_ & bit) == 0) return;
    offset = at;
    at += 8;
  };
  u32 stream_id = 0;
  place(Identifier, offsets_.identifier);
  place(Ip, offsets_.ip);
  place(Tid, offsets_.tid);
  place(Time, offsets_.time);
  place(Addr, offsets_.addr);
  place(Id, offsets_.id);
  place(StreamId, stream_id);
  place(Cpu, offsets_.cpu);
  place(Period, offsets_.period);
  prefix_size_ = at;
}

bool SampleDecoder::decode(const RecordView& record, Sample& out, SampleScratch& scratch) const {
  // All fields of an equal sample_type will be overwritten, so skip clearing: it would cost 8 ns for 400 bytes.
  if (out.fields != sample_type_) out = Sample{};
  const bool whole = order_ == kHostOrder ? run<false>(record, out, scratch) : run<true>(record, out, scratch);
  if (whole) return true;
  // The sample is truncated. Clear it, so that no values of an earlier sample remain.
  out = Sample{};
  if (order_ == kHostOrder) {
    run<false>(record, out, scratch);
  } else {
    run<true>(record, out, scratch);
  }
  out.fields = ~u64{0};
  return false;
}

template <bool kSwap>
bool SampleDecoder::run(const RecordView& record, Sample& out, SampleScratch& scratch) const {
  const u64 has = sample_type_;
  out.fields = has;
  out.misc = record.misc;
  out.period = fixed_period_;
  if (record.bytes.size() < prefix_size_) return false;
  Cursor<kSwap> in{record.bytes.data() + kRecordHeaderSize, record.bytes.data() + record.bytes.size()};
  const auto next = [&] {
    const u64 value = get<u64, kSwap>(in.at);
    in.at += 8;
    return value;
  };
  if ((has & Identifier) != 0) out.id = next();
  if ((has & Ip) != 0) out.ip = next();
  if ((has & Tid) != 0) {
    out.pid = get<u32, kSwap>(in.at);
    out.tid = get<u32, kSwap>(in.at + 4);
    in.at += 8;
  }
  if ((has & Time) != 0) out.time = next();
  if ((has & Addr) != 0) out.addr = next();
  if ((has & Id) != 0) out.id = next();
  if ((has & StreamId) != 0) out.stream_id = next();
  if ((has & Cpu) != 0) {
    out.cpu = get<u32, kSwap>(in.at);
    in.at += 8;
  }
  if ((has & Period) != 0) out.period = next();
  if ((has & Read) != 0 && !take_read(in, read_format_, out, order_, scratch)) return false;
  if ((has & Callchain) != 0) {
    u64 count = 0;
    if (!in.get64(count) || !in.take_words(count, out.callchain, scratch.chain)) return false;
  }
  if ((has & Raw) != 0 && !take_raw(in, out)) return false;
  constexpr u64 kRare = BranchStack | RegsUser | StackUser | Weight | WeightStruct | DataSrc | Transaction | RegsIntr |
                        tail_bits() | Aux | Traced;
  if ((has & kRare) == 0) return true;
  return take_rare(in, has, {branch_sample_type_, regs_user_, regs_intr_, order_}, out, scratch);
}

std::optional<StackPlaces> SampleDecoder::stack_places(const RecordView& record) const {
  if (order_ != kHostOrder || record.bytes.size() < prefix_size_) return std::nullopt;
  const std::byte* start = record.bytes.data();
  Cursor<false> in{start + prefix_size_, start + record.bytes.size()};
  const auto here = [&] { return static_cast<std::size_t>(in.at - start); };
  Sample sample;
  SampleScratch scratch;
  StackPlaces places;
  if ((sample_type_ & Read) != 0 && !take_read(in, read_format_, sample, order_, scratch)) return std::nullopt;
  places.callchain = here();
  u64 count = 0;
  if (!in.get64(count) || !in.take_words(count, sample.callchain, scratch.chain)) return std::nullopt;
  places.callchain_end = here();
  if ((sample_type_ & Raw) != 0 && !take_raw(in, sample)) return std::nullopt;
  if ((sample_type_ & BranchStack) != 0 && !take_branches(in, sample, branch_sample_type_, order_, scratch))
    return std::nullopt;
  places.registers = here();
  if (!take_registers(in, regs_user_, sample.user_registers, scratch.user_regs) || !take_stack(in, sample))
    return std::nullopt;
  places.stack_end = here();
  return places;
}

u64 SampleDecoder::time_of(const RecordView& record) const {
  if (offsets_.time == kAbsent || record.bytes.size() < offsets_.time + 8) return 0;
  return load<u64>(record.bytes.data() + offsets_.time, order_);
}

u64 SampleDecoder::id_of(const RecordView& record) const {
  const u32 at = offsets_.identifier != kAbsent ? offsets_.identifier : offsets_.id;
  if (at == kAbsent || record.bytes.size() < at + 8) return 0;
  return load<u64>(record.bytes.data() + at, order_);
}

u32 sample_id_size(const EventAttr& attr) {
  if (!attr.has(attr_flag::SampleIdAll)) return 0;
  return 8 * static_cast<u32>(std::popcount(attr.sample_type & (Tid | Time | Id | StreamId | Cpu | Identifier)));
}

SampleId decode_sample_id(const RecordView& record, const EventAttr& attr) {
  SampleId out;
  const u32 size = sample_id_size(attr);
  if (size == 0 || record.bytes.size() < kRecordHeaderSize + size) return out;
  ByteReader in(record.bytes.first(trailer_end(record, size)).last(size), record.order);
  out.fields = attr.sample_type & (Tid | Time | Id | StreamId | Cpu | Identifier);
  if (attr.samples(Tid)) {
    out.pid = in.get32();
    out.tid = in.get32();
  }
  if (attr.samples(Time)) out.time = in.get64();
  if (attr.samples(Id)) out.id = in.get64();
  if (attr.samples(StreamId)) out.stream_id = in.get64();
  if (attr.samples(Cpu)) {
    out.cpu = in.get32();
    in.skip(4);
  }
  if (attr.samples(Identifier)) out.id = in.get64();
  return out;
}

void encode_sample_id(const SampleId& id, const EventAttr& attr, ByteWriter& out) {
  if (sample_id_size(attr) == 0) return;
  if (attr.samples(Tid)) out.put32(id.pid).put32(id.tid);
  if (attr.samples(Time)) out.put64(id.time);
  if (attr.samples(Id)) out.put64(id.id);
  if (attr.samples(StreamId)) out.put64(id.stream_id);
  if (attr.samples(Cpu)) out.put32(id.cpu).put32(0);
  if (attr.samples(Identifier)) out.put64(id.id);
}

u64 side_band_time(const RecordView& record, const EventAttr& attr) {
  const u32 size = sample_id_size(attr);
  if (size == 0 || !attr.samples(Time) || record.bytes.size() < kRecordHeaderSize + size) return 0;
  const std::size_t at = trailer_end(record, size) - size + (attr.samples(Tid) ? 8 : 0);
  return load<u64>(record.bytes.data() + at, record.order);
}

}  // namespace peregrine::abi
