// file_header: the fixed header of a perf.data file and its attr, ids and event-type sections.
//
// Used by Reader and Writer. Format: docs/perf-data.md, "The file".
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header.h"
#include "data/header/evlist.h"

namespace peregrine::data {

inline constexpr std::size_t kFileHeaderSize = 104, kPipeHeaderSize = 16;
inline constexpr std::string_view kMagic2 = "PERFILE2", kMagic2Swapped = "2ELIFREP", kMagic1 = "PERFFILE",
                                  kMagic1Swapped = "ELIFFREP";

// Feature 0 has no meaning. In an unfinished file it is the first entry of the feature table (writer.cc).
inline constexpr u32 kReservedFeature = 0;

struct FileSection {
  u64 offset = 0, size = 0;
};

struct FileHeader {
  ByteOrder order = kHostOrder;
  unsigned version = 2;
  bool pipe = false;
  u64 size = 0;       // of this header
  u64 attr_size = 0;  // of one entry in the attr section
  FileSection attrs, data, event_types;
  std::array<u64, 4> features{};  // bitmap

  bool has_features() const { return features != std::array<u64, 4>{}; }
  bool has(u32 id) const { return (features[id / 64] >> (id % 64) & 1) != 0; }
  void set(u32 id) { features[id / 64] |= u64{1} << (id % 64); }
};

// Decodes the first 16 bytes of a pipe or up to 104 bytes of a file. Malformed: not a perf.data file.
Result<FileHeader> decode_file_header(Bytes bytes);
std::vector<std::byte> encode_file_header(const FileHeader& header);

// Whether the beginning of a file also contains its attrs, ids and event types.
bool holds_events(Bytes beginning);

// Reads attrs, ids and old event names of a file into an evlist. Malformed: a section extends beyond the file.
Result<Evlist> read_evlist(int fd, const FileHeader& header);

// Reads the feature table of a file: one section per set bit. Drops sections that extend beyond the file.
Result<std::vector<FeatureSection>> read_feature_table(int fd, const FileHeader& header, u64 table_offset,
                                                       u64 file_size);

}  // namespace peregrine::data
