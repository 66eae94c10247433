// record's part of the attrs: from options and parsed events to exactly what linux-perf 6.1 asks the kernel for.
//
// Pure: no I/O, no open. Call order in `record`: parse → configure_for_record → open (capture), which steps down by
// fallback.h.
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "abi/arch/registers.h"
#include "base/result.h"
#include "event/config/callgraph.h"
#include "event/spec.h"

namespace peregrine {

struct RecordOptions {
  // Target. None of the first three: a workload is started and counted from its exec.
  bool system_wide = false;  // -a
  bool cpu_list = false;     // -C given
  bool has_pids = false;     // -p, -t or -u
  bool has_tids = false;     // -t: no inheritance unless asked for
  bool per_thread = false;   // --per-thread: no inheritance over CPUs, mmap per thread
  i64 initial_delay_ms = 0;  // -D; -1: start disabled

  // Rates. Both unset: 4000 Hz.
  std::optional<u64> frequency;  // -F, Hz
  std::optional<u64> period;     // -c

  CallgraphRequest callgraph;
  u32 max_stack = 0;  // --max-stack given at record time; 0: kernel default
  bool kernel_callchains = false, user_callchains = false;
  std::optional<bool> inherit;  // -i: false; unset: on, but for -t
  bool inherit_stat = false;    // -s
  bool addresses = false;       // -d
  bool physical_addresses = false;
  bool data_page_size = false, code_page_size = false;
  bool data_source = false;  // perf mem
  bool weight = false;       // -W
  bool transaction = false;
  std::optional<bool> timestamps;     // -T given (or --no-timestamp); unset: on, where linux-perf has it on
  std::optional<bool> sample_period;  // -P / --no-period
  bool sample_cpu = false;
  bool sample_identifier = false;
  bool raw_samples = false;   // -R
  bool no_samples = false;    // -n
  bool no_buffering = false;  // --no-buffering
  bool all_user = false, all_kernel = false;
  u64 user_regs = 0, intr_regs = 0;  // masks
  u64 branch_type = 0;               // -b, -j: PERF_SAMPLE_BRANCH_*
  bool namespaces = false, cgroups = false, switch_events = false;
  bool build_id_in_mmap = false;  // --buildid-mmap
  bool bpf_events = true;
  bool text_poke = false;
  bool overwrite = false;
  std::optional<int> clockid;  // -k
  bool running_time = false;   // --running-time
  bool group = false;          // --group
};

// Adds dummy:HG where linux-perf does, chooses the tracking event and sets every recording field of every attr.
// Errors (Usage): both rates are 0. Warnings to show once are appended.
Result<> configure_for_record(const RecordOptions& options, EventList& list, std::vector<std::string>& warnings);

// The frequency after the kernel's limit: linux-perf lowers its default in silence and a user's wish with a warning,
// with --strict-freq it refuses.
Result<u64> limit_frequency(u64 wanted, bool user_chosen, bool strict, std::optional<i64> max_sample_rate,
                            std::vector<std::string>& warnings);

// "any,u" → PERF_SAMPLE_BRANCH_* mask. Words that name only modes mean any branch: as the value of -j without the
// modes, which the kernel takes from the event; as an event's term (`of_event`) with them.
Result<u64> parse_branch_filter(std::string_view text, bool of_event = false);
// "-I ax,IP" → bits of attr.sample_regs_*; names in any case. Errors (Usage): a register that is not among `allowed`.
Result<u64> parse_registers(std::string_view text, const abi::RegisterTable& table, u64 allowed);
// "AX BX CX": the names of `mask`.
std::string register_list(const abi::RegisterTable& table, u64 mask);
// "-k mono" → CLOCK_MONOTONIC.
Result<int> parse_clockid(std::string_view text);

}  // namespace peregrine
