#include "pipeline/decode/trace/recorded_traces.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header.h"

namespace peregrine {
namespace {

constexpr std::size_t kMostFacts = 4096;

void take(const abi::RecordView& record, RecordedTraces& traces) {
  if (record.type == abi::RecordType::AuxtraceInfo) {
    ByteReader body(record.body(), record.order);
    traces.type = static_cast<TraceType>(body.get32());
    body.skip(4);
    traces.facts.clear();
    while (body.left() >= 8 && traces.facts.size() < kMostFacts) traces.facts.push_back(body.get64());
    return;
  }
  if (record.type != abi::RecordType::Auxtrace && record.type != abi::RecordType::TimeConv) return;
  const auto decoded = abi::decode_session_record(record);
  if (!decoded || !*decoded) return;
  if (const auto* clock = std::get_if<abi::TimeConvRecord>(&**decoded)) traces.clock = *clock;
  if (const auto* piece = std::get_if<abi::AuxtraceRecord>(&**decoded)) {
    traces.pieces.push_back({.place = record.offset,
                             .size = piece->size,
                             .offset = piece->offset,
                             .reference = piece->reference,
                             .queue = piece->index,
                             .tid = piece->tid,
                             .cpu = piece->cpu});
  }
}

}  // namespace

std::string_view trace_type_name(TraceType type) {
  switch (type) {
    case TraceType::IntelPt:
      return "Intel PT";
    case TraceType::IntelBts:
      return "Intel BTS";
    case TraceType::CoreSight:
      return "CoreSight ETM";
    case TraceType::ArmSpe:
      return "Arm SPE";
    case TraceType::S390:
      return "s390 sampling";
    case TraceType::HisiPtt:
      return "HiSilicon PTT";
    case TraceType::None:
      break;
  }
  return "unknown";
}

Result<RecordedTraces> find_traces(const data::Reader& reader) {
  RecordedTraces traces;
  if (reader.header().layout == data::Layout::Pipe) return traces;
  auto second = reader.open_again();
  if (!second) return std::unexpected(std::move(second.error()));
  abi::RecordView record;
  for (;;) {
    const auto more = second->next(record);
    // If the recording is truncated, decode what was read up to there.
    if (!more || !*more) return traces;
    take(record, traces);
  }
}

std::vector<std::vector<TracePiece>> pieces_by_queue(const RecordedTraces& traces) {
  std::map<u32, std::vector<TracePiece>> by_queue;
  for (const TracePiece& piece : traces.pieces) by_queue[piece.queue].push_back(piece);
  std::vector<std::vector<TracePiece>> queues;
  for (auto& [queue, pieces] : by_queue) queues.push_back(std::move(pieces));
  return queues;
}

// Reads a part of a trace through a fake AUXTRACE record that starts `from` bytes later than the real one, so that the
// reader treats the part as its payload.
Result<std::vector<std::byte>> read_piece(const data::Reader& reader, const TracePiece& piece, u64 from, u64 most) {
  const u64 begin = std::min(from, piece.size), size = std::min(most, piece.size - begin);
  ByteWriter bytes(reader.header().order);
  bytes.put32(static_cast<u32>(abi::RecordType::Auxtrace)).put16(0).put16(48).put64(size).zeros(32);
  abi::RecordView record;
  record.type = abi::RecordType::Auxtrace;
  record.bytes = bytes.bytes();
  record.order = reader.header().order;
  record.offset = piece.place + std::min(begin, u64{1} << 63);  // 2^63 is beyond any file
  return reader.read_payload(record);
}

}  // namespace peregrine
