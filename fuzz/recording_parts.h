// RecordingParts: a perf.data file as the pieces that a mutator may change without breaking the rest.
//
// It knows the layout of files and pipes in little-endian byte order, and the location of fields in samples and
// tracepoints. It shares no code with the reader under test. Pieces that make no sense stay as bytes.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

enum class MutableKind : u8 {
  Identifier,
  Ip,
  Pid,
  Tid,
  Time,
  Address,
  Id,
  StreamId,
  Cpu,
  Period,
  Count,
  Value,
  ChainEntry,
  RawSize,
  Raw,
  Branch,
  BranchFlags,
  Register,
  StackSize,
  Weight,
  DataSource,
  Other,
  Text,
};

// Bytes of a record that contain one value.
struct RecordField {
  std::size_t offset = 0;  // in the record
  std::size_t width = 0;
  MutableKind kind = MutableKind::Other;
  u32 key = 0;  // distinguishes fields of tracepoints
};

struct TracepointField {
  std::size_t offset = 0, size = 0;
  bool text = false;
};

class RecordingParts {
 public:
  using Piece = std::vector<std::byte>;
  struct Attr {
    Piece bytes;
    std::vector<u64> ids;
    u64 sample_type() const { return value(24); }
    u64 value(std::size_t offset) const;
  };

  // Nothing if there is no header that can be split into parts.
  static std::optional<RecordingParts> parse(Bytes bytes);
  Piece bytes() const;
  // The same recording in the pipe format of `record -o -`.
  RecordingParts as_pipe() const;

  // The location of a record's values: by its event's sample type for a sample, otherwise each word.
  std::vector<RecordField> fields(const Piece& record) const;
  // The event that a sample names; the first one if it names none.
  const Attr* attr_of(const Piece& record) const;

  bool pipe = false;
  std::vector<Attr> attrs;
  std::vector<Piece> records;
  std::map<u32, Piece> features;

 private:
  static std::optional<RecordingParts> parse_file(Bytes bytes);
  void take_records(Bytes bytes);
  void add_sample_fields(const Piece& record, const Attr& attr, std::vector<RecordField>& out) const;
  std::map<u32, std::vector<TracepointField>> tracepoints() const;
};

// Record types of perf.data that the mutator writes.
inline constexpr u32 kSampleRecord = 9, kAttrRecord = 64, kTracingDataRecord = 66, kAuxtraceRecord = 71,
                     kFeatureRecord = 80;
u32 record_type(const RecordingParts::Piece& record);
RecordingParts::Piece make_record(u32 type, u16 misc, Bytes body);

// "field:" lines of the event formats in TRACING_DATA, by event number.
std::map<u32, std::vector<TracepointField>> find_tracepoints(Bytes tracing_data);

}  // namespace peregrine
