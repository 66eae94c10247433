// Lanes: activity of each thread and CPU over time, as rows below a time line; LaneCollector: the sink that aggregates
// it, alongside other collectors of the same samples.
//
// A wait recorded individually is placed in time: it ends at its sample and lasts its period. Waits that were summed
// until the recording's end have no place in time; they only count in a thread's total off-CPU time.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct Lane {
  std::string name;        // for a thread: its last name
  std::optional<u32> cpu;  // empty for a thread
  u32 pid = 0, tid = 0;
  u64 waited = 0;  // total ns off-CPU
  u32 joined = 0;  // number of threads merged into this row to save space
};

struct LaneWeight {
  u32 series = 0, lane = 0, slot = 0;
  u64 samples = 0, period = 0;
};

struct Lanes {
  std::vector<Lane> lanes;  // threads, busiest first; then CPUs
  u64 start = 0, slot_length = 0;
  u32 slots = 0;
  std::vector<LaneWeight> weights;  // sorted by series, lane, slot
};

struct LaneRequest {
  std::vector<u32> events;         // series n is events[n]
  u64 start = 0, slot_length = 0;  // the time line's
  u32 slots = 0;
  std::size_t threads = 200;      // maximum rows
  std::size_t weights = 100'000;  // approximate; slots are merged to fit
};

class LaneCollector : public ReplaySink {
 public:
  // `waits`: by event, whether its periods are off-CPU times. `step`: time resolution in ns.
  LaneCollector(std::vector<bool> waits, u64 step);
  ~LaneCollector() override;

  void begin(unsigned workers) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // Call after the replay.
  Lanes lanes(const Machine& machine, const LaneRequest& request) const;

 private:
  struct Worker;
  struct Maker;
  std::vector<bool> waits_;
  u64 step_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace peregrine
