#include "analysis/field/latency_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/number/round_step.h"

namespace peregrine {

namespace {

constexpr unsigned kPercents[] = {50, 95, 99};

// Nearest-rank quantile.
u64 quantile(const std::vector<u64>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

// Rounds down to 1, 2 or 5 times a power of ten.
u64 round_down(u64 value) {
  u64 best = 1;
  for (u64 power = 1; power <= 1'000'000'000'000'000'000 / 5; power *= 10)
    for (const u64 digit : {1u, 2u, 5u})
      if (digit * power <= value) best = digit * power;
  return best;
}

void choose_bounds(LatencyMap& map, const std::vector<u64>& sorted, u32 rows) {
  constexpr double kSpread = 30;
  const u64 low = std::max<u64>(quantile(sorted, 0.01), 1), usual = quantile(sorted, 0.999);
  const u64 high = sorted.back() > usual * 2 ? usual : sorted.back();
  map.rows = rows;
  map.logarithmic = static_cast<double>(high) / static_cast<double>(low) > kSpread;
  const u64 top = std::max(round_step(high + 1), u64{rows});
  const u64 bottom = map.logarithmic ? round_down(std::max<u64>(sorted.front(), 1)) : 0;
  const double ratio = std::log(static_cast<double>(top) / static_cast<double>(std::max<u64>(bottom, 1)));
  for (u32 row = 0; row <= rows; ++row) {
    const double share = static_cast<double>(row) / rows;
    const double bound =
        map.logarithmic ? static_cast<double>(bottom) * std::exp(ratio * share) : static_cast<double>(top) * share;
    map.bounds.push_back(static_cast<u64>(std::llround(bound)));
  }
}

void add_lines(LatencyMap& map, const std::vector<u64>& sorted, std::vector<std::vector<u64>> by_column) {
  for (std::vector<u64>& times : by_column) std::ranges::sort(times);
  for (const unsigned percent : kPercents) {
    LatencyMap::Line line{.percent = percent, .whole = quantile(sorted, percent / 100.0)};
    for (const std::vector<u64>& times : by_column)
      line.by_column.push_back(times.empty() ? 0 : quantile(times, percent / 100.0));
    map.lines.push_back(std::move(line));
  }
}

}  // namespace

LatencyMap make_latency_map(std::span<const PairPoint> points, const LatencyScale& scale) {
  LatencyMap map{.pairs = points.size()};
  if (points.empty()) return map;
  std::vector<u64> sorted;
  u64 first = ~u64{0}, last = 0;
  for (const PairPoint& point : points) {
    sorted.push_back(point.took);
    first = std::min(first, point.time);
    last = std::max(last, point.time);
  }
  std::ranges::sort(sorted);
  map.most = sorted.back();
  map.start = first;
  map.step = round_step((last - first) / scale.columns + 1);
  map.columns = static_cast<u32>((last - first) / map.step + 1);
  choose_bounds(map, sorted, scale.rows);
  map.counts.resize(std::size_t{map.columns} * map.rows);
  map.outliers.resize(map.columns);
  std::vector<std::vector<u64>> by_column(map.columns);
  for (const PairPoint& point : points) {
    const u64 column = (point.time - first) / map.step;
    by_column[column].push_back(point.took);
    const auto above = std::ranges::upper_bound(map.bounds, point.took);
    if (above == map.bounds.end())
      ++map.outliers[column];
    else
      ++map.counts[column * map.rows + static_cast<u64>(std::max<std::ptrdiff_t>(above - map.bounds.begin(), 1) - 1)];
  }
  add_lines(map, sorted, std::move(by_column));
  return map;
}

}  // namespace peregrine
