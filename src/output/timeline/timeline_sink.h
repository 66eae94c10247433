// TimelineSink: the samples of a recording as a timeline, with the fields of tracepoints as arguments.
//
//   sched_switch                         a slice on the CPU's track: which thread ran
//   sys_enter, sys_exit                  a slice on the thread's track: the system call
//   irq_handler_entry/exit, softirq_…    a slice on the track of the CPU's interrupts
//   cpu_frequency, cpu_idle              counters
//   other events                         an instant on the thread's track
//
// For a replay with one worker, in time order. A slice is written at its end; what still runs at the end of the
// recording ends there.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/arch/syscall.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/resolver/resolver.h"
#include "output/timeline/timeline_writer.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class TimelineSink : public ReplaySink {
 public:
  // `reader` and `writer` must outlive this. `names`: of the events known so far.
  TimelineSink(const data::Reader& reader, std::function<std::vector<std::string>()> names, TimelineWriter& writer)
      : reader_(reader), names_of_(std::move(names)), writer_(writer) {}

  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  // Ends the open slices. Errors: the formats of the recording are broken.
  Result<> finish();
  u64 samples() const { return samples_; }

 private:
  enum class Role : u8 { Other, Switch, SyscallEnter, SyscallExit, InterruptEnter, InterruptExit, Frequency, Idle };
  struct Planned {
    Role role = Role::Other;
    const TraceFormat* format = nullptr;  // null: not a tracepoint, or not described
  };
  struct Open {
    u64 begin = 0;
    std::string name;
    std::vector<TimelineArgument> arguments;
  };
  static Role role_of(const TraceFormat& format);
  const Planned& plan(u32 event);
  std::vector<TimelineArgument> arguments_of(const TraceFormat& format, Bytes raw) const;
  u64 number(const TraceFormat& format, std::string_view field, Bytes raw) const;
  std::string text(const TraceFormat& format, std::string_view field, Bytes raw) const;
  std::string syscall_name(const TraceFormat& format, Bytes raw) const;
  void name_track(const TimelineTrack& track, std::string_view name);
  void open(const TimelineTrack& track, Open slice);
  void close(const TimelineTrack& track, u64 time, std::string_view category,
             std::span<const TimelineArgument> more = {});
  void take_switch(const TraceFormat& format, const abi::Sample& sample);

  const data::Reader& reader_;
  std::function<std::vector<std::string>()> names_of_;
  TimelineWriter& writer_;
  std::optional<TracingData> tracing_;
  std::vector<std::string> names_;
  std::vector<std::optional<Planned>> plans_;         // by event
  std::map<TimelineTrack, std::string> track_names_;  // that were written
  std::map<TimelineTrack, std::vector<Open>> open_;   // slices, the innermost last
  u64 samples_ = 0, last_time_ = 0;
  std::optional<Error> error_;
};

}  // namespace peregrine
