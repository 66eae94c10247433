// Recording: one run of `record`, from open events to a finished perf.data.
//
//   start(): holds the workload ─▶ opens events ─▶ writes the header ─▶ synthesizes running processes
//   run():   enables events, releases the workload ─▶ laps over the rings until the end ─▶ finish: build-ids, features
//
// A lap drains each ring with one writev(2) and ends with FINISHED_ROUND if anything was written. Laps run when a ring
// reaches its watermark and twice a second, never in a loop: a lap over almost empty rings is not worth its cost.
// Records are not decoded, only their headers are counted. One thread, except with --threads (drain_threads.h).
// Backward rings (--overwrite) are read when the output is switched and at the end.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/scheduling/off_cpu_sampler.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "capture/target/workload.h"
#include "event/config/record_config.h"
#include "event/source.h"
#include "event/spec.h"
#include "machine/dso/kept_files.h"
#include "pipeline/build_id/build_id_store.h"
#include "pipeline/recording/enable_schedule.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/place/output_switch.h"
#include "pipeline/recording/synthesis.h"
#include "pipeline/recording/unwind/unwind_account.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

// The CPUs where the recorder runs while it drains a ring.
enum class RingAffinity { Anywhere, Node, Cpu };

// How to make and read rings.
struct RingRequest {
  std::size_t ring_bytes = 0;   // 0: default
  std::size_t least_bytes = 1;  // --mmap-flush: rings with less wait for the next second
  std::string threads;          // --threads: the plan (thread_plan.h); "": one thread reads all; makes a folder
  RingAffinity affinity = RingAffinity::Anywhere;
  std::optional<int> real_time_priority;  // -r
  // Between laps over all rings. With a late wake-up or a slow lap, less than 1 s is lost to a kill.
  std::chrono::milliseconds tick{500};
  bool live = false;  // live viewer: each tick ends a round and reads backward rings
};

// What runs during the recording, and when to stop.
struct RunRequest {
  std::vector<std::string> command;  // the workload; may be empty
  bool follow = false;               // --per-cpu: per-CPU events, but only samples of the workload and its children
  EnableSchedule schedule;           // -D
  std::optional<std::chrono::milliseconds> duration;
  u64 max_bytes = 0;          // --max-size; 0: no limit
  bool off_cpu = false;       // --off-cpu; its event is in the list
  u64 off_cpu_threshold = 0;  // ns
  bool file_names = false;    // --file-names; its event is in the list
  bool unwind = false;        // --unwind=now
  KeptFiles kept;             // compiled call frame information for it
  bool tell_start = false;    // -vvv: announces the start, for scripts
};

// When to continue in a new file, and how to name finished files.
struct SwitchRequest {
  std::optional<SwitchCondition> when;  // --switch-output; unset: never
  EventList events;                     // --switch-output-event
  std::size_t max_files = 0;            // 0: keep all
  bool stamped_name = false;            // --timestamp-filename; implied by switching
};

// A recording as requested by the user. Does not change while the recording runs.
struct RecordingRequest {
  RecordConfig config;  // the configuration of the events
  RingRequest rings;
  RunRequest run;
  SynthesisRequest synthesis;
  FileRequest output;
  SwitchRequest switching;

  // Looking up build-ids takes time, during which the rings of the next file would fill.
  bool looks_up_build_ids() const {
    return !output.build_ids.skip.value_or(switching.when.has_value()) && !config.side_band.build_ids;
  }
};

// Connections of a running recording to its environment.
struct RecordingHooks {
  std::optional<ControlChannel> control;      // --control
  std::function<void(std::string_view)> say;  // shows lines that must appear while recording
  OnOpen on_open;                             // called for every perf_event_open(2)
  FetchDebug fetch_debug;                     // --debuginfod: for files in the build-id cache
};

struct CpuLoss {
  int cpu = -1;
  Pid thread = -1;
  u64 lost_records = 0;  // the ring was full
  u64 lost_samples = 0;  // dropped by hardware or kernel
  u64 throttles = 0;     // times the kernel throttled an event
};

struct RecordingSummary {
  u64 wakeups = 0;
  u64 samples = 0;
  u64 filtered_out = 0;              // samples rejected by --filter
  u64 bytes = 0;                     // of records in the file
  u64 record_bytes = 0;              // before compression
  u64 compressed_bytes = 0;          // 0 without -z
  std::vector<CpuLoss> losses;       // rings with losses
  std::optional<int> stopped_by;     // signal that ended the recording
  std::optional<WorkloadExit> exit;  // of the workload
  bool duration_over = false;        // --duration ended the workload
  std::string put_away;              // stamped name of the last file
  std::size_t ring_bytes = 0;
  std::optional<UnwindAccount> unwinding;  // with --unwind=now
  OffCpuSampler::Lost off_cpu_lost;
  u64 lost_file_names = 0;
  u64 lost_tasks = 0;  // children that --per-cpu could not follow
  // Processes that were already running, with unreadable maps and, as far as known, samples in user code.
  std::vector<Pid> unread_processes;
  std::vector<std::string> warnings;
};

class Recording {
 public:
  // `sources` is borrowed until run() ends. Errors: anything that prevents the recording from starting.
  static Result<Recording> start(const Root& root, RecordingRequest request, Target target, EventList events,
                                 EventSources& sources, RecordingHooks hooks, std::vector<std::string>& warnings);
  Recording(Recording&&) noexcept;
  ~Recording();

  // Blocks until the end. Errors: writing, or exec failed; completely written data stays readable.
  Result<RecordingSummary> run();
  // As opened, after fallbacks.
  const EventList& events() const;

 private:
  struct State;
  explicit Recording(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
