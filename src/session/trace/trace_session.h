// TraceSession: one live `trace` by BPF programs: opens the tracer, starts the command or waits for the traced
// processes, and passes events to the printer until the end. Also reads the other requested events.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "capture/target/target.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "session/session_listener.h"
#include "session/trace/trace_hits.h"
#include "session/trace/trace_printer.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"

namespace peregrine {

struct TraceSetup {
  Target target;
  std::vector<std::string> command;  // empty: do not start a command
  std::string path;                  // $PATH, to find the command
  SymbolPlaces places;
  bool spare_terminals = false;  // output goes to a terminal; its programs are not traced
  bool tell_means = false;       // print a note about how calls are traced
};

class TraceSession {
 public:
  TraceSession(TraceRequest& request, TraceSetup setup, SessionListener& listener)
      : request_(request), setup_(std::move(setup)), listener_(listener) {}

  Result<> run(TracePrinter& printer, Sink& out);
  // Whether the workload was started or the targets were attached.
  bool started() const { return started_; }
  u64 lost() const { return lost_; }
  u64 lost_hits() const { return hits_ ? hits_->lost() : 0; }
  const std::optional<WorkloadExit>& workload() const { return exit_; }

 private:
  Result<SyscallTracer> open_tracer() const;
  bool has_narrow_programs() const;
  void notice_narrow(SyscallTracer& tracer);
  Result<> follow_targets(SyscallTracer& tracer, const std::optional<Workload>& workload) const;
  Result<> open_hits(const std::optional<Workload>& workload, TracePrinter& printer);
  Result<> switch_on(SyscallTracer& tracer, TracePrinter& printer, bool by_exec);
  // Prints everything available, in time order. False: the printer wants no more.
  bool drain(SyscallTracer& tracer, TracePrinter& printer, bool last);
  Result<> start(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch, TracePrinter& printer);
  // Runs until the command or the traced processes have ended, a signal arrives, or the printer wants no more.
  Result<> follow(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch, TracePrinter& printer,
                  Sink& out);
  bool targets_are_gone() const;

  TraceRequest& request_;
  TraceSetup setup_;
  SessionListener& listener_;
  std::optional<TraceHits> hits_;
  std::vector<Pid> hidden_;
  std::optional<WorkloadExit> exit_;
  u64 lost_ = 0;
  int signal_ = 0;
  bool started_ = false;
};

}  // namespace peregrine
