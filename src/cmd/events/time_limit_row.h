// The row --timeout of commands that measure the running system.
#pragma once
#include <chrono>
#include <optional>
#include <string_view>

#include "base/number/duration.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/option/option.h"
#include "cli/option/store.h"

namespace peregrine::cmd {

// A whole number with a unit, rounded up to ms so that a short time is not "no limit". Nothing: other text.
inline std::optional<u64> milliseconds_of(std::string_view value) {
  const auto ns = nanoseconds_of(value);
  return ns ? std::optional(*ns / 1'000'000 + (*ns % 1'000'000 != 0 ? 1 : 0)) : std::nullopt;
}

// Milliseconds, or a whole number with a unit (ms, s).
inline Result<std::chrono::milliseconds> parse_time_limit(std::string_view value) {
  constexpr u64 kMost = u64{1} << 40;
  const u64 ms = milliseconds_of(value).value_or(parse_number<u64>(value).value_or(0));
  if (ms == 0 || ms > kMost)
    return fail(ErrorKind::Usage, "invalid --timeout '{}': must be a number of ms, or have a unit: 500ms, 10s", value);
  return std::chrono::milliseconds(ms);
}

template <auto... Member>
inline constexpr Option kTimeoutRow{.name = "timeout",
                                    .value = Value::Required,
                                    .metavar = "time",
                                    .help = "stop after this time: n ms, or with a unit (10s)",
                                    .store = set_parsed<&parse_time_limit, Member...>,
                                    .since = Since::Ours};

}  // namespace peregrine::cmd
