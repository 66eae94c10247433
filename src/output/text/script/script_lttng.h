// A sample in babeltrace's format for LTTng events: script --format lttng.
//
//   [20:27:42.496900123] (+0.000012345) host sched:sched_switch: { cpu_id = 0 }, { pid = 7, tid = 8, procname = "load"
//   },
//     { prev_comm = "load", prev_pid = 8, prev_state = ( "S" : container = 1 ), … }       (all on one line)
//
// Times are the time of day if the recording has clock references, otherwise seconds of its own clock. For events that
// are not tracepoints the last part has address, function and period.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class LttngWriter : public SampleWriter {
 public:
  LttngWriter(std::optional<data::ClockData> clock, std::string host) : clock_(clock), host_(std::move(host)) {}
  void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) override;

 private:
  void add_time(u64 time);
  void add_context(const ReplaySample& sample, Resolver& resolver);
  void add_fields(const ScriptEvent& event, Bytes record);
  void add_field(const TraceField& field, const PrintFormat& print, Bytes record);
  void add_code(const ReplaySample& sample, Resolver& resolver);

  std::optional<data::ClockData> clock_;
  std::string host_;
  std::optional<u64> before_;  // time of the previous sample
  std::string text_;
};

}  // namespace peregrine
