// The summary of `trace -s`: system calls per thread, in linux-perf's layout.
#pragma once
#include <functional>
#include <string>

#include "analysis/trace/call_summary.h"
#include "output/sink.h"

namespace peregrine {

struct TraceSummaryStyle {
  SumBy by = SumBy::Thread;
  bool runtime = false;                                        // --sched
  bool errors = false;                                         // --errno-summary
  std::size_t most = 0;                                        // --max-summary: rows per block; 0: all
  std::function<std::string(Pid)> comm;                        // name of a thread
  std::function<std::string(u64)> cgroup;                      // path of a cgroup
  std::function<std::string_view(abi::SyscallSet, u32)> call;  // name
};

void write_trace_summary(Sink& out, const CallSummary& summary, const TraceSummaryStyle& style);

}  // namespace peregrine
