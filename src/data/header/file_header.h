// file_header: the fixed header of a perf.data file and its attr, ids and event-type sections.
//
// Used by Reader and Writer. Format: docs/perf-data.md, "The file".
#pragma once
#include <array>
#include <optional>

#include "data/header.h"
#include "data/header/evlist.h"

namespace peregrine::data {

inline constexpr std::size_t kFileHeaderSize = 104, kPipeHeaderSize = 16;
inline constexpr std::string_view kMagic2 = "PERFILE2", kMagic2Swapped = "2ELIFREP", kMagic1 = "PERFFILE",
                                  kMagic1Swapped = "ELIFFREP";

// Feature 0 means nothing. In a file that is being written it leads the feature table (writer.cc).
inline constexpr u32 kReservedFeature = 0;

struct FileSection {
  u64 offset = 0, size = 0;
};

struct FileHeader {
  ByteOrder order = kHostOrder;
  unsigned version = 2;
  bool pipe = false;
  u64 size = 0;       // of the header itself
  u64 attr_size = 0;  // of an entry of the attr section
  FileSection attrs, data, event_types;
  std::array<u64, 4> features{};  // bitmap

  bool has_features() const { return features != std::array<u64, 4>{}; }
  bool has(u32 id) const { return (features[id / 64] >> (id % 64) & 1) != 0; }
  void set(u32 id) { features[id / 64] |= u64{1} << (id % 64); }
};

// Decodes the first bytes of a file or pipe: 16 of a pipe, up to 104 of a file. Malformed: not a perf.data file.
Result<FileHeader> decode_file_header(Bytes bytes);
std::vector<std::byte> encode_file_header(const FileHeader& header);

// Whether the bytes that begin a file hold its attrs, ids and event types, too.
bool holds_events(Bytes beginning);

// Reads attrs, ids and old event names of a file into an evlist. Malformed: a section lies beyond the file.
Result<Evlist> read_evlist(int fd, const FileHeader& header);

// The feature table of a file: one section per set bit, those dropped that lie beyond the file.
Result<std::vector<FeatureSection>> read_feature_table(int fd, const FileHeader& header, u64 table_offset,
                                                       u64 file_size);

}  // namespace peregrine::data
