// SpeRecord: the combined packets of one sampled operation. SpeRecordReader: reads the records of a trace.
//
//   PC  OP  EV  VA  LAT …  TS | PC  OP  … END | 00 00 | PC …         a time stamp or an end packet ends a record
//
// One reader per queue of AUX buffers (CPU or thread), fed in order: a record may continue in the next buffer, a packet
// may not. Invalid bytes are skipped; records adjacent to them are marked as damaged.
#pragma once
#include "auxtrace/arm_spe/packet.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

// Class and payload of an operation packet.
struct SpeOperation {
  u8 op_class = kNone;
  u8 subclass = 0;

  static constexpr u8 kNone = 0xff;  // the record has none
  constexpr bool is_memory() const { return op_class == spe_class::LoadStore; }
  constexpr bool is_load() const { return is_memory() && (subclass & 1) == 0; }
  constexpr bool is_store() const { return is_memory() && (subclass & 1) != 0; }
  constexpr bool is_branch() const { return op_class == spe_class::Branch; }
  // Atomics, exclusives, acquire and release share one class of loads and stores.
  constexpr bool is_extended() const { return is_memory() && (subclass & 0xe2) == 2; }
  constexpr bool is_atomic() const { return is_extended() && (subclass & 4) != 0; }
  constexpr bool is_exclusive() const { return is_extended() && (subclass & 8) != 0; }
  constexpr bool is_ordered() const { return is_extended() && (subclass & 16) != 0; }
  constexpr bool is_sve() const {
    return is_memory() ? (subclass & 0x0a) == 8 : op_class == spe_class::Other && (subclass & 0x89) == 8;
  }
  // Vector length in bits of an SVE operation.
  constexpr u32 vector_length() const { return is_sve() ? 32u << (subclass >> 4 & 7) : 0; }
  constexpr bool is_conditional() const { return !is_memory() && op_class != kNone && (subclass & 1) != 0; }
  constexpr bool is_indirect() const { return is_branch() && (subclass & 0xfe) == 2; }
  friend bool operator==(const SpeOperation&, const SpeOperation&) = default;
};

struct SpeRecord {
  static constexpr u32 kNoContext = 0xffffffff;

  u64 from_ip = 0;             // of the operation
  u64 to_ip = 0;               // branch target
  u64 previous_branch_to = 0;  // target of the previous branch
  u64 virt_addr = 0, phys_addr = 0;
  u64 timestamp = 0;  // ticks of the generic timer; 0 if absent
  u64 events = 0;     // spe_event bits
  SpeOperation operation;
  u16 latency = 0, issue_latency = 0, translation_latency = 0;  // cycles
  u64 data_source = 0;                                          // processor specific
  u32 context = kNoContext;                                     // a thread id written by the kernel
  bool damaged = false;  // the trace broke off before its first or after its last packet
  friend bool operator==(const SpeRecord&, const SpeRecord&) = default;
};

class SpeRecordReader {
 public:
  // The next buffer; borrowed until next() returns false.
  void feed(Bytes buffer) { rest_ = buffer; }
  // Returns false at the end of the buffer; a partial record is kept for the next buffer.
  bool next(SpeRecord& out);
  // Drops a partial record: the next buffer does not continue the last one.
  void restart() {
    record_ = SpeRecord();
    begun_ = torn_ = false;
  }

  // Whether a record is incomplete so far.
  bool unfinished() const { return begun_; }
  u64 bad_bytes() const { return bad_bytes_; }              // bytes that were not packets, so far
  u64 unknown_packets() const { return unknown_packets_; }  // with an undefined index

 private:
  bool take(const SpePacket& packet);
  void take_address(const SpePacket& packet);
  void take_counter(const SpePacket& packet);
  bool finish(SpeRecord& out, bool damaged);

  Bytes rest_;
  SpeRecord record_;
  bool begun_ = false;  // record_ has a packet
  bool torn_ = false;   // bad bytes precede record_
  u64 bad_bytes_ = 0, unknown_packets_ = 0;
};

}  // namespace peregrine
