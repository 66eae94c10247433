// Change: what became of one row between a baseline recording and another one, and how sure that is.
//
// A recording is a sample of what ran: a row's share of n samples would come out a little different the next time, even
// if nothing had changed. interval_of() says between which bounds the true change lies with 95 % confidence,
// chance_of() how likely a change as large as this one is where there is none. Both take samples as independent of each
// other; of shares by period, a row counts as many samples as its share of all.
#pragma once
#include <optional>

#include "base/types.h"

namespace peregrine {

enum class ChangeKind : u8 { Delta, DeltaAbsolute, Ratio, Weighted };

struct ChangeRule {
  ChangeKind kind = ChangeKind::DeltaAbsolute;
  i64 old_weight = 0, new_weight = 0;  // of Weighted
};

// A row in one recording.
struct RowWeight {
  u64 period = 0;
  u64 samples = 0;
};
// What shares are taken of.
struct WholeWeight {
  u64 period = 0;
  u64 samples = 0;
};

// Percentage points; new to old period, where there was none taken as 1; a number of periods.
double change_of(const ChangeRule& rule, RowWeight was, WholeWeight all_was, RowWeight is, WholeWeight all_is);

struct Interval {
  double low = 0, high = 0;
};
// In the same unit. None where there is nothing to tell it from: an empty recording; a ratio to nothing.
std::optional<Interval> interval_of(const ChangeRule& rule, RowWeight was, WholeWeight all_was, RowWeight is,
                                    WholeWeight all_is);

// That the row's share differs at least that much by chance: 0 to 1.
double chance_of(RowWeight was, WholeWeight all_was, RowWeight is, WholeWeight all_is);

}  // namespace peregrine
