// Change: how one row changed between the baseline and another recording, and how certain that is.
//
// A recording is a sample: a row's share of n samples varies from run to run even if nothing changed. interval_of()
// gives the 95 % confidence interval of the true change, chance_of() the probability of a change this large if there is
// none. Both assume independent samples; with shares by period, a row counts as many samples as its share of all.
#pragma once
#include <optional>

#include "base/types.h"

namespace peregrine {

enum class ChangeKind : u8 { Delta, DeltaAbsolute, Ratio, Weighted };

struct ChangeRule {
  ChangeKind kind = ChangeKind::DeltaAbsolute;
  i64 old_weight = 0, new_weight = 0;  // for Weighted
};

// One row in one recording.
struct RowWeight {
  u64 period = 0;
  u64 samples = 0;
};
// The total that shares refer to.
struct WholeWeight {
  u64 period = 0;
  u64 samples = 0;
};

// Percentage points, the ratio of new to old period (where an old period of 0 counts as 1), or a difference of periods.
double change_of(const ChangeRule& rule, RowWeight was, WholeWeight all_was, RowWeight is, WholeWeight all_is);

struct Interval {
  double low = 0, high = 0;
};
// In the same unit. Nothing if undetermined: an empty recording, or a ratio to zero.
std::optional<Interval> interval_of(const ChangeRule& rule, RowWeight was, WholeWeight all_was, RowWeight is,
                                    WholeWeight all_is);

// The probability (0 to 1) that the share differs at least this much by chance.
double chance_of(RowWeight was, WholeWeight all_was, RowWeight is, WholeWeight all_is);

}  // namespace peregrine
