#include "analysis/field/field_tally.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/types.h"
#include "capture/bpf/counting/value_count.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

void count_value(std::vector<u64>& slots, u64 value, bool is_signed) {
  slots.resize(kSlots, 0);
  std::size_t slot = kZero;
  if (is_signed && static_cast<i64>(value) < 0)
    slot = kNegative;
  else if (value != 0)
    slot = kFirstPower + static_cast<std::size_t>(std::bit_width(value)) - 1;
  ++slots[slot];
  slots[kSum] += value;
}

void FieldTally::begin(unsigned workers) {
  while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>());
}

void FieldTally::sample(const ReplaySample& sample, Resolver& resolver, unsigned index) {
  Worker& worker = *workers_[index];
  worker.key.clear();
  std::optional<u64> value;
  if (request_.value) value = request_.value->number(sample);
  if ((request_.value && !value) || !append_fields(worker.key, request_.keys, sample, resolver)) {
    ++worker.passed_over;
    return;
  }
  Amount& amount = worker.amounts[worker.key];
  ++amount.count;
  amount.sum += value.value_or(0);
  if (request_.distribute) count_value(worker.slots, *value, request_.value->is_signed());
}

std::vector<TallyRow> FieldTally::rows() {
  std::unordered_map<std::string, Amount> all;
  for (const auto& worker : workers_) {
    passed_over_ += worker->passed_over;
    for (const auto& [key, amount] : worker->amounts) {
      all[key].count += amount.count;
      all[key].sum += amount.sum;
    }
  }
  std::vector<TallyRow> rows;
  for (auto& [key, amount] : all) rows.push_back({key, amount.count, amount.sum});
  const bool by_sum = request_.value.has_value();
  const bool is_signed = by_sum && request_.value->is_signed();
  std::sort(rows.begin(), rows.end(), [&](const TallyRow& a, const TallyRow& b) {
    if (by_sum && a.sum != b.sum) return is_signed ? static_cast<i64>(a.sum) > static_cast<i64>(b.sum) : a.sum > b.sum;
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  });
  return rows;
}

const ValueDistribution& FieldTally::distribution(std::string name) {
  distribution_.emplace(std::move(name), request_.value->is_signed(), std::vector<i64>());
  for (const auto& worker : workers_) distribution_->add(worker->slots);
  return *distribution_;
}

}  // namespace peregrine
