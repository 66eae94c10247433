// SampleFilter: which samples reach the sink, by criteria that need no symbol resolution.
//
// Set by cmd from --time, -C, --comms, --pid, --tid, and `kvm`'s guest and host options. Consumers filter by dso and
// symbol. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

struct TimeRange {
  u64 from = 0;      // ns
  u64 to = ~u64{0};  // inclusive
};

struct SampleFilter {
  std::vector<TimeRange> times;      // empty: all
  std::vector<u32> cpus;             // ascending; empty: all
  std::vector<std::string> comms;    // empty: all
  std::vector<u32> pids, tids;       // ascending; empty: all
  bool hosts = true, guests = true;  // samples of the host; of its guests

  bool any() const {
    return !times.empty() || !cpus.empty() || !comms.empty() || !pids.empty() || !tids.empty() || !hosts || !guests;
  }
  bool accepts_mode(u16 misc) const;
  bool accepts_time(u64 time) const;
  bool accepts_cpu(u32 cpu) const;
  bool accepts_thread(const Resolver::Context& context, Resolver& resolver) const;
};

// Parses --time: "start,stop" in seconds, both optional; "10%-20%,…" or "10%/2" of first..last.
Result<std::vector<TimeRange>> parse_time_ranges(std::string_view text, u64 first, u64 last);

}  // namespace peregrine
