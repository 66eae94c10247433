// TraceSession: one live `trace` by BPF programs: opens the tracer, starts the command or waits for who is traced, and
// hands what happens to the printer until the end. Also reads the other requested events.
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
  std::vector<std::string> command;  // empty: none is started
  std::string path;                  // $PATH, where the command is looked for
  SymbolPlaces places;
  bool spare_terminals = false;  // lines go to a terminal, whose programs are not traced
  bool tell_means = false;       // notes how the calls are traced
};

class TraceSession {
 public:
  TraceSession(TraceRequest& request, TraceSetup setup, SessionListener& listener)
      : request_(request), setup_(std::move(setup)), listener_(listener) {}

  Result<> run(TracePrinter& printer, Sink& out);
  // Whether the command was let go, or the traced were followed.
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
  Result<> switch_on(SyscallTracer& tracer, bool by_exec);
  // Everything that is there, in order of time. False: the printer has enough.
  bool drain(SyscallTracer& tracer, TracePrinter& printer, bool last);
  Result<> start(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch);
  // Until the command has ended, the traced have, a signal came, or the printer has enough.
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
