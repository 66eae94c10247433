// The row --timeout of commands that measure the running system.
#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "base/number/duration.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/option/option.h"
#include "cli/option/store.h"

namespace peregrine::cmd {

// Milliseconds, or a whole number with a unit (ms, s).
inline Result<std::chrono::milliseconds> parse_time_limit(std::string_view value) {
  constexpr u64 kMost = u64{1} << 40;
  auto ns = nanoseconds_of(value);
  if (!ns && value.find_first_not_of("0123456789") == value.npos) ns = nanoseconds_of(std::string(value) + "ms");
  const u64 ms = ns ? (*ns + 999'999) / 1'000'000 : 0;
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
