// A sample as a line of tracefs' trace_pipe: script --format ftrace.
//
//              bash-1977    [000] d..2. 17284.993652: sched_switch: prev_comm=bash prev_pid=1977 ...
#pragma once
#include "machine/resolver/resolver.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class FtraceWriter : public SampleWriter {
 public:
  void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) override;
};

}  // namespace peregrine
