// The summary of `trace -s`: system calls per thread, in linux-perf's layout.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "abi/arch/syscall.h"
#include "analysis/trace/call_summary.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "output/sink.h"
#include "sys/process/process.h"

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
