#include "analysis/stat/value_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

#include "capture/bpf/counting/value_count.h"

namespace peregrine {

void CountedValues::add(i128 value) {
  slots.resize(kSlots, 0);
  std::size_t slot = kZero;
  if (value < 0)
    slot = kNegative;
  else if (value != 0)
    slot = kFirstPower + static_cast<std::size_t>(std::bit_width(static_cast<u64>(value))) - 1;
  ++slots[slot];
  sum += value;
}

void ValueDistribution::add(const CountedValues& counted) {
  add(counted.slots);  // kSum is 0
  sum_ += counted.sum;
}

void ValueDistribution::add(std::span<const u64> slots) {
  slots_.resize(kSlots, 0);
  for (std::size_t slot = 0; slot < slots_.size() && slot < slots.size(); ++slot) slots_[slot] += slots[slot];
  if (slots.size() > kSum) sum_ += is_signed_ ? i128{static_cast<i64>(slots[kSum])} : i128{slots[kSum]};
}

std::size_t ValueDistribution::slot_count() const {
  if (slots_.empty()) return 0;
  return bounds_.empty() ? std::size_t{kFirstPower} + 64 : bounds_.size() + 1;
}

u64 ValueDistribution::values() const {
  return std::accumulate(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(slot_count()), u64{0});
}

double ValueDistribution::average() const {
  const u64 count = values();
  return count == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count);
}

ValueRange ValueDistribution::range(std::size_t slot) const {
  const u64 count = slots_[slot];
  if (!bounds_.empty()) {
    return {slot == 0 ? "" : fmt::to_string(bounds_[slot - 1]),
            slot == bounds_.size() ? "" : fmt::to_string(bounds_[slot] - 1), count};
  }
  if (slot == kNegative) return {"", "-1", count};
  if (slot == kZero) return {"0", "0", count};
  const u64 low = u64{1} << (slot - kFirstPower);
  return {fmt::to_string(low), fmt::to_string(low + (low - 1)), count};
}

std::vector<ValueRange> ValueDistribution::ranges() const {
  std::vector<ValueRange> ranges;
  const auto used = std::span(slots_).first(slot_count());
  const auto any = [](u64 count) { return count != 0; };
  const auto first = std::ranges::find_if(used, any);
  if (first == used.end()) return ranges;
  auto last = used.end();
  while (!any(*(last - 1))) --last;
  for (auto slot = first; slot != last; ++slot) ranges.push_back(range(static_cast<std::size_t>(slot - used.begin())));
  return ranges;
}

}  // namespace peregrine
