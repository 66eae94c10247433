// ctf_event: what a sample or a side-band record is as an event of a CTF trace: its class, and its bytes.
//
//   attr + tracepoint format ──make_sample_plan──▶ CtfSamplePlan ──put_sample──▶ a CtfStream
//
// A plan is made once per event. The fields, their names and their order are linux-perf's: perf_ip, perf_tid, perf_pid,
// … as far as the event samples them, the callchain, then the fields of the tracepoint, or what a BPF program sent.
// Formats and records are untrusted: what a record does not hold reads as 0.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "abi/sample.h"
#include "abi/side_band.h"
#include "event/field/trace_format.h"
#include "output/ctf/ctf_stream.h"
#include "output/ctf/tsdl.h"

namespace peregrine {

// One field of a tracepoint.
struct CtfPayloadField {
  TraceField field;
  CtfField::Kind kind = CtfField::Kind::Integer;
  u32 element = 0;    // bytes of each number in the record
  bool wide = false;  // 64 bits in the trace
  u32 length = 0;     // of an array: elements
};

struct CtfSamplePlan {
  u32 id = 0;      // of its class
  u64 fields = 0;  // sample_bit values that it writes
  bool raw = false;
  std::vector<CtfPayloadField> payload;
  ByteOrder order = kHostOrder;  // of raw data
};

// The plan and its class. `format`: of a tracepoint, null when the recording does not explain it, which is then written
// as raw data.
std::pair<CtfSamplePlan, CtfEventClass> make_sample_plan(u32 id, std::string name, const abi::EventAttr& attr,
                                                         const TraceFormat* format, ByteOrder order);
// The fields of the event that was begun.
void put_sample(const CtfSamplePlan& plan, const abi::Sample& sample, CtfStream& out);

// perf_comm, perf_exit, perf_fork, perf_mmap and perf_mmap2, numbered from `first_id` in this order.
std::vector<CtfEventClass> side_band_classes(u32 first_id);
// Which of them it is; nothing for other records.
std::optional<u32> side_band_class(const abi::SideBand& record);
void put_side_band(const abi::SideBand& record, CtfStream& out);

}  // namespace peregrine
