// OffCpuSampler: samples where threads block, with a BPF program at the scheduler. Produces records of an event that
// never fires ("offcpu-time"); their periods are nanoseconds and their callchains user stacks.
//
//   sched_switch ─▶ sleep of a watched thread ─┬─ short: summed by thread and stack ───▶ take_sums(), at the end
//                                              └─ as long as the threshold ──────────▶ take_long(), repeatedly
//
// Unfinished sleeps are not counted. Lifecycle: open → enable, or the workload's exec → disable. Use only on the thread
// that opened it.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "sys/process/limit.h"

namespace peregrine {

struct OffCpuRequest {
  u64 threshold = 0;  // ns; sleeps of at least this length become separate samples; 0: none
};

struct OffCpuSample {
  u32 pid = 0, tid = 0, cpu = 0;
  u64 time = 0, period = 0, cgroup = 0;
  std::vector<u64> frames;  // user frames, innermost first
};

// Appends the sample as a record of the event with this attr and id. Fields that no sleep has (addr, read, raw, …) must
// not be in sample_type.
void encode_off_cpu_sample(const abi::EventAttr& attr, u64 id, const OffCpuSample& sample, ByteWriter& out);

class OffCpuSampler {
 public:
  // `attr` and `id` of the samples' event. Errors: the kernel's.
  static Result<OffCpuSampler> open(const abi::EventAttr& attr, u64 id, const OffCpuRequest& request,
                                    const Target& target, const PerfLimits& limits);
  OffCpuSampler(OffCpuSampler&&) noexcept;
  OffCpuSampler& operator=(OffCpuSampler&&) noexcept;
  ~OffCpuSampler();

  Result<> enable();
  Result<> disable();
  // Appends records and returns their number. Long sleeps are ordered by end; sums have the time of the call.
  Result<std::size_t> take_long(ByteWriter& out);
  Result<std::size_t> take_sums(ByteWriter& out);

  struct Lost {
    u64 stacks = 0;  // sleeps with stacks that could not be kept
    u64 sleeps = 0;  // sleeps that could not be kept
    u64 tasks = 0;   // children that could not be marked
  };
  Lost lost() const;

 private:
  struct State;
  explicit OffCpuSampler(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
