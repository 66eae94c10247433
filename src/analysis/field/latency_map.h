// LatencyMap: the latency of event pairs over time, for an SVG heat map.
//
//   outliers ─ ▒     ▒          above the scale
//       4 ms ┌─────────────┐
//            │  ░░ ▓▓ ░    │    a cell counts pairs that ended in its time step with a latency in its row
//       1 µs └─────────────┘    time ─▶
//
// The scale depends on the times: logarithmic if they span more than a decade and a half, otherwise linear; the one in
// a thousand that exceed the rest by far go above the scale. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct PairPoint {
  u64 time = 0;  // end of the pair, ns
  u64 took = 0;  // ns
};

struct LatencyMap {
  u64 start = 0, step = 0;  // of the first column; of each; ns
  u32 columns = 0, rows = 0;
  std::vector<u64> bounds;    // rows + 1 bounds: row r is [bounds[r], bounds[r + 1])
  std::vector<u64> counts;    // by column, then row
  std::vector<u64> outliers;  // by column: above the last bound
  bool logarithmic = false;
  struct Line {
    unsigned percent = 0;
    u64 whole = 0;               // of all pairs
    std::vector<u64> by_column;  // 0 for empty columns
  };
  std::vector<Line> lines;
  u64 pairs = 0, most = 0;  // `most`: the longest time

  u64 count(u32 column, u32 row) const { return counts[std::size_t{column} * rows + row]; }
};

struct LatencyScale {
  u32 columns = 120, rows = 48;
};
LatencyMap make_latency_map(std::span<const PairPoint> points, const LatencyScale& scale = {});

}  // namespace peregrine
