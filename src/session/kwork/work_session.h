// The data that `kwork` shows: run times and delays of interrupts, softirqs and work items, and the usage of CPUs; from
// a recording, or measured by BPF programs while a command runs. Losses go to the listener. Main thread only.
//
//   TracedRecording ── recorded_work()  ─▶ WorkSummary     recorded_usage()  ─▶ CpuUsageTable
//   BPF programs    ── measured_work()  ─▶ WorkSummary     measured_usage()  ─▶ CpuUsageTable
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/work/cpu_usage.h"
#include "analysis/work/kernel_work.h"
#include "analysis/work/work_order.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/machine.h"
#include "output/sink.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

struct WorkRequest {
  KernelWork::Sum sum = KernelWork::Sum::Runtimes;
  WorkKinds kinds = {true, true, true};
  std::string name;                   // only work with this name; empty: all
  std::vector<u32> cpus;              // empty: all
  std::string times;                  // spans of a recording; empty: all
  std::chrono::milliseconds limit{};  // of a measurement; zero: none
};

// Errors: Usage (times), a broken file; Unsupported, the recording has no kernel work events.
Result<WorkSummary> recorded_work(TracedRecording& recording, const WorkRequest& request, SessionListener& listener);
// Prints each run when it ends. `chain_depth`: number of interrupted functions to show.
Result<> show_work_runs(TracedRecording& recording, const WorkRequest& request, unsigned chain_depth, Sink& out,
                        SessionListener& listener);
// `kernel`: makes the machine that names functions, after the command has ended. Errors: the BPF programs cannot be
// loaded, or the command cannot be started.
Result<WorkSummary> measured_work(const WorkRequest& request, const std::vector<std::string>& command,
                                  const std::function<std::unique_ptr<Machine>()>& kernel, SessionListener& listener);

// `name`: show only tasks with this name as rows; empty: all.
struct UsageRequest {
  std::string name;
  std::vector<u32> cpus;              // empty: all
  std::string times;                  // spans of a recording; empty: all
  std::chrono::milliseconds limit{};  // of a measurement; zero: none
};
// Errors: Usage (times), a broken file, a recording without task switches.
Result<CpuUsageTable> recorded_usage(TracedRecording& recording, const UsageRequest& request,
                                     SessionListener& listener);
Result<CpuUsageTable> measured_usage(const UsageRequest& request, const std::vector<std::string>& command,
                                     SessionListener& listener);

}  // namespace peregrine
