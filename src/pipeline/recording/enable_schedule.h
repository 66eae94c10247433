// EnableSchedule: when the events of a recording are on, as -D says: from the start (none), some time after it ("20"),
// never by itself ("-1"), or in ranges of time ("10-20,30-40"), after the last of which the recording ends.
//
//   start ──off──▶ 10 ──on──▶ 20 ──off──▶ 30 ──on──▶ 40 over
//
// Times are ms since the start. One thread.
#pragma once
#include <chrono>
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
  // Errors (Usage): no such number, ranges that are empty, overlap or fall back.
  static Result<EnableSchedule> parse(std::string_view text);

  // Events are on from the start.
  bool at_once() const { return at_once_; }
  // What attrs have to know: ms until the first start, 0 at once, -1 never.
  i64 first_ms() const;
  // When the next change is due; empty when there is none.
  std::optional<Span> next() const;
  // Takes the next change when it is due: true is on, false off.
  std::optional<bool> take(Span since_start);
  // Everything that was planned has been.
  bool over() const { return ranges_ && at_ == changes_.size(); }

 private:
  bool at_once_ = true, ranges_ = false;
  std::vector<Span> changes_;  // on, off, on, …
  std::size_t at_ = 0;
};

}  // namespace peregrine
