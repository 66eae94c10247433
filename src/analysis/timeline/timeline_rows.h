// TimelineRows: what happened in one span of time, as rows: events, the states of tasks, slices of other lanes, and
// steps of values. TimelineBlock: the same rows as packed columns.
//
//   block 0 ├─────────────┤ block 1 ├─────────────┤
//   task    [ running ][ asleep …   … asleep     ]     a slice that outlasts its block is in each block until its end:
//                       open, start s   start s         with its true start, and `open` except in the last
//
// So each block can be drawn without the others. Times are in ns since the start of the timeline.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct TimelineEvent {
  u64 time = 0;
  u32 type = 0, cpu = 0, task = 0;  // indices of the timeline's types and tasks
  u32 stack = 0;                    // 0: none
  u32 cgroup = 0;                   // index of a cgroup plus one; 0: none
};

// A task's state as the scheduler's letter, R for waiting for a CPU, and this for running.
inline constexpr char kRuns = '>';

struct TaskSlice {
  u64 start = 0, length = 0;
  u32 task = 0;
  char state = kRuns;
  bool open = false;
  u32 cpu = 0;    // running
  u32 cause = 0;  // waiting: the waker plus kFirstWaker, or one of the others; asleep: the system call's text plus one
};
inline constexpr u32 kUnknownWaker = 0, kInterruptWakes = 1, kFirstWaker = 2;

enum class SliceKind : u8 { Call, Interrupt, Softirq, Vector, Request };
inline constexpr std::string_view kSliceKindNames[] = {"system call", "interrupt", "softirq", "interrupt vector",
                                                       "I/O request"};
struct LaneSlice {
  u64 start = 0, length = 0;
  SliceKind kind = SliceKind::Call;
  bool open = false;
  u32 owner = 0;  // Call: task; Request: device; else CPU
  u32 name = 0;   // text
};

enum class StepKind : u8 { Frequency, IdleState };
inline constexpr u64 kAwake = 0xffffffffu;  // IdleState
struct LaneStep {
  u64 time = 0, value = 0;  // kHz, or the number of the idle state
  StepKind kind = StepKind::Frequency;
  u32 cpu = 0;
};

struct TimelineRows {
  std::vector<TimelineEvent> events;  // by time
  std::vector<TaskSlice> states;      // by end, then the open ones
  std::vector<LaneSlice> slices;      // likewise
  std::vector<LaneStep> steps;        // by time; first the values at the block's start
  std::size_t size() const { return events.size() + states.size() + slices.size() + steps.size(); }
};

struct TimelineBlock {
  u64 first = 0, last = 0;  // slices are drawn within these times
  u32 events = 0, rows = 0;
  // What its events have, ascending: blocks without a wanted one need not be unpacked.
  std::vector<u32> types = {}, cpus = {}, tasks = {};
  std::string lanes;   // TimelineRows
  std::string fields;  // the events' fields: see EventFields
};

std::string pack_rows(const TimelineRows& rows);
TimelineRows unpack_rows(std::string_view lanes);

}  // namespace peregrine
