// EnableSchedule: when a recording's events are enabled (-D): from the start (none), after some time ("20"), never
// automatically ("-1"), or in time ranges ("10-20,30-40"), after which the recording ends.
//
//   start ──off──▶ 10 ──on──▶ 20 ──off──▶ 30 ──on──▶ 40 over
//
// Times are ms since the start. One thread.
#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

class EnableSchedule {
 public:
  using Span = std::chrono::milliseconds;

  EnableSchedule() = default;
  // Errors (Usage): invalid numbers; empty, overlapping or unordered ranges.
  static Result<EnableSchedule> parse(std::string_view text);

  // Enabled from the start.
  bool at_once() const { return at_once_; }
  // For attrs: ms until first enabled; 0 at once, -1 never.
  i64 first_ms() const;
  // When the next change is due; empty if no change is left.
  std::optional<Span> next() const;
  // Takes the next change if it is due: true enables, false disables.
  std::optional<bool> take(Span since_start);
  // All changes have been taken.
  bool over() const { return ranges_ && at_ == changes_.size(); }

 private:
  bool at_once_ = true, ranges_ = false;
  std::vector<Span> changes_;  // on, off, on, …
  std::size_t at_ = 0;
};

}  // namespace peregrine
