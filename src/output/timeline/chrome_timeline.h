// ChromeTimeline: a timeline as Chrome's trace event JSON, for Perfetto and chrome://tracing.
//
// CPUs and their interrupts are threads of two processes with numbers that no process has. Slices are complete events
// ("X"). Times are microseconds with three decimals.
#pragma once
#include <string_view>

#include "output/json/chrome_events.h"
#include "output/sink.h"
#include "output/timeline/timeline_writer.h"

namespace peregrine {

class ChromeTimeline : public TimelineWriter {
 public:
  // `out` must outlive this.
  explicit ChromeTimeline(Sink& out);
  void name(const TimelineTrack& track, std::string_view name) override;
  void slice(const TimelineMark& event) override;
  void instant(const TimelineMark& event) override;
  void counter(std::string_view name, u64 time, u64 value) override;
  void finish() override;

 private:
  void put(std::string_view phase, const TimelineMark& event);

  ChromeEvents events_;
  bool cpus_named_ = false, interrupts_named_ = false;
};

}  // namespace peregrine
