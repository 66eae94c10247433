// TraceSession: one live `trace`: opens the tracer, starts the command or waits for who is traced, and hands what
// happens to the printer until the end.
#pragma once
#include <optional>

#include "capture/watch.h"
#include "capture/workload.h"
#include "cmd/trace_printer.h"

namespace peregrine::cmd {

class TraceSession {
 public:
  TraceSession(const TraceRequest& request, Target target, std::vector<std::string> command, Messages& messages)
      : request_(request), target_(std::move(target)), command_(std::move(command)), messages_(messages) {}

  Result<> run(TracePrinter& printer, Sink& out);
  // Whether the command was let go, or the traced were followed.
  bool started() const { return started_; }
  u64 lost() const { return lost_; }
  const std::optional<WorkloadExit>& workload() const { return exit_; }

 private:
  Result<SyscallTracer> open_tracer() const;
  Result<> follow_targets(SyscallTracer& tracer, const std::optional<Workload>& workload) const;
  Result<> start(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch);
  // Until the command has ended, the traced have, a signal came, or the printer has enough.
  Result<> follow(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch, TracePrinter& printer,
                  Sink& out);
  bool targets_are_gone() const;

  const TraceRequest& request_;
  Target target_;
  std::vector<std::string> command_;
  Messages& messages_;
  std::optional<WorkloadExit> exit_;
  u64 lost_ = 0;
  int signal_ = 0;
  bool started_ = false;
};

}  // namespace peregrine::cmd
