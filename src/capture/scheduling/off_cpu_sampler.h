// OffCpuSampler: samples of where threads wait, off the CPU, made by a BPF program at the scheduler: as records of an
// event that never fires by itself ("offcpu-time"), whose periods are nanoseconds and whose callchains those of the
// user.
//
//   sched_switch ─▶ sleep of a watched thread ─┬─ short: added up by thread and stack ─▶ take_sums(), at the end
//                                              └─ as long as the threshold ───────────▶ take_long(), now and then
//
// Sleeps that have not ended count for nothing. Life as that of other counters: open → enable, or the workload's exec →
// disable. One thread, the one that opened it.
#pragma once
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/process/limit.h"

namespace peregrine {

struct OffCpuRequest {
  u64 threshold = 0;  // ns; a sleep of this length is a sample of its own; 0: none is
};

struct OffCpuSample {
  u32 pid = 0, tid = 0, cpu = 0;
  u64 time = 0, period = 0, cgroup = 0;
  std::vector<u64> frames;  // of the user, innermost first
};

class OffCpuSampler {
 public:
  // `attr` and `id` of the event whose samples they become. Errors: the kernel's.
  static Result<OffCpuSampler> open(const abi::EventAttr& attr, u64 id, const OffCpuRequest& request,
                                    const Target& target, const PerfLimits& limits);
  OffCpuSampler(OffCpuSampler&&) noexcept;
  OffCpuSampler& operator=(OffCpuSampler&&) noexcept;
  ~OffCpuSampler();

  Result<> enable();
  Result<> disable();
  // Appends records and says how many. Long sleeps come in order of their ends; sums bear the time of the call.
  Result<std::size_t> take_long(ByteWriter& out);
  Result<std::size_t> take_sums(ByteWriter& out);

  struct Lost {
    u64 stacks = 0;  // sleeps whose stack could not be kept
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
