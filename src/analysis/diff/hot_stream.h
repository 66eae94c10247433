// Hot streams: the most frequent chains of branches and callers, and which of them two recordings share: diff --stream.
//
// A stream is a whole chain (see branch_history.h). Two are equal if all their frames have the same function and source
// line; frames without a name never match, since addresses of two recordings are unrelated.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"
#include "base/types.h"

namespace peregrine {

struct HotStream {
  std::vector<HistFrameId> frames;  // newest branch first
  u64 period = 0;
  double share = 0;  // percentage of samples with a chain
  u64 cycles = 0;    // average over its branches
};

// Streams of one event: sorted by function, hottest first, then by stream. `faces` have dso and symbol.
std::vector<HotStream> hot_streams(const Hists& hists, const FaceTable& faces, u32 event, std::size_t most);

struct StreamPairs {
  std::vector<std::pair<std::size_t, std::size_t>> both;  // indices in the two lists
  std::vector<std::size_t> first_only, second_only;
};
StreamPairs pair_streams(const std::vector<HotStream>& first, const FaceTable& first_faces,
                         const std::vector<HotStream>& second, const FaceTable& second_faces);

}  // namespace peregrine
