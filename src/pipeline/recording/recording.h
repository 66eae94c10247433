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
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/sampling/recorder.h"
#include "capture/scheduling/off_cpu_sampler.h"
#include "capture/synthesis/process.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "capture/target/workload.h"
#include "event/source.h"
#include "event/spec.h"
#include "machine/dso/kept_files.h"
#include "pipeline/build_id/build_id_store.h"
#include "pipeline/recording/enable_schedule.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/place/output_switch.h"
#include "pipeline/recording/synthesis.h"
#include "pipeline/recording/thread_plan.h"
#include "pipeline/recording/unwind/unwind_account.h"
#include "sys/root.h"

namespace peregrine {

// --switch-output: when to continue in a new file.
struct SwitchOptions {
  SwitchCondition when;
  EventList events;           // --switch-output-event
  std::size_t max_files = 0;  // 0: keep all
};

// Where the recorder runs while it drains a ring.
enum class RingAffinity { Anywhere, Node, Cpu };

struct RecordingOptions {
  Target target;
  bool follow = false;               // --per-cpu: per-CPU events, but only samples of the workload and its children
  std::vector<std::string> command;  // the workload; may be empty
  std::string output = "perf.data";  // "-": standard output, as a pipe
  int pipe_fd = -1;                  // used for "-" instead of stdout; borrowed
  std::chrono::milliseconds tick{
      500};           // between laps over all rings: with a late wake-up or a slow lap, less than 1 s is lost to a kill
  bool live = false;  // live viewer: each tick ends a round and reads backward rings
  std::size_t ring_bytes = 0;  // 0: default
  int compression_level = 0;
  std::size_t write_blocks = 0;           // --aio: asynchronous writes
  EnableSchedule schedule;                // -D
  std::optional<ControlChannel> control;  // --control
  u64 max_bytes = 0;                      // --max-size; 0: no limit
  std::optional<SwitchOptions> switching;
  bool stamped_name = false;        // --timestamp-filename; implied by switching
  std::vector<ThreadPlan> threads;  // --threads; makes a directory
  RingAffinity affinity = RingAffinity::Anywhere;
  std::size_t least_bytes = 1;  // --mmap-flush: rings with less wait for the next second
  std::optional<std::chrono::milliseconds> duration;
  std::optional<int> real_time_priority;  // -r
  bool data_maps = false;                 // -d
  bool namespaces = false;
  bool cgroups = false;
  bool map_build_ids = false;      // --buildid-mmap
  bool tail_synthesis = false;     // --tail-synthesize: write existing processes last
  SynthesisScope synthesis;        // --synth
  unsigned synthesis_threads = 0;  // 0: one per CPU
  u32 map_timeout_ms = 0;          // --proc-map-timeout; 0: no limit
  bool kernel_copy = false;        // --kcore; makes a directory
  bool unwind = false;             // --unwind=now
  KeptFiles kept;                  // compiled call frame information for it
  bool sample_times = false;       // --timestamp-boundary
  DiskSyncing disk_sync = DiskSyncing::AtEnd;
  bool tell_start = false;               // -vvv: announces the start, for scripts
  bool build_ids = true;                 // not -B
  bool all_build_ids = false;            // --buildid-all
  std::string build_id_cache;            // folder; "" with -N
  FetchDebug fetch_debug;                // --debuginfod: for files in that folder
  std::optional<OffCpuRequest> off_cpu;  // --off-cpu; its event is in the list
  std::optional<int> clockid;
  OnOpen on_open;                         // called for every perf_event_open(2)
  std::vector<std::string> command_line;  // of the whole program
  std::string version;
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
  u64 lost_tasks = 0;  // children that --per-cpu could not follow
  // Processes running before, with unreadable maps and, as far as known, samples in user code.
  std::vector<Pid> unread_processes;
  std::vector<std::string> warnings;
};

class Recording {
 public:
  // `say` prints lines that must appear while recording; `sources` is borrowed until run() ends. Errors: anything that
  // prevents the recording from starting.
  static Result<Recording> start(const Root& root, RecordingOptions options, EventList events, EventSources& sources,
                                 std::function<void(std::string_view)> say, std::vector<std::string>& warnings);
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
