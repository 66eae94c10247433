// SwitchTrigger: events of their own whose every hit asks for a new output file (--switch-output-event). They are
// opened over the recording's target, and what they write is thrown away. One thread.
#pragma once
#include <optional>

#include "capture/sampling/recorder.h"

namespace peregrine {

class SwitchTrigger {
 public:
  // Errors: of Recorder::open.
  static Result<SwitchTrigger> open(EventList events, const Target& target, const PerfLimits& limits,
                                    std::vector<std::string>& warnings);
  // Readable when an event was hit, or ended with its thread.
  int fd() const { return epoll_.get(); }
  // Whether any was hit since the last call.
  bool take();

 private:
  SwitchTrigger(Recorder recorder, Fd epoll) : recorder_(std::move(recorder)), epoll_(std::move(epoll)) {}
  Recorder recorder_;
  Fd epoll_;
};

}  // namespace peregrine
