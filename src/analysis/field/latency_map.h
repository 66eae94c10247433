// LatencyMap: how long pairs of events took, over time: what an SVG heat map shows.
//
//   outliers ─ ▒     ▒          above the scale
//       4 ms ┌─────────────┐
//            │  ░░ ▓▓ ░    │    a cell counts the pairs that ended in its step of time and took as long as its row says
//       1 µs └─────────────┘    time ─▶
//
// The scale is found from the times themselves: steps of equal ratio where they spread over more than a decade and a
// half, else steps of equal size; what only one in a thousand exceeds by far stands above the scale. Pure.
#pragma once
#include <span>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct PairPoint {
  u64 time = 0;  // of its end, ns
  u64 took = 0;  // ns
};

struct LatencyMap {
  u64 start = 0, step = 0;  // of the first column, of each; ns
  u32 columns = 0, rows = 0;
  std::vector<u64> bounds;    // of rows: row r is [bounds[r], bounds[r + 1]); rows + 1 of them
  std::vector<u64> counts;    // by column, then row
  std::vector<u64> outliers;  // by column: above the last bound
  bool logarithmic = false;
  struct Line {
    unsigned percent = 0;
    u64 whole = 0;               // of all pairs
    std::vector<u64> by_column;  // 0 where a column is empty
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
