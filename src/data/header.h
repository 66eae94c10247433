// Header: the layout of a recording, its feature sections, and their values.
//
// Filled by Reader from the file header, the feature table or HEADER_FEATURE records; filled by record for Writer.
// Formats: docs/perf-data.md, "Features"; the features are rows of data/feature/feature_rows.h.
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/features.h"

namespace peregrine::data {

enum class Layout {
  File,       // header, ids, attrs, data, features
  Pipe,       // a stream of self-describing records
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
  i64 captured_on = 0;                   // modification time of the file, seconds since 1970; 0 if unknown for a pipe
  std::vector<u32> present;              // feature ids in ascending order
  std::vector<FeatureSection> sections;  // file layout: one per feature present
  Features features;                     // values, except tracing data and what cannot be decoded
  std::map<u32, std::vector<std::byte>> kept;  // raw bytes of unknown and undecodable features

  bool has(FeatureId id) const { return std::ranges::find(present, static_cast<u32>(id)) != present.end(); }
};

}  // namespace peregrine::data
