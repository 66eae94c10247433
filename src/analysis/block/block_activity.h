// BlockActivity: what one disk did over time: seeks, plugs, waiting and active requests, idle periods. The counts and
// averages are those of btt.
#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "abi/blktrace_record.h"
#include "base/types.h"

namespace peregrine {

// Distances in sectors from the previous request: 0 if one end of the request is inside of it or next to it, otherwise
// from its end forwards, or from its start backwards.
class BlockSeeks {
 public:
  void add(const abi::BlktraceRecord& record);
  u64 count() const { return count_; }
  double mean() const;  // of absolute values
  i64 median() const;
  struct Mode {
    i64 distance = 0;
    u64 count = 0;
  };
  Mode mode() const;  // the most frequent distance

 private:
  u64 start_ = 0, end_ = 0, count_ = 0;
  double sum_ = 0;
  std::map<i64, u64> distances_;
};

// A table of what happened in equal steps of time. The steps double whenever there would be too many.
class BlockTimeline {
 public:
  static constexpr std::size_t kMostSteps = 40;
  struct Step {
    double depth_time = 0;  // depth × ns
    u64 most_depth = 0, completed = 0, bytes = 0;
  };
  void begin(u64 time) {
    if (started_) return;
    started_ = true;
    start_ = last_ = time;
  }
  // The depth is `depth` from now on.
  void depth(u64 time, u64 depth);
  void completed(u64 time, u64 bytes);
  u64 step() const { return step_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  Step& at(u64 time);

  bool started_ = false;
  u64 start_ = 0, last_ = 0, step_ = 1'000'000, depth_ = 0;
  std::vector<Step> steps_;
};

class BlockActivity {
 public:
  // `known`: the number of queued requests that the event concerns.
  void add(const abi::BlktraceRecord& record, std::size_t known);

  u64 queued = 0, issued = 0;                                   // requests with sectors
  u64 fewest_sectors = 0, most_sectors = 0, total_sectors = 0;  // of issued requests
  BlockSeeks queue_seeks, issue_seeks;
  u64 unplugs = 0, timed_unplugs = 0, unplugged = 0, timed_unplugged = 0;  // the last two: requests
  u64 plugged_time = 0;
  u64 waiting_at_queue = 0;  // sum over all Q: requests that wait for the driver
  u64 active_periods = 0, active_time = 0;
  u64 first = 0, last = 0;
  u64 most_depth = 0;
  std::array<u64, 10> queue_to_issue{};  // requests by the bounds below
  BlockTimeline timeline;
  struct Idle {
    u64 start = 0, duration = 0;
  };
  // The longest periods without a request at the driver, longest first.
  const std::vector<Idle>& idle() const { return idle_; }
  u64 span() const { return last - first; }
  void add_wait(u64 queue_to_issue_time);

 private:
  void follow_plug(const abi::BlktraceRecord& record);
  void follow_driver(const abi::BlktraceRecord& record, std::size_t known);
  void add_idle(u64 start, u64 end);

  bool started_ = false;
  std::optional<u64> plugged_since_;
  std::optional<u64> idle_since_;
  u64 waiting_ = 0, active_ = 0, active_since_ = 0, depth_ = 0;
  std::vector<Idle> idle_;
};

// Upper bounds of Q2D in ms; longer ones have the last place.
inline constexpr std::array<u64, 9> kQueueToIssueBounds = {5, 10, 25, 50, 75, 100, 250, 500, 1000};

}  // namespace peregrine
