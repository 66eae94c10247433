#include "analysis/function/call_statistics.h"

#include <algorithm>
#include <functional>

namespace peregrine {

void FunctionProfile::add(std::string_view function, u64 duration) {
  auto at = functions_.find(function);
  if (at == functions_.end())
    at = functions_.emplace(std::string(function), FunctionCost{.function = std::string(function)}).first;
  FunctionCost& cost = at->second;
  ++cost.calls;
  cost.total += duration;
  cost.most = std::max(cost.most, duration);
}

std::vector<FunctionCost> FunctionProfile::rows(FunctionOrder order) const {
  std::vector<FunctionCost> rows;
  for (const auto& [name, cost] : functions_) rows.push_back(cost);
  const auto key = [order](const FunctionCost& cost) -> u64 {
    switch (order) {
      case FunctionOrder::Total:
        return cost.total;
      case FunctionOrder::Average:
        return cost.average();
      case FunctionOrder::Most:
        return cost.most;
      case FunctionOrder::Calls:
        return cost.calls;
      case FunctionOrder::Name:
        break;
    }
    return 0;
  };
  std::ranges::stable_sort(rows, std::ranges::greater(), key);
  return rows;
}

u64 DurationHistogram::low_of(unsigned range) const {
  if (range == 0) return 0;
  return least_ +
         (width_ != 0 ? u64{range - 1} * width_ : (least_ == 0 ? u64{1} << (range - 1) : (u64{1} << range) / 2 - 1));
}

unsigned DurationHistogram::range_of(u64 units) const {
  if (units < least_) return 0;
  if (most_ != 0 && units >= most_) return kRanges - 1;
  for (unsigned range = kRanges - 1; range > 0; --range)
    if (units >= low_of(range)) return range;
  return 0;
}

void DurationHistogram::add(u64 duration) {
  ++counts_[range_of(duration / unit_)];
  ++count_;
  total_ += duration;
  shortest_ = std::min(shortest_, duration);
  longest_ = std::max(longest_, duration);
}

std::vector<DurationHistogram::Range> DurationHistogram::ranges() const {
  std::vector<Range> ranges;
  for (unsigned range = 0; range < kRanges; ++range) {
    const bool last = range + 1 == kRanges;
    const bool empty = !last && low_of(range) == low_of(range + 1);
    if (empty || (!last && most_ != 0 && low_of(range) >= most_)) continue;
    ranges.push_back({low_of(range), last ? 0 : low_of(range + 1), counts_[range]});
    if (last && most_ != 0) ranges.back().low = std::min(ranges.back().low, most_);
  }
  return ranges;
}

}  // namespace peregrine
