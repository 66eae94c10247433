// The options of `record`. The option table and the Command are in the .cc file.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/synthesis/process.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/probe/temporary_probes.h"
#include "event/config/record_config.h"
#include "event/source.h"
#include "event/syntax/parse.h"
#include "pipeline/recording/recording.h"

namespace peregrine::cmd {

struct RecordCommandOptions {
  EventSources sources;
  EventList events;
  std::size_t last_word = 0;  // events before the last -e: --filter binds to those after it
  std::size_t cgroups = 0;    // names that -G gave so far
  RecordOptions config;
  CallgraphRequest usual_callgraph{.mode = CallgraphMode::FramePointer};  // what -g means
  SynthesisScope synthesis;
  TargetRequest target;

  bool latency = false;        // --latency
  bool frequency_max = false;  // -F max
  bool strict_frequency = false;
  std::string output = "perf.data";
  std::string html;            // a page of what was recorded
  std::size_t ring_bytes = 0;  // 0: default
  std::string ring_rounding;   // what to say of a size that was rounded
  int compression_level = 0;
  std::optional<std::chrono::milliseconds> duration;
  std::optional<int> real_time_priority;
  std::optional<bool> no_build_ids;  // unset: read, but not while the output is switched
  bool all_build_ids = false, no_build_id_cache = false;
  std::optional<std::string> servers;  // --debuginfod

  EnableSchedule schedule;
  std::optional<ControlChannel> control;
  u64 max_bytes = 0;
  std::optional<SwitchCondition> switch_when;
  EventList switch_events;
  std::size_t switch_max_files = 0;
  bool stamped_name = false;
  std::string threads;  // the plan; "" without --threads
  RingAffinity affinity = RingAffinity::Anywhere;
  bool unwind_now = false;
  bool per_cpu = false;
  bool off_cpu = false;
  u64 off_cpu_threshold = 0;  // ns
  u64 least_bytes = 1;
  unsigned synthesis_threads = 0;
  u32 map_timeout_ms = 0;
  bool tail_synthesis = false, sample_times = false;
  std::optional<bool> disk_sync;    // --sync, --no-sync; unset: at the end
  bool kernel_image = false;        // --kcore
  std::vector<std::string> probes;  // --probe
  int write_blocks = 0;             // --aio; 0 without
  std::string vmlinux;

  bool quiet = false, dry_run = false;
  std::string filter_setup;  // --setup-filter: "pin", "unpin", or "" to record
  int verbose = 0;
  bool snapshot = false, aux_sample = false;
  std::string accepted;  // values of options that need nothing done here

  // Probes at SDT markers that -e names (record_markers.cc); removed after the recording.
  std::vector<std::unique_ptr<TemporaryProbes>> markers;

  // What perfconfig says, before the command line is read.
  Result<> configure(const Config& settings);
  Result<> prepare(Invocation& call);
};

inline constexpr int kMaxCompressionLevel = 22;

// The command itself, in record.cc.
Result<int> record(RecordCommandOptions& options, Invocation& call);

}  // namespace peregrine::cmd
