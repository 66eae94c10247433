// Header: the layout of a recording, its feature sections, and their values.
//
// Filled by Reader from the file header, the feature table or HEADER_FEATURE records; filled by record for Writer.
// Formats: docs/perf-data.md, "Features"; one codec per format in data/feature/.
#pragma once
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "data/feature/features.h"

namespace peregrine::data {

// HEADER_*: the bits of features in the header's bitmap, in the order of their sections.
enum class FeatureId : u32 {
  TracingData = 1,
  BuildId = 2,
  Hostname = 3,
  OsRelease = 4,
  Version = 5,
  Arch = 6,
  NrCpus = 7,
  CpuDesc = 8,
  CpuId = 9,
  TotalMem = 10,
  Cmdline = 11,
  EventDesc = 12,
  CpuTopology = 13,
  NumaTopology = 14,
  BranchStack = 15,
  PmuMappings = 16,
  GroupDesc = 17,
  Auxtrace = 18,
  Stat = 19,
  Cache = 20,
  SampleTime = 21,
  MemTopology = 22,
  ClockId = 23,
  DirFormat = 24,
  BpfProgInfo = 25,
  BpfBtf = 26,
  Compressed = 27,
  CpuPmuCaps = 28,
  ClockData = 29,
  HybridTopology = 30,
  PmuCaps = 31,
  CpuDomainInfo = 32,
  EMachine = 33,
  ClnSize = 34,
};
inline constexpr u32 kFeatureBits = 256;

// Returns "HOSTNAME", "BPF_PROG_INFO", …, or an empty string for numbers without a name.
std::string_view feature_name(u32 id);

enum class Layout {
  File,       // header, ids, attrs, data, features
  Pipe,       // a stream of records that describes itself
  Directory,  // perf.data/data, perf.data/data.0, …
};

// Where one feature's bytes are in the file.
struct FeatureSection {
  u32 id = 0;
  u64 offset = 0;
  u64 size = 0;
};

struct Header {
  Layout layout = Layout::File;
  ByteOrder order = kHostOrder;
  unsigned version = 2;  // 1: magic "PERFFILE"
  u64 header_size = 0;
  u64 attr_size = 0;                     // of one attr entry, ids section included
  u64 data_offset = 0, data_size = 0;    // of the records; extends to the end of an unfinished file
  u64 feature_offset = 0;                // of the feature table; 0 in a pipe
  bool unfinished = false;               // the recorder was killed
  i64 captured_on = 0;                   // modification time of the file, seconds since 1970; 0 if a pipe did not tell
  std::vector<u32> present;              // feature ids in ascending order
  std::vector<FeatureSection> sections;  // file layout: one per feature present
  Features features;                     // values, except tracing data and what cannot be decoded
  std::map<u32, std::vector<std::byte>> kept;  // raw bytes of features that are unknown or cannot be decoded

  bool has(FeatureId id) const;
};

// Decodes one feature's bytes into `features`. Returns false if the bytes are invalid or the id is unknown.
bool decode_feature(u32 id, Bytes bytes, ByteOrder order, Features& features);
// Encodes a section as linux-perf 6.1 does. Returns an empty optional if `features` has no such value.
std::optional<std::vector<std::byte>> encode_feature(u32 id, const Features& features, ByteOrder order = kHostOrder);

}  // namespace peregrine::data
