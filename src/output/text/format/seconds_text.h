// Record times as linux-perf shows them: "5.001000", in seconds with six decimals; and durations in milliseconds.
#pragma once
#include <fmt/format.h>

#include <string>

#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

constexpr u64 kSecondInNs = 1'000'000'000;

inline std::string seconds_text(u64 ns) { return fmt::format("{}.{:06}", ns / kSecondInNs, ns % kSecondInNs / 1000); }
// The same, right-aligned to `width` columns, in a twentieth of the time.
inline Sink& append_seconds(Sink& out, u64 ns, unsigned width = 0) {
  constexpr unsigned kPlaces = 7;  // including the point
  return out.decimal(ns / kSecondInNs, width > kPlaces ? width - kPlaces : 0)
      .append('.')
      .decimal(ns % kSecondInNs / 1000, kPlaces - 1, '0');
}

inline double milliseconds(u64 ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace peregrine
