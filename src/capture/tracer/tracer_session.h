// TracerSession: sets up one of the kernel's tracers for a command, and undoes it afterwards.
//
// Events and the function tracer always get a separate instance, which disturbs nobody. Other tracers and the graph
// tracer's filters exist only once in the kernel: for them, tracefs settings are saved and restored (TracerGuard), even
// after a kill.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/tracer/trace_folder.h"
#include "capture/tracer/tracer_guard.h"
#include "capture/tracer/tracer_plan.h"
#include "sys/root.h"

namespace peregrine {

class TracerSession {
 public:
  // Applies the plan but leaves tracing off. `mount`: where tracefs is mounted.
  static Result<TracerSession> start(const Root& root, const std::string& mount, const TracerPlan& plan);

  // `mark`: a message for the start of the trace; empty: none.
  Result<> on(std::string_view mark = {}) { return start_tracing(folder_, mark); }
  Result<> off() { return folder_.set("tracing_on", "0"); }
  const TraceFolder& folder() const { return folder_; }
  // Another user's tracer that this one replaced; empty if none.
  std::string replaced() const { return guard_.replaced(); }
  // Why the next start could not undo this session if it were killed; empty if it could.
  const std::string& unrecorded() const { return guard_.unrecorded(); }
  // Reads the trace into `out`; false if there is no more for now.
  Result<bool> read(std::string& out);
  int fd() const { return pipe_.get(); }
  // Restores everything; returns the files that refused.
  std::vector<std::string> end();

 private:
  TracerSession(TraceFolder top, TraceFolder folder, TracerGuard guard)
      : top_(std::move(top)), folder_(std::move(folder)), guard_(std::move(guard)) {}

  TraceFolder top_, folder_;  // tracefs itself, and where we trace
  TracerGuard guard_;
  Fd pipe_;
};

}  // namespace peregrine
