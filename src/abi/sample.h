// Sample: the decoded fields of one PERF_RECORD_SAMPLE, and the plan that decodes all samples of one event.
//
// A Sample is a struct of values and spans; the spans borrow from the record's bytes when these are aligned and in host
// order, else from the Scratch of the caller. Which fields hold is told by `fields` (sample_bit values): a field that
// is not there is zero or empty. Format: docs/perf-data.md, "Samples", from the comment above PERF_RECORD_SAMPLE in
// include/uapi/linux/perf_event.h.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"

namespace peregrine::abi {

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

// struct perf_branch_entry, its flag word decoded (bit by bit reversed in big-endian files).
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

// What the decoder of a hardware trace knows of a sample that it made (sample_bit::Traced).
struct TraceFacts {
  u32 flags = 0;         // what the branch was: abi/branch_flag.h
  u8 length = 0;         // bytes of the instruction at ip; 0: not known
  u32 depth = 0;         // calls that the thread is in after the branch; 24 bits
  u64 instructions = 0;  // since the last sample of its event that counted cycles; 0: not counted
  u64 cycles = 0;        // since then
};

struct Sample {
  u64 fields = 0;  // the sample_type this was decoded with
  u16 misc = 0;
  u64 ip = 0;
  u32 pid = 0, tid = 0;
  u64 time = 0;  // ns of the event's clock
  u64 addr = 0;
  u64 id = 0;  // IDENTIFIER or ID; 0 when neither is there
  u64 stream_id = 0;
  u32 cpu = 0;
  u64 period = 0;  // as in the record; a sample without PERIOD gets attr.sample_period of a fixed-period event
  u64 weight = 0;  // PERF_SAMPLE_WEIGHT, or var1 (low 32 bits) of WEIGHT_STRUCT
  u16 weight2 = 0, weight3 = 0;
  u64 data_src = 0;
  u64 transaction = 0;
  u64 phys_addr = 0;
  u64 cgroup = 0;
  u64 data_page_size = 0, code_page_size = 0;
  ReadValues read;
  std::span<const u64> callchain;  // innermost first, with context markers
  Bytes raw;                       // tracepoint data and the like, in the file's byte order
  u64 branch_hw_index = 0;
  std::span<const BranchEntry> branches;  // newest first
  std::span<const u64> branch_counters;   // one per branch with PERF_SAMPLE_BRANCH_COUNTERS, else empty
  Registers user_registers, interrupt_registers;
  Bytes user_stack;         // dynamic size bytes from the stack pointer up; behind its size when there are none
  u64 user_stack_size = 0;  // the size asked for
  Bytes aux;
  TraceFacts traced;
  u16 cpumode() const { return misc & misc_bit::CpumodeMask; }
};

// Appends the whole record of a sample: the fields that attr.sample_type names, of those that the kernel's tools make
// themselves: all but READ, registers and user stacks, which are left empty. `misc` and `period` are the sample's.
void encode_sample(const Sample& sample, const EventAttr& attr, ByteWriter& out);

// Where a decoder puts what it cannot borrow. One per worker, reused; a Sample is valid until the next decode with it.
struct SampleScratch {
  std::vector<u64> words;
  std::vector<u64> chain, user_regs, interrupt_regs, branch_counters;
  std::vector<ReadValue> read;
  std::vector<BranchEntry> branches;
};

// Offsets of the leading, fixed-size fields of a sample, computed once per attr. kAbsent where the event has no such
// field.
inline constexpr u32 kAbsent = 0xffffffffu;
struct SampleOffsets {
  u32 identifier = kAbsent, ip = kAbsent, tid = kAbsent, time = kAbsent, addr = kAbsent, id = kAbsent, cpu = kAbsent,
      period = kAbsent;  // from the start of the record, header included
};

// Where a sample keeps what unwinding replaces; offsets from the start of the record.
struct StackPlaces {
  std::size_t callchain = 0, callchain_end = 0;  // from its count on
  std::size_t registers = 0, stack_end = 0;      // of the user, with the stack right behind them
};

// The plan of one event. Const and thread safe.
class SampleDecoder {
 public:
  explicit SampleDecoder(const EventAttr& attr, ByteOrder order = kHostOrder);

  // Fills `out`. False when the record is shorter than its counts and sizes say (out then holds what came before).
  bool decode(const RecordView& record, Sample& out, SampleScratch& scratch) const;

  const SampleOffsets& offsets() const { return offsets_; }
  // Nothing when the record is shorter than its counts and sizes say. For events with all three fields.
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
  u32 prefix_size_ = 0;  // header and the fixed-size fields that open a sample
  u64 fixed_period_;     // of samples that hold none; with freq it is the frequency: all of them weigh the same
  ByteOrder order_;
};

// The sample-id trailer that ends every non-sample record when sample_id_all is set.
struct SampleId {
  u64 fields = 0;  // which of the below hold (sample_bit values)
  u32 pid = 0, tid = 0;
  u64 time = 0;
  u64 id = 0;
  u64 stream_id = 0;
  u32 cpu = 0;
};

// Size in bytes of the trailer of records of this event; 0 without sample_id_all.
u32 sample_id_size(const EventAttr& attr);
// Decodes the trailer at the end of `record`.
SampleId decode_sample_id(const RecordView& record, const EventAttr& attr);
// Appends such a trailer; which fields it has, the attr says.
void encode_sample_id(const SampleId& id, const EventAttr& attr, ByteWriter& out);
// The time of a non-sample record, read from its trailer; 0 when there is none.
u64 side_band_time(const RecordView& record, const EventAttr& attr);

// Decodes the body of read(2) data (PERF_FORMAT_*), used by PERF_RECORD_READ, SAMPLE_READ and counting alike. `values`
// keeps the storage. False when it does not fit.
bool decode_read(ByteReader& in, u64 read_format, ReadValues& out, std::vector<ReadValue>& values);

}  // namespace peregrine::abi
