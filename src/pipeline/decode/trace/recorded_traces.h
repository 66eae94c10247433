// RecordedTraces: the location of a recording's AUX area traces, and the parameters of their processors.
//
// Requires a pass over the records, without payloads, before decoding: a trace is stored after the side-band of its
// time.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "abi/session_record.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"

namespace peregrine {

// AUXTRACE_INFO's types (docs/perf-data.md).
enum class TraceType : u32 { None = 0, IntelPt = 1, IntelBts = 2, CoreSight = 3, ArmSpe = 4, S390 = 5, HisiPtt = 6 };
std::string_view trace_type_name(TraceType type);

// One AUXTRACE record.
constexpr u32 kNoCpu = ~u32{0};  // thread trace, on any CPU

struct TracePiece {
  u64 place = 0;                  // of the record, in the file
  u64 size = 0;                   // bytes of trace after the record
  u64 offset = 0, reference = 0;  // in the ring it was copied from; the trace's clock at that time
  u32 queue = 0, tid = 0, cpu = 0;
};

struct RecordedTraces {
  TraceType type = TraceType::None;
  std::vector<u64> facts;  // AUXTRACE_INFO after its type
  std::vector<TracePiece> pieces;
  std::optional<abi::TimeConvRecord> clock;
};

// Reads the recording a second time. Empty for a pipe, which cannot be reread.
Result<RecordedTraces> find_traces(const data::Reader& reader);

// The bytes of a piece: at most `most` from offset `from`.
Result<std::vector<std::byte>> read_piece(const data::Reader& reader, const TracePiece& piece, u64 from = 0,
                                          u64 most = ~u64{0});
// The pieces of each queue in order; indexed by queue number.
std::vector<std::vector<TracePiece>> pieces_by_queue(const RecordedTraces& traces);

}  // namespace peregrine
