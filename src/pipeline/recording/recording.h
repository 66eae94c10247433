// Recording: one run of `record`, from open events to a finished perf.data.
//
//   start(): workload held back ─▶ events open ─▶ header written ─▶ what already runs is synthesised
//   run():   events on, workload released ─▶ laps over the rings until the end ─▶ finish: build-id pass, features
//
// A lap empties every ring with one writev(2) each and ends with FINISHED_ROUND if anything was written. Laps happen
// when a ring has reached its watermark and once a second, never in a loop: a lap of almost empty rings costs more than
// it brings. Records are not decoded on the way, only their headers are counted. One thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/recorder.h"
#include "capture/synthesis/process.h"
#include "capture/target.h"
#include "capture/workload.h"
#include "event/source.h"
#include "event/spec.h"
#include "sys/root.h"

namespace peregrine {

struct RecordingOptions {
  Target target;
  std::vector<std::string> command;  // the workload, may be empty
  std::string output = "perf.data";  // "-": standard output, as a pipe
  std::size_t ring_bytes = 0;        // 0: default
  int compression_level = 0;
  i64 delay_ms = 0;  // -D: events are enabled that long after the start; -1: never
  std::optional<std::chrono::milliseconds> duration;
  std::optional<int> real_time_priority;  // -r
  bool data_maps = false;                 // -d
  bool namespaces = false;
  bool cgroups = false;
  SynthesisScope synthesis;     // --synth
  bool map_build_ids = false;   // --buildid-mmap
  bool tail_synthesis = false;  // --tail-synthesize
  bool build_ids = true;        // not -B
  bool all_build_ids = false;   // --buildid-all
  std::string build_id_cache;   // folder; "" with -N
  std::optional<int> clockid;
  OnOpen on_open;                         // told of every perf_event_open(2)
  std::vector<std::string> command_line;  // of the whole program
  std::string version;
};

struct CpuLoss {
  int cpu = -1;
  Pid thread = -1;
  u64 lost_records = 0;  // the ring was full
  u64 lost_samples = 0;  // the hardware or kernel dropped them
  u64 throttles = 0;     // times the kernel stopped an event that came too often
};

struct RecordingSummary {
  u64 wakeups = 0;
  u64 samples = 0;
  u64 bytes = 0;                     // of records in the file
  u64 record_bytes = 0;              // before compression
  u64 compressed_bytes = 0;          // 0 without -z
  std::vector<CpuLoss> losses;       // rings that lost something
  std::optional<int> stopped_by;     // signal that ended the recording
  std::optional<WorkloadExit> exit;  // of the workload
  bool ended_workload = false;       // we ended it: duration or signal
  std::size_t ring_bytes = 0;
  std::vector<std::string> warnings;
};

class Recording {
 public:
  // `say` gets lines that must appear while recording. Errors: everything that keeps a recording from starting.
  static Result<Recording> start(const Root& root, RecordingOptions options, EventList events, EventSources& sources,
                                 std::function<void(std::string_view)> say, std::vector<std::string>& warnings);
  Recording(Recording&&) noexcept;
  ~Recording();

  // Blocks until the end. Errors: writing, an exec that failed.
  Result<RecordingSummary> run();
  // As opened, after all fallbacks.
  const EventList& events() const;

 private:
  struct State;
  explicit Recording(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
