// Lanes: what fell on each thread and on each CPU over time, as rows below a time line; and LaneCollector, the sink
// that sums it up beside whatever else is collected of the same samples.
//
// A wait that was recorded by itself lies where it was: from its sample's time back by its period. Waits that were
// summed up until the recording ended have no place in time; a thread knows how long it was off the CPU with them all.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "analysis/flat_index.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct Lane {
  std::string name;        // of a thread: its last one
  std::optional<u32> cpu;  // or else of a thread
  u32 pid = 0, tid = 0;
  u64 waited = 0;  // ns off the CPU, wherever they lie
  u32 joined = 0;  // threads that are one row here, for want of room
};

struct LaneWeight {
  u32 series = 0, lane = 0, slot = 0;
  u64 samples = 0, period = 0;
};

struct Lanes {
  std::vector<Lane> lanes;  // threads, the busiest first; then CPUs
  u64 start = 0, slot_length = 0;
  u32 slots = 0;
  std::vector<LaneWeight> weights;  // by series, lane, slot
};

struct LaneRequest {
  std::vector<u32> events;         // series n is events[n]
  u64 start = 0, slot_length = 0;  // of the time line
  u32 slots = 0;
  std::size_t threads = 200;      // rows at most
  std::size_t weights = 100'000;  // about; slots are joined to fit
};

class LaneCollector : public ReplaySink {
 public:
  // `waits`, by event: whether its periods are times off the CPU. `step`: ns that are kept apart.
  LaneCollector(std::vector<bool> waits, u64 step);
  ~LaneCollector() override;

  void begin(unsigned workers) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // After the replay.
  Lanes lanes(const Machine& machine, const LaneRequest& request) const;

 private:
  struct Worker;
  struct Maker;
  std::vector<bool> waits_;
  u64 step_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace peregrine
