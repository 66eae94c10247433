#include "analysis/hist/picture/lanes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "abi/attr.h"
#include "analysis/flat_index.h"
#include "analysis/step_clock.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/process/thread_table.h"
#include "machine/resolver/resolver.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

namespace {

constexpr u32 kNoCpu = ~0u;

// Samples of one event in one time step, for one thread on one CPU.
struct Sum {
  u64 step = 0;
  u32 pid = 0, tid = 0, cpu = 0, event = 0;
  u64 samples = 0, period = 0;
  bool same_place(const Sum& other) const {
    return step == other.step && pid == other.pid && tid == other.tid && cpu == other.cpu && event == other.event;
  }
  u64 hash() const { return mix_bits((u64{tid} << 32 | cpu) ^ mix_bits(step ^ (u64{event} << 48))) + pid; }
};

struct Wait {
  u32 pid = 0, tid = 0, event = 0;
  u64 time = 0, period = 0;
};

}  // namespace

struct LaneCollector::Worker {
  explicit Worker(u64 step) : clock(step) {}

  StepClock clock;
  std::vector<Sum> sums;
  FlatIndex index;
  std::array<Sum, 256> recent = {};  // by thread and CPU; most samples match the previous one
  std::vector<Wait> waits;
  u64 last_hit = 0;  // time of the last sample other than a wait

  void add(const Sum& sum) {
    Sum& last = recent[(sum.tid ^ sum.cpu * 37) % recent.size()];
    if (last.same_place(sum)) {
      last.samples += sum.samples;
      last.period += sum.period;
    } else {
      keep(last);
      last = sum;
    }
  }
  void keep(const Sum& sum) {
    if (sum.samples == 0) return;
    const u32 row = index.find_or_add(
        sum.hash(), static_cast<u32>(sums.size()), [&](u32 at) { return sums[at].same_place(sum); },
        [&](u32 at) { return sums[at].hash(); });
    if (row == sums.size()) return sums.push_back(sum);
    sums[row].samples += sum.samples;
    sums[row].period += sum.period;
  }
  // May visit the same place twice.
  template <class Use>
  void each_sum(Use use) const {
    for (const Sum& sum : sums) use(sum);
    for (const Sum& sum : recent)
      if (sum.samples != 0) use(sum);
  }
};

LaneCollector::LaneCollector(std::vector<bool> waits, u64 step)
    : waits_(std::move(waits)), step_(std::max<u64>(step, 1)) {}
LaneCollector::~LaneCollector() = default;

void LaneCollector::begin(unsigned workers) {
  while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>(step_));
}

void LaneCollector::sample(const ReplaySample& sample, Resolver&, unsigned number) {
  Worker& worker = *workers_[number];
  const ThreadState& thread = sample.context.thread;
  const u64 time = sample.sample.time;
  if (sample.event < waits_.size() && waits_[sample.event]) {
    worker.waits.push_back({thread.pid, thread.tid, sample.event, time, sample.period});
    return;
  }
  worker.last_hit = std::max(worker.last_hit, time);
  // Each CPU gets a row, so ignore impossible CPU numbers.
  const bool has_cpu = (sample.sample.fields & abi::sample_bit::Cpu) != 0 && sample.sample.cpu <= kHighestCpu;
  worker.add({.step = worker.clock.step_of(time),
              .pid = thread.pid,
              .tid = thread.tid,
              .cpu = has_cpu ? sample.sample.cpu : kNoCpu,
              .event = sample.event,
              .samples = 1,
              .period = sample.period});
}

// Turns sums into rows.
struct LaneCollector::Maker {
  const LaneCollector& from;
  const Machine& machine;
  const LaneRequest& request;
  struct Cell {
    u64 samples = 0, period = 0;
  };
  Lanes made = {};
  std::map<std::pair<u32, u32>, u32> threads = {};  // lane by pid and tid
  std::map<u32, u32> cpus = {};
  std::vector<std::vector<Cell>> cells = {};  // by series, then lane and slot; empty until the series has a sample

  void add_threads();
  void add_cpus();
  void choose_slots();
  void add_sums(const Worker& worker);
  void add_waits(const Worker& worker, u64 last_hit);
  void list_weights();

  void add(u32 series, u32 lane, u32 slot, u64 samples, u64 period) {
    std::vector<Cell>& own = cells[series];
    if (own.empty()) own.resize(made.lanes.size() * made.slots);
    Cell& cell = own[std::size_t{lane} * made.slots + slot];
    cell.samples += samples;
    cell.period += period;
  }
  std::optional<u32> series_of(u32 event) const {
    const auto found = std::ranges::find(request.events, event);
    if (found == request.events.end()) return std::nullopt;
    return static_cast<u32>(found - request.events.begin());
  }
  u32 slot_of(u64 time) const {
    if (time <= request.start) return 0;
    return static_cast<u32>(std::min<u64>((time - request.start) / made.slot_length, made.slots - 1));
  }
};

// The threads with the largest share of any series get a row each; one more row sums the rest.
void LaneCollector::Maker::add_threads() {
  std::map<std::pair<u32, u32>, std::vector<double>> periods;
  std::vector<double> whole(request.events.size());
  const auto count = [&](u32 event, u32 pid, u32 tid, u64 period) {
    const auto series = series_of(event);
    if (!series) return;
    std::vector<double>& own = periods.try_emplace({pid, tid}, whole.size()).first->second;
    own[*series] += static_cast<double>(period);
    whole[*series] += static_cast<double>(period);
  };
  for (const auto& worker : from.workers_) {
    worker->each_sum([&](const Sum& sum) { count(sum.event, sum.pid, sum.tid, sum.period); });
    for (const Wait& wait : worker->waits) count(wait.event, wait.pid, wait.tid, wait.period);
  }
  std::vector<std::tuple<double, u32, u32>> order;  // negated share, pid, tid
  for (const auto& [thread, own] : periods) {
    double widest = 0;
    for (std::size_t at = 0; at < own.size(); ++at) widest = std::max(widest, own[at] / std::max(whole[at], 1.0));
    order.emplace_back(-widest, thread.first, thread.second);
  }
  std::ranges::sort(order);
  for (const auto& [share, pid, tid] : order) {
    if (made.lanes.size() <= request.threads) {
      const bool rest = made.lanes.size() == request.threads;
      Lane lane{.name = {}, .cpu = {}, .pid = rest ? 0 : pid, .tid = rest ? 0 : tid};
      if (!rest) lane.name = machine.comm_text(machine.thread(pid, tid, kForever).comm);
      made.lanes.push_back(std::move(lane));
    }
    const u32 lane = static_cast<u32>(made.lanes.size() - 1);
    if (lane == request.threads) ++made.lanes[lane].joined;
    threads.emplace(std::pair(pid, tid), lane);
  }
}

void LaneCollector::Maker::add_cpus() {
  for (const auto& worker : from.workers_)
    worker->each_sum([&](const Sum& sum) {
      if (sum.cpu != kNoCpu && series_of(sum.event)) cpus.try_emplace(sum.cpu);
    });
  for (auto& [cpu, lane] : cpus) {
    lane = static_cast<u32>(made.lanes.size());
    made.lanes.push_back({.name = {}, .cpu = cpu});
  }
}

void LaneCollector::Maker::choose_slots() {
  made.start = request.start;
  made.slot_length = request.slot_length;
  made.slots = request.slots;
  while (made.slots > 50 && made.lanes.size() * made.slots > request.weights) {
    made.slot_length *= 2;
    made.slots = (made.slots + 1) / 2;
  }
}

void LaneCollector::Maker::add_sums(const Worker& worker) {
  worker.each_sum([&](const Sum& sum) {
    const auto series = series_of(sum.event);
    if (!series) return;
    const u32 slot = slot_of(sum.step * from.step_);
    add(*series, threads.at({sum.pid, sum.tid}), slot, sum.samples, sum.period);
    if (sum.cpu != kNoCpu) add(*series, cpus.at(sum.cpu), slot, sum.samples, sum.period);
  });
}

void LaneCollector::Maker::add_waits(const Worker& worker, u64 last_hit) {
  for (const Wait& wait : worker.waits) {
    const auto series = series_of(wait.event);
    if (!series) continue;
    const u32 lane = threads.at({wait.pid, wait.tid});
    made.lanes[lane].waited += wait.period;
    if (wait.time > last_hit) continue;  // summed until the end of the recording, so they have no place in time
    u64 at = std::max(wait.time - std::min(wait.time, wait.period), made.start);
    for (u64 samples = 1; at < wait.time; samples = 0) {
      const u32 slot = slot_of(at);
      const u64 end =
          slot + 1 == made.slots ? wait.time : std::min(wait.time, made.start + (slot + 1) * made.slot_length);
      add(*series, lane, slot, samples, end - at);
      at = end;
    }
  }
}

void LaneCollector::Maker::list_weights() {
  for (u32 series = 0; series < cells.size(); ++series)
    for (std::size_t at = 0; at < cells[series].size(); ++at)
      if (const Cell& cell = cells[series][at]; cell.samples != 0 || cell.period != 0)
        made.weights.push_back(
            {series, static_cast<u32>(at / made.slots), static_cast<u32>(at % made.slots), cell.samples, cell.period});
}

Lanes LaneCollector::lanes(const Machine& machine, const LaneRequest& request) const {
  Maker maker{*this, machine, request};
  if (request.slot_length == 0 || request.slots < 2) return {};
  maker.add_threads();
  maker.add_cpus();
  maker.choose_slots();
  maker.cells.resize(request.events.size());
  u64 last_hit = 0;
  for (const auto& worker : workers_) last_hit = std::max(last_hit, worker->last_hit);
  for (const auto& worker : workers_) {
    maker.add_sums(*worker);
    maker.add_waits(*worker, last_hit);
  }
  maker.list_weights();
  return std::move(maker.made);
}

}  // namespace peregrine
