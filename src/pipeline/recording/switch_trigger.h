// SwitchTrigger: separate events; their hits request a new output file (--switch-output-event). Opened on the
// recording's target; their records are discarded. One thread.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/sampling/recorder.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/process/limit.h"

namespace peregrine {

class SwitchTrigger {
 public:
  // Errors: those of Recorder::open.
  static Result<SwitchTrigger> open(EventList events, const Target& target, const PerfLimits& limits,
                                    std::vector<std::string>& warnings);
  // Readable after a hit, or when an event ended with its thread.
  int fd() const { return epoll_.get(); }
  // Whether there was a hit since the last call.
  bool take();

 private:
  SwitchTrigger(Recorder recorder, Fd epoll) : recorder_(std::move(recorder)), epoll_(std::move(epoll)) {}
  Recorder recorder_;
  Fd epoll_;
};

}  // namespace peregrine
