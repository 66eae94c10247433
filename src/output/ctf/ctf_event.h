// ctf_event: converts a sample or side-band record to an event of a CTF trace: its class and its bytes.
//
//   attr + tracepoint format ──make_sample_plan──▶ CtfSamplePlan ──put_sample──▶ a CtfStream
//
// A plan is made once per event. The fields, their names and order are linux-perf's: perf_ip, perf_tid, perf_pid, … as
// sampled, the callchain, then the tracepoint's fields or a BPF program's output. Formats and records are untrusted:
// data beyond a record reads as 0.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "output/ctf/ctf_stream.h"
#include "output/ctf/tsdl.h"

namespace peregrine {

// One field of a tracepoint.
struct CtfPayloadField {
  TraceField field;
  CtfField::Kind kind = CtfField::Kind::Integer;
  u32 element = 0;    // bytes per number in the record
  bool wide = false;  // 64 bits in the trace
  u32 length = 0;     // number of array elements
};

struct CtfSamplePlan {
  u32 id = 0;      // of its class
  u64 fields = 0;  // the event's sample_type
  std::vector<const abi::RecordedField*> numbers;
  bool raw = false;
  std::vector<CtfPayloadField> payload;
  ByteOrder order = kHostOrder;  // of raw data
};

// The plan and its class. `format`: of a tracepoint; null if the recording lacks it, which writes it as raw data.
std::pair<CtfSamplePlan, CtfEventClass> make_sample_plan(
    u32 id, std::string name, const abi::EventAttr& attr, const TraceFormat* format, ByteOrder order,
    std::span<const abi::RecordedField> numbers = abi::kRecordedFields);
// Writes the fields of the current event.
void put_sample(const CtfSamplePlan& plan, const abi::Sample& sample, CtfStream& out);

// perf_comm, perf_exit, perf_fork, perf_mmap and perf_mmap2, numbered from `first_id` in this order.
std::vector<CtfEventClass> side_band_classes(u32 first_id);
// The class index of a record; nothing for other records.
std::optional<u32> side_band_class(const abi::SideBand& record);
void put_side_band(const abi::SideBand& record, CtfStream& out);

}  // namespace peregrine
