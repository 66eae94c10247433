// scaled: a number in the unit that keeps it short, such as 1.5 with M of "1.5M".
#pragma once
#include <cstddef>

#include "base/types.h"

namespace peregrine {

struct Scaled {
  double number = 0;
  std::size_t unit = 0;  // 0: as it was
};

// Divides by `step` until the number rounds to less than `step`, but at most `last_unit` times.
constexpr Scaled scaled(u64 value, double step, std::size_t last_unit) {
  Scaled result{static_cast<double>(value), 0};
  while (result.number >= step - 0.5 && result.unit < last_unit) {
    result.number /= step;
    ++result.unit;
  }
  return result;
}

}  // namespace peregrine
