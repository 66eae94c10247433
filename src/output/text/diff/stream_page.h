// The page of diff --stream: hot streams shared by two recordings side by side, then those in only one. The layout is
// linux-perf's. Pure except for the sink.
#pragma once
#include <vector>

#include "analysis/diff/hot_stream.h"
#include "analysis/hist/key/face_table.h"
#include "output/sink.h"

namespace peregrine {

struct StreamSide {
  const std::vector<HotStream>& streams;
  const FaceTable& faces;
};

void print_streams(Sink& out, const StreamSide& before, const StreamSide& after);

}  // namespace peregrine
