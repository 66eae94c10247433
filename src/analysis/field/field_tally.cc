#include "analysis/field/field_tally.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

void FieldTally::begin(unsigned workers) {
  while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>());
}

void FieldTally::sample(const ReplaySample& sample, Resolver& resolver, unsigned index) {
  Worker& worker = *workers_[index];
  worker.key.clear();
  std::optional<i128> value;
  if (request_.value) value = request_.value->number(sample);
  if ((request_.value && !value) || !append_fields(worker.key, request_.keys, sample, resolver)) {
    ++worker.passed_over;
    return;
  }
  Amount& amount = worker.amounts[worker.key];
  ++amount.count;
  amount.sum += value.value_or(0);
  if (request_.distribute) worker.values.add(*value);
}

std::vector<TallyRow> FieldTally::rows() const {
  std::unordered_map<std::string, Amount> all;
  for (const auto& worker : workers_) {
    for (const auto& [key, amount] : worker->amounts) {
      all[key].count += amount.count;
      all[key].sum += amount.sum;
    }
  }
  std::vector<TallyRow> rows;
  for (auto& [key, amount] : all) rows.push_back({key, amount.count, amount.sum});
  const bool by_sum = request_.value.has_value();
  std::sort(rows.begin(), rows.end(), [&](const TallyRow& a, const TallyRow& b) {
    if (by_sum && a.sum != b.sum) return a.sum > b.sum;
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  });
  return rows;
}

ValueDistribution FieldTally::distribution(std::string name) const {
  ValueDistribution all(std::move(name), true, {});
  for (const auto& worker : workers_) all.add(worker->values);
  return all;
}

u64 FieldTally::passed_over() const {
  u64 all = 0;
  for (const auto& worker : workers_) all += worker->passed_over;
  return all;
}

}  // namespace peregrine
