#include "analysis/sched/delay_histogram.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace peregrine {

std::size_t DelayHistogram::place(u64 ns) {
  if (scale_ == Scale::Log) return std::min(static_cast<std::size_t>(std::bit_width(ns / kUnit)), kLogRanges - 1);
  while (ns / width_ >= kLinearRanges) {
    for (std::size_t i = 0; i < kLinearRanges; ++i)
      counts_[i] = i < kLinearRanges / 2 ? counts_[2 * i] + counts_[2 * i + 1] : 0;
    width_ *= 2;
  }
  return ns / width_;
}

void DelayHistogram::add(u64 ns) {
  ++counts_[place(ns)];
  ++total_;
}

DelayRange DelayHistogram::range(std::size_t index) const {
  if (scale_ == Scale::Linear) return {index * width_, (index + 1) * width_, counts_[index]};
  return {index == 0 ? 0 : kUnit << (index - 1), kUnit << index, counts_[index]};
}

std::vector<DelayRange> DelayHistogram::ranges() const {
  std::vector<DelayRange> ranges;
  if (total_ == 0) return ranges;
  std::size_t first = 0, last = counts_.size() - 1;
  while (counts_[first] == 0) ++first;
  while (counts_[last] == 0) --last;
  for (std::size_t i = first; i <= last; ++i) ranges.push_back(range(i));
  return ranges;
}

}  // namespace peregrine
