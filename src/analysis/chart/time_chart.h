// TimeChart: the spans of time that `timechart` draws for CPUs and tasks. Times in ns.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "data/feature/features.h"

namespace peregrine {

struct ChartSpan {
  u64 from = 0, until = 0;
  u64 length() const { return until > from ? until - from : 0; }
};

enum class TaskState : u8 { Running, Waiting, Blocked, Sleeping };  // Waiting: for a CPU; Blocked: on a device or lock
inline constexpr std::size_t kTaskStates = 4;

struct TaskSpan : ChartSpan {
  TaskState state = TaskState::Sleeping;
  u32 cpu = 0;    // Running
  u32 waker = 0;  // Waiting: task index, kNobody or kInterrupt
  u32 chain = 0;  // except Running: index in TimeChart::chains of the stack where it left its CPU
};
inline constexpr u32 kNobody = ~0u, kInterrupt = ~0u - 1;

enum class IoKind : u8 { Read, Write, Receive, Send, Sync, Poll };
struct IoSpan : ChartSpan {
  IoKind kind = IoKind::Read;
  i64 descriptor = -1;  // -1: none
  i64 error = 0;        // errno
  u64 bytes = 0;
  u64 calls = 1;  // number of merged calls
};

struct ChartTask {
  u32 pid = 0, tid = 0;             // pid 0: unknown process
  std::string comm;                 // its most recent name
  std::vector<std::string> former;  // earlier names
  std::vector<TaskSpan> spans;
  std::vector<IoSpan> io;
  std::array<u64, kTaskStates> times{};  // by TaskState
  u64 taken = 0, given = 0;              // bytes read and received; written and sent
};

struct CpuSpan : ChartSpan {
  u32 which = 0;  // stays: task index; idle: number of the idle state
};
struct FrequencySpan : ChartSpan {
  u64 kilohertz = 0;
};
struct ChartCpu {
  u32 number = 0;
  std::string place;  // "socket 0, core 1", if requested
  std::vector<CpuSpan> stays, idle;
  std::vector<FrequencySpan> frequencies;
  u64 busy = 0;
};

struct ChartWake {
  u64 time = 0;
  u32 waker = 0, woken = 0;  // task indices
};

struct TimeChart {
  u64 first = 0, last = 0;
  bool has_io = false;           // the recording has I/O events
  bool has_idle_states = false;  // the recording has idle events
  std::vector<ChartCpu> cpus;    // by number
  std::vector<ChartTask> tasks;
  std::vector<ChartWake> wakes;
  std::vector<std::string> chains;  // "schedule < do_wait"; the first is empty
  u64 length() const { return last - first; }
};

// Whether the task has or had that name.
bool is_called(const ChartTask& task, std::string_view name);

// Which tasks get a row.
struct TaskChoice {
  std::vector<std::string> wanted;  // names, pids or tids; empty: choose by activity
  u32 least = 15;                   // choose at least this many, if available
};
// Returns indices, by pid and tid. If `names` is empty: the busiest; with `io`, those with the most bytes.
std::vector<u32> chosen_tasks(const TimeChart& chart, const TaskChoice& choice, bool io);

// Sorts CPUs that share a socket, die or core together, and names their places.
void order_by_topology(TimeChart& chart, const data::CpuTopology& topology);

}  // namespace peregrine
