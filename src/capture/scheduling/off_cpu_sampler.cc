#include "capture/scheduling/off_cpu_sampler.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <off_cpu.skel.h>
#include <time.h>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/scheduling/off_cpu.h"
#include "capture/bpf/watcher.h"
#include "capture/perf_event/perf_clock.h"
#include "capture/synthesis/record_encoder.h"

namespace peregrine {

void encode_off_cpu_sample(const abi::EventAttr& attr, u64 id, const OffCpuSample& sample, ByteWriter& out) {
  namespace bit = abi::sample_bit;
  RecordEncoder record(out, abi::RecordType::Sample, abi::misc_bit::User);
  ByteWriter& body = record.body();
  const auto put = [&](u64 field, u64 value) {
    if (attr.samples(field)) body.put64(value);
  };
  put(bit::Identifier, id);
  put(bit::Ip, sample.frames.empty() ? 0 : sample.frames.front());
  if (attr.samples(bit::Tid)) body.put32(sample.pid).put32(sample.tid);
  put(bit::Time, sample.time);
  put(bit::Id, id);
  if (attr.samples(bit::Cpu)) body.put32(sample.cpu).put32(0);
  put(bit::Period, sample.period);
  if (attr.samples(bit::Callchain)) {
    body.put64(sample.frames.size() + 1).put64(abi::kContextUser);
    for (const u64 frame : sample.frames) body.put64(frame);
  }
  put(bit::Cgroup, sample.cgroup);
  record.end();
}

struct OffCpuSampler::State {
  struct Destroy {
    void operator()(off_cpu* opened) const { off_cpu__destroy(opened); }
    void operator()(ring_buffer* mapped) const { ring_buffer__free(mapped); }
  };
  State(const abi::EventAttr& event_attr, u64 event_id, PerfClock event_clock)
      : attr(event_attr), id(event_id), clock(std::move(event_clock)) {}

  Result<> load(const OffCpuRequest& request, const Target& target, const PerfLimits& limits);
  Result<> choose_cpus(const Target& target);
  // Empty if the stack could not be taken or was lost.
  std::vector<u64> frames(i32 stack) const;
  static int keep(void* context, void* data, std::size_t size);

  abi::EventAttr attr;
  u64 id;
  PerfClock clock;
  std::unique_ptr<off_cpu, Destroy> skeleton;
  Watcher watcher;
  std::unique_ptr<ring_buffer, Destroy> ring;
  std::vector<long_sleep> told;  // received from the ring, not yet taken
};

Result<> OffCpuSampler::State::choose_cpus(const Target& target) {
  if (target.kind != TargetKind::Cpus) return {};
  skeleton->rodata->some_cpus = 1;
  for (const int cpu : target.cpus) {
    if (cpu < 0 || cpu >= kMostCpus) return fail(ErrorKind::Unsupported, "off-CPU time of CPU {}", cpu);
    skeleton->rodata->chosen_cpus[cpu] = 1;
  }
  return {};
}

Result<> OffCpuSampler::State::load(const OffCpuRequest& request, const Target& target, const PerfLimits& limits) {
  skeleton.reset(off_cpu__open());
  if (!skeleton) return fail_errno("cannot open the BPF program of --off-cpu");
  PEREGRINE_TRY(watcher.prepare(*skeleton, target, 1));
  skeleton->rodata->threshold = request.threshold;
  PEREGRINE_TRY(choose_cpus(target));
  if (const int error = off_cpu__load(skeleton.get()); error != 0) {
    auto failure = fail_errno("cannot load the BPF program of --off-cpu", -error);
    failure.error().hint = "requires Linux 5.11 with CONFIG_DEBUG_INFO_BTF, and root or CAP_BPF and CAP_PERFMON";
    return failure;
  }
  PEREGRINE_TRY(watcher.start(*skeleton, attr, target, limits));
  PEREGRINE_TRY(watcher.link(bpf_program__fd(skeleton->progs.watch_switch)));
  ring.reset(ring_buffer__new(bpf_map__fd(skeleton->maps.long_sleeps), &State::keep, this, nullptr));
  if (!ring) return fail_errno("cannot map the ring buffer of --off-cpu");
  watcher.arm(*skeleton);
  return {};
}

int OffCpuSampler::State::keep(void* context, void* data, std::size_t size) {
  if (size >= sizeof(long_sleep)) static_cast<State*>(context)->told.push_back(*static_cast<const long_sleep*>(data));
  return 0;
}

std::vector<u64> OffCpuSampler::State::frames(i32 stack) const {
  std::vector<u64> frames(kMostFrames);
  if (stack < 0 || bpf_map_lookup_elem(bpf_map__fd(skeleton->maps.stacks), &stack, frames.data()) != 0) return {};
  frames.erase(std::ranges::find(frames, u64{0}), frames.end());
  return frames;
}

OffCpuSampler::OffCpuSampler(std::unique_ptr<State> state) : state_(std::move(state)) {}
OffCpuSampler::OffCpuSampler(OffCpuSampler&&) noexcept = default;
OffCpuSampler& OffCpuSampler::operator=(OffCpuSampler&&) noexcept = default;
OffCpuSampler::~OffCpuSampler() = default;

Result<OffCpuSampler> OffCpuSampler::open(const abi::EventAttr& attr, u64 id, const OffCpuRequest& request,
                                          const Target& target, const PerfLimits& limits) {
  auto clock = PerfClock::open(attr);
  if (!clock) return std::unexpected(std::move(clock.error()));
  auto state = std::make_unique<State>(attr, id, std::move(*clock));
  PEREGRINE_TRY(state->load(request, target, limits));
  return OffCpuSampler(std::move(state));
}

Result<> OffCpuSampler::enable() { return state_->watcher.enable(*state_->skeleton); }
Result<> OffCpuSampler::disable() { return state_->watcher.disable(*state_->skeleton); }

Result<std::size_t> OffCpuSampler::take_long(ByteWriter& out) {
  ring_buffer__consume(state_->ring.get());
  if (state_->told.empty()) return 0;
  const auto offset = state_->clock.offset();
  if (!offset) return std::unexpected(offset.error());
  for (const long_sleep& sleep : state_->told) {
    OffCpuSample sample{.pid = sleep.kind.pid, .tid = sleep.kind.tid, .cpu = sleep.cpu};
    sample.time = sleep.end + static_cast<u64>(*offset);
    sample.period = sleep.duration;
    sample.cgroup = sleep.kind.cgroup;
    sample.frames = state_->frames(sleep.kind.stack);
    encode_off_cpu_sample(state_->attr, state_->id, sample, out);
  }
  return std::exchange(state_->told, {}).size();
}

Result<std::size_t> OffCpuSampler::take_sums(ByteWriter& out) {
  const auto offset = state_->clock.offset();
  if (!offset) return std::unexpected(offset.error());
  // Sums have no time. They get the present, one nanosecond apart, so that no two are equal.
  u64 time = static_cast<u64>(read_clock(CLOCK_MONOTONIC) + *offset);
  const int map = bpf_map__fd(state_->skeleton->maps.sleeps);
  std::size_t count = 0;
  sleep_kind kind{};
  for (const void* before = nullptr; bpf_map_get_next_key(map, before, &kind) == 0; before = &kind) {
    u64 sum = 0;
    if (bpf_map_lookup_elem(map, &kind, &sum) != 0) continue;
    OffCpuSample sample{.pid = kind.pid, .tid = kind.tid};
    sample.time = time++;
    sample.period = sum;
    sample.cgroup = kind.cgroup;
    sample.frames = state_->frames(kind.stack);
    encode_off_cpu_sample(state_->attr, state_->id, sample, out);
    ++count;
  }
  return count;
}

OffCpuSampler::Lost OffCpuSampler::lost() const {
  const auto& counts = *state_->skeleton->bss;
  return {counts.lost_stacks, counts.lost_sleeps, counts.lost_tasks};
}

}  // namespace peregrine
