// RecordedTraces: where the AUX area traces of a recording lie, and what it says of their processors.
//
// One pass over the recording's records, without their payloads, before it is decoded: a trace is stored behind the
// side-band of its time.
#pragma once
#include <optional>
#include <vector>

#include "abi/session_record.h"
#include "data/reader/reader.h"

namespace peregrine {

// AUXTRACE_INFO's types (docs/perf-data.md).
enum class TraceType : u32 { None = 0, IntelPt = 1, IntelBts = 2, CoreSight = 3, ArmSpe = 4, S390 = 5, HisiPtt = 6 };
std::string_view trace_type_name(TraceType type);

// One AUXTRACE record.
constexpr u32 kNoCpu = ~u32{0};  // the trace of a thread on any

struct TracePiece {
  u64 place = 0;                  // of the record in the file
  u64 size = 0;                   // bytes of the trace behind the record
  u64 offset = 0, reference = 0;  // in the ring that it was copied from; the clock of the trace then
  u32 queue = 0, tid = 0, cpu = 0;
};

struct RecordedTraces {
  TraceType type = TraceType::None;
  std::vector<u64> facts;  // the words of AUXTRACE_INFO behind its type
  std::vector<TracePiece> pieces;
  std::optional<abi::TimeConvRecord> clock;
};

// Reads what `reader` reads a second time. Nothing of a pipe, which has passed.
Result<RecordedTraces> find_traces(const data::Reader& reader);

// The bytes of a piece; of them, at most `most` from `from` on.
Result<std::vector<std::byte>> read_piece(const data::Reader& reader, const TracePiece& piece, u64 from = 0,
                                          u64 most = ~u64{0});
// The pieces of each queue, in their order; queues by number.
std::vector<std::vector<TracePiece>> pieces_by_queue(const RecordedTraces& traces);

}  // namespace peregrine
