#include "analysis/diff/total_change.h"

namespace peregrine {

std::optional<TotalChange> total_change(WholeWeight was, WholeWeight is) {
  const ChangeRule rule{.kind = ChangeKind::Ratio};
  const RowWeight before{was.period, was.samples}, after{is.period, is.samples};
  if (was.period == 0 || is.period == 0) return std::nullopt;
  const std::optional<Interval> interval = interval_of(rule, before, was, after, is);
  if (!interval) return std::nullopt;
  return TotalChange{was.period, is.period, change_of(rule, before, was, after, is), *interval};
}

}  // namespace peregrine
