// EventSwitch: --switch-on and --switch-off: events that start and stop the output; either may be used alone.
//
// Called once per sample, in order. The switching samples themselves are shown only if `show` is set.
#pragma once
#include <optional>

#include "base/types.h"

namespace peregrine {

class EventSwitch {
 public:
  EventSwitch() = default;
  // Indices of events.
  EventSwitch(std::optional<u32> on, std::optional<u32> off, bool show)
      : on_(on), off_(off), show_(show), closed_(on.has_value()) {}

  bool any() const { return on_ || off_; }
  // Whether to drop the next sample, which is of `event`.
  bool discards(u32 event) {
    if (closed_ && on_ == event) {
      closed_ = false;
      return !show_;
    }
    if (!closed_ && off_ == event) {
      closed_ = true;
      return !show_;
    }
    return closed_;
  }

 private:
  std::optional<u32> on_, off_;
  bool show_ = false;
  bool closed_ = false;
};

}  // namespace peregrine
