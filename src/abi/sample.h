// Sample: the decoded fields of one PERF_RECORD_SAMPLE. SampleDecoder decodes all samples of one event.
//
// Spans borrow from the record if it is aligned and in host byte order, otherwise from the caller's SampleScratch.
// `fields` (sample_bit values) says which members are valid; the others are zero or empty. Format: docs/perf-data.md,
// "Samples", from the comment above PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {

// The largest kernels support this many CPUs; higher numbers in a file are invalid.
inline constexpr u32 kMostCpus = 8192;

struct ReadValue {
  u64 value = 0;
  u64 id = 0;    // 0 when read_format has no ID
  u64 lost = 0;  // 0 when read_format has no LOST
};

// PERF_SAMPLE_READ / PERF_RECORD_READ contents.
struct ReadValues {
  u64 time_enabled = 0;  // ns
  u64 time_running = 0;  // ns
  std::span<const ReadValue> values;
};

// struct perf_branch_entry with its flag word decoded (in big-endian files its bits are in reverse order).
struct BranchEntry {
  u64 from = 0;
  u64 to = 0;
  u16 cycles = 0;
  u8 type = 0;  // PERF_BR_*
  u8 new_type = 0;
  u8 privilege = 0;
  u8 speculation = 0;
  bool mispredicted = false, predicted = false, in_transaction = false, abort = false;
};

struct Registers {
  u64 abi = 0;                  // PERF_SAMPLE_REGS_ABI_NONE 0, 32-bit 1, 64-bit 2
  u64 mask = 0;                 // attr.sample_regs_user or _intr
  std::span<const u64> values;  // one per set bit of mask, lowest first; empty when abi is 0
};

// What a hardware trace decoder adds to the samples it synthesizes (sample_bit::Traced).
struct TraceFacts {
  u32 flags = 0;         // kind of branch: abi/branch_flag.h
  u8 length = 0;         // bytes of the instruction at ip; 0 if unknown
  u32 depth = 0;         // call depth of the thread after the branch; 24 bits
  u64 instructions = 0;  // since the event's last sample with a cycle count; 0 if not counted
  u64 cycles = 0;        // over the same span
};

struct Sample {
  u64 fields = 0;  // the sample_type this was decoded with
  u16 misc = 0;
  u64 ip = 0;
  u32 pid = 0, tid = 0;
  u64 time = 0;  // ns of the event's clock
  u64 addr = 0;
  u64 id = 0;  // IDENTIFIER or ID; 0 if neither is present
  u64 stream_id = 0;
  u32 cpu = 0;
  u64 period = 0;  // as recorded; without PERIOD, attr.sample_period of a fixed-period event
  u64 weight = 0;  // PERF_SAMPLE_WEIGHT, or var1 (low 32 bits) of WEIGHT_STRUCT
  u16 weight2 = 0, weight3 = 0;
  u64 data_src = 0;
  u64 transaction = 0;
  u64 phys_addr = 0;
  u64 cgroup = 0;
  u64 data_page_size = 0, code_page_size = 0;
  ReadValues read;
  std::span<const u64> callchain;  // innermost first, with context markers
  Bytes raw;                       // tracepoint data etc., in the file's byte order
  u64 branch_hw_index = 0;
  std::span<const BranchEntry> branches;  // newest first
  std::span<const u64> branch_counters;   // one per branch with PERF_SAMPLE_BRANCH_COUNTERS, else empty
  Registers user_registers, interrupt_registers;
  Bytes user_stack;         // upward from the stack pointer, as many bytes as the kernel's dynamic size says
  u64 user_stack_size = 0;  // the requested size
  Bytes aux;
  TraceFacts traced;
  u16 cpumode() const { return misc & misc_bit::CpumodeMask; }
};

// Appends a whole record with the fields in attr.sample_type, which must not include READ or STACK_USER. Registers are
// written empty unless `sample` has exactly those of the mask. `misc` and `period` are taken from `sample`.
void encode_sample(const Sample& sample, const EventAttr& attr, ByteWriter& out);

// Storage for what a decoder cannot borrow. One per worker, reused: a Sample is valid until the next decode with it.
struct SampleScratch {
  std::vector<u64> words;
  std::vector<u64> chain, user_regs, interrupt_regs, branch_counters;
  std::vector<ReadValue> read;
  std::vector<BranchEntry> branches;
};

// Offsets of a sample's leading fixed-size fields, computed once per attr; kAbsent if the event lacks the field.
inline constexpr u32 kAbsent = 0xffffffffu;
struct SampleOffsets {
  u32 identifier = kAbsent, ip = kAbsent, tid = kAbsent, time = kAbsent, addr = kAbsent, id = kAbsent, cpu = kAbsent,
      period = kAbsent;  // from the start of the record (header included)
};

// The parts of a sample that unwinding replaces, as offsets from the start of the record.
struct StackPlaces {
  std::size_t callchain = 0, callchain_end = 0;  // starts at the count
  std::size_t registers = 0, stack_end = 0;      // user registers; the user stack follows
};

// Decodes the samples of one event. Const and thread safe.
class SampleDecoder {
 public:
  explicit SampleDecoder(const EventAttr& attr, ByteOrder order = kHostOrder);

  // Returns false if the record is shorter than its counts and sizes claim; `out` then holds the fields before that.
  bool decode(const RecordView& record, Sample& out, SampleScratch& scratch) const;

  const SampleOffsets& offsets() const { return offsets_; }
  // For events with all three fields. Nothing if the record is shorter than its counts and sizes claim.
  std::optional<StackPlaces> stack_places(const RecordView& record) const;
  // Time of a sample record without decoding the rest; 0 when absent or out of bounds.
  u64 time_of(const RecordView& record) const;
  // Id (IDENTIFIER or ID) of a sample record; 0 when absent or out of bounds.
  u64 id_of(const RecordView& record) const;

 private:
  SampleOffsets offsets_;
  template <bool kSwap>
  bool run(const RecordView& record, Sample& out, SampleScratch& scratch) const;

  u64 sample_type_, read_format_, branch_sample_type_, regs_user_, regs_intr_;
  u32 prefix_size_ = 0;  // header and leading fixed-size fields
  u64 fixed_period_;     // period of samples without PERIOD; for attr_flag::Freq it is the frequency, so all weigh the
                         // same
  ByteOrder order_;
};

// The sample-id trailer that ends every non-sample record when sample_id_all is set.
struct SampleId {
  u64 fields = 0;  // which members are valid (sample_bit values)
  u32 pid = 0, tid = 0;
  u64 time = 0;
  u64 id = 0;
  u64 stream_id = 0;
  u32 cpu = 0;
};

// Trailer size in bytes for this event's records; 0 without sample_id_all.
u32 sample_id_size(const EventAttr& attr);
// Decodes the trailer at the end of `record`.
SampleId decode_sample_id(const RecordView& record, const EventAttr& attr);
// Appends a trailer with the fields that `attr` requires.
void encode_sample_id(const SampleId& id, const EventAttr& attr, ByteWriter& out);
// Time in the trailer of a non-sample record; 0 if it has none.
u64 side_band_time(const RecordView& record, const EventAttr& attr);

// Decodes the data of read(2) (PERF_FORMAT_*), as used by PERF_RECORD_READ, SAMPLE_READ and counting. `values` is the
// storage of `out`. Returns false if the data is too short.
bool decode_read(ByteReader& in, u64 read_format, ReadValues& out, std::vector<ReadValue>& values);

}  // namespace peregrine::abi
