// TracerStatus: what the kernel's tracers do now: the top-level one and every instance, and who reads them.
//
// Reads files only. Those that the kernel denies (functions under lockdown) are left out, with the reason.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "capture/tracer/trace_folder.h"
#include "capture/tracer/tracer_plan.h"
#include "sys/process/process.h"

namespace peregrine {

struct TracerState {
  std::string instance;  // empty: the top-level tracer
  std::string tracer, clock, cpu_mask;
  bool running = false;
  u64 buffer_kb = 0;                // per CPU
  u64 entries = 0, overrun = 0;     // in the buffers now; overwritten since the start
  std::vector<std::string> events;  // "sched:sched_switch"
  std::vector<EventSetting> filters, triggers;
  std::vector<std::string> threads;    // empty: all
  std::vector<std::string> functions;  // set_ftrace_filter; empty: all
  std::string functions_denied;        // why they cannot be read
};

// A process that has a file of tracefs open.
struct TracerReader {
  Pid pid = -1;
  std::string comm, file;  // the file's path
};

struct TracerStatus {
  std::string mount;
  std::vector<std::string> tracers;
  std::vector<TracerState> states;  // the top-level tracer first
  std::vector<TracerReader> readers;
};

// Of the buffers of all CPUs together.
struct BufferFill {
  u64 entries = 0, overrun = 0;  // as in TracerState
};

// The names in available_tracers.
std::vector<std::string> read_tracers(const TraceFolder& folder);
// Parts of the state.
BufferFill read_buffer_fill(const TraceFolder& folder);
std::vector<EventSetting> read_triggers(const TraceFolder& folder);
TracerState read_tracer_state(const TraceFolder& folder, std::string instance);
TracerStatus read_tracer_status(const TraceFolder& top);

}  // namespace peregrine
