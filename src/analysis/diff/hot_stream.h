// Hot streams: the chains of branches and callers that most samples of a recording came by, and which of them two
// recordings have in common: diff --stream.
//
// A stream is a whole chain of branch_history.h. Two are the same where each of their frames has the same function and
// source line; what has no name is never the same, for the addresses of two recordings say nothing of each other.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "analysis/hist/key/face_table.h"

namespace peregrine {

struct HotStream {
  std::vector<HistFrameId> frames;  // the newest branch first
  u64 period = 0;
  double share = 0;  // percent of what has a chain
  u64 cycles = 0;    // of its branches, on the average
};

// Of one event, those of the hottest functions first, in each the hottest first. `faces` are of dso and symbol.
std::vector<HotStream> hot_streams(const Hists& hists, const FaceTable& faces, u32 event, std::size_t most);

struct StreamPairs {
  std::vector<std::pair<std::size_t, std::size_t>> both;  // places in the two lists
  std::vector<std::size_t> first_only, second_only;
};
StreamPairs pair_streams(const std::vector<HotStream>& first, const FaceTable& first_faces,
                         const std::vector<HotStream>& second, const FaceTable& second_faces);

}  // namespace peregrine
