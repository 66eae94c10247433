#include "analysis/diff/change.h"

#include <algorithm>
#include <cmath>

namespace peregrine {
namespace {

constexpr double kDeviations = 1.959964;  // 95 % of a normal distribution is within ± this many

double share(RowWeight row, WholeWeight all) {
  return all.period == 0 ? 0 : static_cast<double>(row.period) / static_cast<double>(all.period);
}

// In linux-perf's order of operations, so that the same changes compare equal.
double percent(RowWeight row, WholeWeight all) {
  return all.period == 0 ? 0 : 100.0 * static_cast<double>(row.period) / static_cast<double>(all.period);
}

// Agresti–Caffo estimate of a share and its variance. It adds one hit and one miss, so that a row without samples
// gets a non-zero variance.
struct Estimate {
  double share = 0, variance = 0;
};
Estimate estimate(RowWeight row, WholeWeight all) {
  const double samples = static_cast<double>(all.samples);
  const double value = (share(row, all) * samples + 1) / (samples + 2);
  return {value, value * (1 - value) / (samples + 2)};
}

// Variance of a row's period: its samples are a Poisson count, each worth the row's mean period.
double period_variance(RowWeight row, WholeWeight all) {
  const RowWeight seen = row.samples == 0 ? RowWeight{all.period, std::max<u64>(all.samples, 1)} : row;
  const double mean = static_cast<double>(seen.period) / static_cast<double>(seen.samples);
  return mean * mean * static_cast<double>(std::max<u64>(row.samples, 1));
}

Interval around(double middle, double deviation) {
  return {middle - kDeviations * deviation, middle + kDeviations * deviation};
}

}  // namespace

double change_of(const ChangeRule& rule, RowWeight was, WholeWeight all_was, RowWeight is, WholeWeight all_is) {
  switch (rule.kind) {
    case ChangeKind::Delta:
    case ChangeKind::DeltaAbsolute:
      return percent(is, all_is) - percent(was, all_was);
    case ChangeKind::Ratio:
      return static_cast<double>(is.period) / static_cast<double>(std::max<u64>(was.period, 1));
    case ChangeKind::Weighted:
      // In floating point, because integers overflow. Adding 0.0 turns -0 into 0.
      return static_cast<double>(is.period) * static_cast<double>(rule.new_weight) -
             static_cast<double>(was.period) * static_cast<double>(rule.old_weight) + 0.0;
  }
  return 0;
}

std::optional<Interval> interval_of(const ChangeRule& rule, RowWeight was, WholeWeight all_was, RowWeight is,
                                    WholeWeight all_is) {
  if (all_was.samples == 0 || all_is.samples == 0) return std::nullopt;
  switch (rule.kind) {
    case ChangeKind::Delta:
    case ChangeKind::DeltaAbsolute: {
      const Estimate before = estimate(was, all_was), after = estimate(is, all_is);
      const Interval share = around(after.share - before.share, std::sqrt(before.variance + after.variance));
      return Interval{100 * share.low, 100 * share.high};
    }
    case ChangeKind::Ratio: {
      if (was.samples == 0 || is.samples == 0) return std::nullopt;
      const double deviation = std::sqrt(1 / static_cast<double>(was.samples) + 1 / static_cast<double>(is.samples));
      const double factor = std::exp(kDeviations * deviation);
      const double ratio = change_of(rule, was, all_was, is, all_is);
      return Interval{ratio / factor, ratio * factor};
    }
    case ChangeKind::Weighted: {
      const auto weighted = [](i64 weight, double variance) {
        return static_cast<double>(weight) * static_cast<double>(weight) * variance;
      };
      return around(change_of(rule, was, all_was, is, all_is),
                    std::sqrt(weighted(rule.new_weight, period_variance(is, all_is)) +
                              weighted(rule.old_weight, period_variance(was, all_was))));
    }
  }
  return std::nullopt;
}

double chance_of(RowWeight was, WholeWeight all_was, RowWeight is, WholeWeight all_is) {
  const double before = static_cast<double>(all_was.samples), after = static_cast<double>(all_is.samples);
  if (before == 0 || after == 0) return 1;
  const double hits = share(was, all_was) * before + share(is, all_is) * after;
  const double pooled = (hits + 2) / (before + after + 4);
  const double deviation = std::sqrt(pooled * (1 - pooled) * (1 / (before + 2) + 1 / (after + 2)));
  const double difference = std::abs(estimate(is, all_is).share - estimate(was, all_was).share);
  return deviation == 0 ? 1 : std::erfc(difference / deviation / std::sqrt(2.0));
}

}  // namespace peregrine
