// Recording::State: all state of one recording, and the steps of its run. Used only by recording.cc (start and end),
// recording_loop.cc (in between), recording_off_cpu.cc and recording_file_names.cc.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/filter/task_filter.h"
#include "capture/sampling/file_name_sampler.h"
#include "capture/sampling/recorder.h"
#include "capture/scheduling/off_cpu_sampler.h"
#include "capture/target/target.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "event/source.h"
#include "event/spec.h"
#include "pipeline/recording/drain_threads.h"
#include "pipeline/recording/enable_schedule.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/place/output_switch.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/switch_trigger.h"
#include "pipeline/recording/synthesis.h"
#include "pipeline/recording/thread_plan.h"
#include "pipeline/recording/unwind/unwind_thread.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"
#include "sys/root.h"

namespace peregrine {

struct Recording::State {
  using Clock = std::chrono::steady_clock;
  using Span = std::chrono::milliseconds;

  Root root;
  const RecordingRequest request;
  Target target;  // with the workload, once that is started
  EventList events;
  EventSources* sources;
  RecordingHooks hooks;
  Watch watch;
  EnableSchedule schedule;              // the request's remaining changes
  std::vector<ThreadPlan> thread_plan;  // of --threads
  std::size_t least_bytes = 1;          // the request's, at most a quarter of a ring
  std::optional<Workload> workload;
  std::optional<Recorder> recorder;
  std::optional<RecordingOutput> output;
  std::unique_ptr<DrainThreads> threads;    // with --threads; after output, to be destroyed first
  std::unique_ptr<UnwindThread> unwinding;  // with --unwind=now; likewise
  std::optional<SwitchTrigger> trigger;
  std::optional<OffCpuSampler> off_cpu;
  std::optional<FileNameSampler> file_names;
  std::optional<TaskFilter> followed;  // --per-cpu
  OutputSwitch finished{0};
  RecordingSummary summary;
  std::vector<CpuList> ring_places;  // --affinity: where to run for each ring
  CpuList place;                     // current affinity
  Clock::time_point started{}, last_tick{}, last_sync{}, last_switch{};
  u64 wakeups_before_switch = 0;
  bool events_on = false;  // events are enabled, or will be by the workload's exec
  bool full = false, asked_to_stop = false, switch_wanted = false;

  // recording.cc
  Result<> open(std::vector<std::string>& warnings);
  Result<> follow_workload();
  Result<> open_output();
  Result<> take_place();
  Result<> begin_file();
  OpeningRequest opening_request();
  Result<> synthesize(bool running);
  Result<> begin();
  Result<> switch_output();
  Result<> close_output();
  Result<> stop();
  Result<> finish();
  void abandon();
  void collect_losses();

  // recording_off_cpu.cc
  Result<> open_off_cpu(const PerfLimits& limits);
  Result<bool> take_long_sleeps();
  Result<> take_all_sleeps();

  // recording_file_names.cc
  Result<> open_file_names();
  Result<> take_open_files();
  Result<bool> take_file_names();

  // recording_loop.cc
  Result<> loop();
  Result<> lap(bool everything);
  Result<bool> drain(std::size_t index, Ring& ring);
  Result<> drain_backward_rings();
  Result<> tick();
  Result<> keep_schedule();
  Result<> obey();
  Result<> enable(bool on);
  Result<> set_enabled(bool on);
  void note_signals(const WatchResult& woken);
  u64 bytes();
  std::string status_text();
  Span time_left() const;
  bool over(const WatchResult& woken);
  bool switch_due();
};

}  // namespace peregrine
