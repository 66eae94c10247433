// record's part of the attrs: turns options and parsed events into exactly what linux-perf 6.1 requests from the
// kernel. The structs below are the part of `record`'s request that concerns attrs; later stages also read them.
//
// Pure. Call order in `record`: parse → configure_for_record → open (capture), which falls back as in fallback.h.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/arch/registers.h"
#include "base/result.h"
#include "base/types.h"
#include "event/config/callgraph.h"
#include "event/spec.h"

namespace peregrine {

// The target of the events. If none of the first three is set, a workload is started and recorded from its exec on.
struct SampledTarget {
  bool system_wide = false;  // -a
  bool cpu_list = false;     // -C given
  bool has_pids = false;     // -p, -t or -u
  bool has_tids = false;     // -t: no inheritance unless requested
  bool per_thread = false;   // --per-thread: no inheritance across CPUs, one mmap per thread
};

// When to take a sample, and of which code.
struct SamplingRequest {
  std::optional<u64> frequency;  // -F, Hz; both rates unset: 4000 Hz
  std::optional<u64> period;     // -c
  bool frequency_max = false;    // -F max: `frequency` is the kernel's limit
  bool strict_frequency = false;
  bool no_samples = false;  // -n
  bool all_user = false, all_kernel = false;
  std::optional<bool> inherit;  // -i: false; unset: true, except for -t
  i64 initial_delay_ms = 0;     // -D; -1: start disabled
  bool no_buffering = false;    // wake up for every sample
  bool overwrite = false;
  bool group = false;          // --group: all events are one group
  std::optional<int> clockid;  // -k
};

// Sample contents in addition to address, thread and callchain.
struct SampleFieldRequest {
  bool addresses = false;  // -d
  bool physical_addresses = false;
  bool data_page_size = false, code_page_size = false;
  bool data_source = false;  // perf mem
  bool weight = false;       // -W
  bool transaction = false;
  std::optional<bool> timestamps;  // -T or --no-timestamp; unset: linux-perf's default
  std::optional<bool> period;      // -P / --no-period
  bool cpu = false;
  bool identifier = false;
  bool raw = false;                  // -R
  u64 user_regs = 0, intr_regs = 0;  // masks
  u64 branch_type = 0;               // -b, -j: PERF_SAMPLE_BRANCH_*
  bool thread_counts = false;        // -s: counts of each thread, as READ records at its end
  bool running_time = false;         // with the values that :S reads
};

struct CallchainRequest {
  CallgraphRequest callgraph;  // -g, --call-graph
  u32 max_stack = 0;           // --max-stack given at record time; 0: kernel default
  bool kernel_only = false, user_only = false;
};

// Side-band records to request from the kernel in addition to those of tasks and maps.
struct SideBandRequest {
  bool namespaces = false, cgroups = false, switch_events = false;
  bool build_ids = false;  // --buildid-mmap: in map records
  bool bpf_events = true;
  bool text_poke = false;
};

// What the user requested for all events. Fixed when the options are parsed.
struct RecordConfig {
  SamplingRequest sampling;
  SampleFieldRequest fields;
  CallchainRequest callchains;
  SideBandRequest side_band;
};

// Adds dummy:HG where linux-perf does, chooses the tracking event and sets the recording fields of every attr. Errors
// (Usage): both rates are 0. Appends warnings to show once.
Result<> configure_for_record(const SampledTarget& target, const RecordConfig& config, EventList& list,
                              std::vector<std::string>& warnings);

// Applies the kernel's frequency limit: like linux-perf, lowers the default silently and a user's value with a warning;
// with --strict-freq it fails.
Result<u64> limit_frequency(u64 wanted, bool user_chosen, bool strict, std::optional<i64> max_sample_rate,
                            std::vector<std::string>& warnings);

// "any,u" → PERF_SAMPLE_BRANCH_* mask. Only privilege levels means any branch. For -j the levels are then dropped,
// since the kernel takes them from the event; for an event's term (`of_event`) they are kept.
Result<u64> parse_branch_filter(std::string_view text, bool of_event = false);
// "-I ax,IP" → bits of attr.sample_regs_*; case-insensitive. Errors (Usage): a register outside `allowed`.
Result<u64> parse_registers(std::string_view text, const abi::RegisterTable& table, u64 allowed);
// "AX BX CX": the names of `mask`.
std::string register_list(const abi::RegisterTable& table, u64 mask);
// "-k mono" → CLOCK_MONOTONIC.
Result<int> parse_clockid(std::string_view text);

}  // namespace peregrine
