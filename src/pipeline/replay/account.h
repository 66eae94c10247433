// ReplayAccount: what a replay read, and everything that is missing from it, by cause. Filled by Replay, printed by
// cmd.
#pragma once
#include <string>
#include <vector>

#include "base/file/read_failures.h"
#include "base/types.h"
#include "data/stream/account.h"
#include "unwind/unwinder.h"

namespace peregrine {

struct EventAccount {
  u64 samples = 0;       // decoded, of this event, before filters
  u64 lost_samples = 0;  // from LOST_SAMPLES records
};

struct ReplayAccount {
  std::vector<u64> records;  // by record type below 128
  std::vector<EventAccount> events;
  u64 samples = 0;                       // delivered to the sink
  u64 filtered = 0;                      // samples that a filter refused
  data::SkippedBytes malformed_samples;  // shorter than their counts say; skipped
  data::SkippedBytes malformed_side_band;
  data::SkippedBytes unknown_event;    // samples whose id no event has; skipped
  data::SkippedBytes unknown_records;  // of types nobody knows
  u64 missing_chains = 0;              // samples whose user stack was promised for later and did not come
  UnwindCounts unwound;                // user stacks
  u64 lost_records = 0;                // LOST records
  u64 lost_events = 0;                 // what they sum up to
  u64 lost_samples = 0;                // LOST_SAMPLES records' sum
  u64 aux_lost = 0, aux_partial = 0, aux_collisions = 0;
  u64 throttled = 0;
  u64 proc_map_timeouts = 0;
  u64 lost_jitdumps = 0;                      // that could not be read
  u64 timeless_jitdumps = 0;                  // whose times are not those of the recording
  u64 outside_records = 0;                    // of processes outside of the recorder's PID namespace, ignored
  std::vector<ReadFailure> unreadable_files;  // whose symbols or lines are missing
  u64 unordered = 0;                          // records that were older than what had been delivered
  u64 first_time = 0, last_time = 0;          // of samples, ns; 0 when there are none
};

}  // namespace peregrine
