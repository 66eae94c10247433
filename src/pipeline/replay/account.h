// ReplayAccount: what a replay read and everything that is missing, by cause. Filled by Replay, printed by cmd.
#pragma once
#include <vector>

#include "base/file/read_failures.h"
#include "base/types.h"
#include "data/stream/account.h"
#include "unwind/unwinder.h"

namespace peregrine {

struct EventAccount {
  u64 samples = 0;       // decoded, before filters
  u64 lost_samples = 0;  // from LOST_SAMPLES records
};

struct ReplayAccount {
  std::vector<u64> records;  // by record type (< 128)
  std::vector<EventAccount> events;
  u64 samples = 0;                       // delivered to the sink
  u64 filtered = 0;                      // samples rejected by a filter
  data::SkippedBytes malformed_samples;  // shorter than their counts claim; skipped
  data::SkippedBytes malformed_side_band;
  data::SkippedBytes unknown_event;    // samples with an unknown id; skipped
  data::SkippedBytes unknown_records;  // of unknown types
  u64 missing_chains = 0;              // samples with a deferred user stack that never arrived
  UnwindCounts unwound;                // user stacks
  u64 lost_records = 0;                // LOST records
  u64 lost_events = 0;                 // their sum
  u64 lost_samples = 0;                // sum of LOST_SAMPLES
  u64 aux_lost = 0, aux_partial = 0, aux_collisions = 0;
  u64 throttled = 0;
  u64 proc_map_timeouts = 0;
  u64 lost_jitdumps = 0;                      // unreadable
  u64 timeless_jitdumps = 0;                  // with a different clock from the recording's
  u64 outside_records = 0;                    // of processes outside the recorder's PID namespace, ignored
  std::vector<ReadFailure> unreadable_files;  // files needed for symbols or lines
  u64 unordered = 0;                          // records older than what was already delivered
  u64 first_time = 0, last_time = 0;          // of samples, ns; 0 if none
};

}  // namespace peregrine
