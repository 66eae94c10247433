// EventSwitch: --switch-on and --switch-off: events that open and close what is shown. One of them alone is enough.
//
// Asked once per sample, in order. The switching samples themselves are shown only when `show` is set.
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
  // A sample of `event` is the next one.
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
