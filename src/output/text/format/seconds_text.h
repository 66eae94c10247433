// Times of records as linux-perf shows them: "5.001000", seconds with six places; and spans of time, in milliseconds.
#pragma once
#include <fmt/format.h>

#include <string>

#include "base/types.h"

namespace peregrine {

constexpr u64 kSecondInNs = 1'000'000'000;

inline std::string seconds_text(u64 ns) {
  return fmt::format("{}.{:06}", ns / 1'000'000'000, ns % 1'000'000'000 / 1000);
}

inline double milliseconds(u64 ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace peregrine
