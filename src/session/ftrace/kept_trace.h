// Kept traces: instances of tracefs that remain when the command ends: start … stop … show … remove.
//
//   start ──▶ /sys/kernel/tracing/instances/peregrine-NAME ◀── stop, mark, show, remove
//
// The instance itself is the state, so nothing runs meanwhile. Only instances with our prefix are found, and unlike
// those of a running command, remove_leftovers() keeps them: `ftrace status` shows them until they are removed.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "capture/tracer/trace_folder.h"
#include "output/sink.h"
#include "session/ftrace/ftrace_request.h"
#include "session/session_listener.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {

class KeptTrace {
 public:
  // Errors: Usage, a name that is not a file name or could be a process's.
  static Result<KeptTrace> named(const Tracefs& tracefs, std::string_view name, SessionListener& listener);

  // Without settings, an existing trace continues. Errors: as tracer_plan(); Usage, it exists, the tracer needs the
  // top-level buffer, or options of tracers, which all instances share.
  Result<> start(const FtraceRequest& request, const Tracefs& tracefs) const;
  // Errors of all below: NotFound, it was not started.
  Result<> stop() const;
  Result<> mark(std::string_view text) const;
  // Prints the buffer and the histograms of triggers; the trace keeps both.
  Result<> show(Sink& out) const;
  Result<> remove() const;

 private:
  KeptTrace(TraceFolder top, TraceFolder folder, std::string name, SessionListener& listener)
      : top_(std::move(top)), folder_(std::move(folder)), name_(std::move(name)), listener_(listener) {}
  bool exists() const { return folder_.has("tracing_on"); }
  Result<> find() const;
  void tell_size() const;

  TraceFolder top_, folder_;
  std::string name_;
  SessionListener& listener_;
};

}  // namespace peregrine
