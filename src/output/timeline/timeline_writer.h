// TimelineWriter: a timeline for viewers: slices, instants and counters on tracks. ChromeTimeline and PerfettoTimeline
// write it.
//
// Tracks are named before their first event, and again when the name changes. Events of a track may come in any order,
// but slices of a track must nest. Times are nanoseconds.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/types.h"

namespace peregrine {

struct TimelineTrack {
  enum class Kind : u8 { Cpu, Interrupts, Thread } kind = Kind::Thread;
  u32 pid = 0, id = 0;  // of a thread: its process, and its tid; otherwise the CPU
  friend auto operator<=>(const TimelineTrack&, const TimelineTrack&) = default;
};

struct TimelineArgument {
  std::string name;
  std::variant<u64, i64, std::string> value;
};

// A slice, or an instant, of a track.
struct TimelineMark {
  TimelineTrack track;
  std::string_view name, category;
  u64 begin = 0, end = 0;  // of an instant: the same
  std::span<const TimelineArgument> arguments = {};
};

class TimelineWriter {
 public:
  virtual ~TimelineWriter() = default;
  virtual void name(const TimelineTrack& track, std::string_view name) = 0;
  virtual void slice(const TimelineMark& event) = 0;
  virtual void instant(const TimelineMark& event) = 0;
  virtual void counter(std::string_view name, u64 time, u64 value) = 0;
  virtual void finish() = 0;
};

}  // namespace peregrine
