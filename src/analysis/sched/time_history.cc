#include "analysis/sched/time_history.h"

#include <algorithm>
#include <bitset>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "analysis/field/chain_names.h"
#include "analysis/field/recorded_tracepoints.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

// The scheduler's entry points, which are on every chain.
constexpr std::string_view kPassedOver[] = {"schedule", "__schedule", "preempt_schedule"};
// How many of them may precede the frames to show.
constexpr unsigned kSpare = 2;

void add_stay(TaskTimes& times, u64 run) {
  times.least = times.runs.count() == 0 ? run : std::min(times.least, run);
  times.most = std::max(times.most, run);
  times.runs.add(static_cast<double>(run));
  times.run += run;
}

}  // namespace

std::vector<std::string> scheduled_chain(const ReplaySample& sample, unsigned depth, Resolver& resolver) {
  std::vector<std::string> names =
      depth == 0 ? std::vector<std::string>() : chain_names(sample, depth + kSpare, resolver);
  std::erase_if(names,
                [](const std::string& name) { return std::ranges::find(kPassedOver, name) != std::end(kPassedOver); });
  return names;
}

std::bitset<128> TimeHistory::records() const {
  return kinds_of_records({abi::RecordType::Exit, abi::RecordType::Fork, abi::RecordType::Lost});
}

void TimeHistory::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (record.side_band == nullptr) return;
  const abi::SideBandBody& body = record.side_band->body;
  if (const auto* exit = std::get_if<abi::ExitRecord>(&body)) ended_.insert(exit->tid);
  if (const auto* fork = std::get_if<abi::ForkRecord>(&body)) ended_.erase(fork->tid);
  if (const auto* lost = std::get_if<abi::LostRecord>(&body); lost != nullptr && request_.show_lost)
    request_.show_lost(record.time, lost->lost, record.side_band->id.cpu);
}

bool TimeHistory::accepts(const ReplaySample& sample, Resolver& resolver) const {
  return request_.filter.accepts_thread(sample.context, resolver);
}

bool TimeHistory::needs(SchedKind kind) const {
  if (kind == SchedKind::Wakeup) return !has(SchedKind::Waking);  // count the earlier of the two
  return kind != SchedKind::Runtime;
}

void TimeHistory::happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) {
  switch (event.kind) {
    case SchedKind::Switch:
      take_switch(event, sample, resolver);
      return;
    case SchedKind::Runtime:
      return;
    case SchedKind::Wakeup:
    case SchedKind::Waking:
    case SchedKind::NewTask: {
      Task& woken = tasks_[event.task];
      if (woken.ready == 0) woken.ready = event.time;
      break;
    }
    case SchedKind::Migrate: {
      Task& moved = tasks_[event.task];
      ++moved.times.migrations;
      if (moved.ready != 0) moved.moved = event.time;
      break;
    }
  }
  const auto& window = request_.window;
  const bool seen = !window || (event.time >= window->from && event.time <= window->to);
  if (request_.show && !request_.idle_only && seen && request_.filter.accepts_cpu(event.cpu) &&
      accepts(sample, resolver))
    request_.show({event.kind, sample, event, event.time}, resolver);
}

// Accounts a run from `from` (0: start not recorded) to `until`.
TimeHistoryRow TimeHistory::account(Task& task, const SchedEvent& event, const ReplaySample& sample, u64 from,
                                    u64 until) {
  TimeHistoryRow row{SchedKind::Switch, sample, event, until};
  if (from != 0) {
    row.run = until - from;
    if (task.ready != 0 && task.ready <= from) {
      row.delay = from - task.ready;
      if (task.moved >= task.ready && task.moved <= from) row.before_move = task.moved - task.ready;
    }
    if (task.left != 0 && task.left <= from) {
      row.wait = from - task.left;
      (task.state == 'R'   ? task.times.preempted
       : task.state == 'D' ? task.times.io_wait
                           : task.times.sleep) += row.wait;
    }
  }
  task.times.delay += row.delay;
  add_stay(task.times, row.run);
  return row;
}

// Every return must call leave(), even if the run is not counted or shown: the wait that starts here may belong to a
// run that is.
void TimeHistory::take_switch(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) {
  Cpu& cpu = cpus_[event.cpu];
  const u64 began = std::exchange(cpu.switched, event.time);
  const bool idle = event.task == 0;
  Task& task = idle ? cpu.idle : tasks_[event.task];
  const auto leave = [&] {
    task.left = event.time;
    task.state = event.state;
    task.ready = task.moved = 0;
  };
  u64 from = began, until = event.time;
  if (const auto& window = request_.window) {
    if (event.time >= window->from && first_ == 0) first_ = event.time;
    if (event.time <= window->to) last_ = event.time;
    if (event.time <= window->from || from > window->to) return leave();
    from = from == 0 ? 0 : std::max(from, window->from);
    until = std::min(until, window->to);
  } else {
    if (first_ == 0) first_ = event.time;
    last_ = event.time;
  }
  if (!request_.filter.accepts_cpu(event.cpu)) return leave();
  const bool prioritised =
      request_.priorities.empty() || std::ranges::binary_search(request_.priorities, event.priority);
  if (!idle && (!prioritised || !accepts(sample, resolver))) return leave();
  const bool to_idle = request_.idle_only && event.next == 0;
  if (to_idle) {
    cpu.left_by = event.task;
    cpu.chain = scheduled_chain(sample, request_.chain_depth, resolver);
  }
  if (idle || !request_.idle_only) {
    const TimeHistoryRow row = account(task, event, sample, from, until);
    if (idle && request_.idle_only) charge(cpu, event.cpu, row.run);
    const bool explained = !request_.idle_only || cpu.left_by != 0;
    if (request_.show && explained) request_.show(row, resolver);
  } else if (to_idle && request_.show) {
    request_.show({SchedKind::Switch, sample, event, until}, resolver);
  }
  leave();
}

// Charges the idle time that ends here to the task that left the CPU idle.
void TimeHistory::charge(const Cpu& cpu, u32 number, u64 time) {
  if (cpu.left_by == 0) return;
  add_stay(tasks_[cpu.left_by].times, time);
  IdleCause& cause = causes_[number][cpu.chain];
  cause.chain = cpu.chain;
  cause.time += time;
  ++cause.count;
}

std::vector<TimeHistory::TaskRow> TimeHistory::tasks() const {
  std::vector<TaskRow> rows;
  for (const auto& [tid, task] : tasks_)
    if (task.times.runs.count() != 0) rows.push_back({tid, &task.times});
  std::ranges::sort(rows, [](const TaskRow& a, const TaskRow& b) {
    return a.times->run != b.times->run ? a.times->run > b.times->run : a.tid < b.tid;
  });
  return rows;
}

u64 TimeHistory::switches() const {
  u64 count = 0;
  for (const auto& [tid, task] : tasks_) count += task.times.runs.count();
  for (const auto& [number, cpu] : cpus_) count += cpu.idle.times.runs.count();
  return count;
}

const TaskTimes* TimeHistory::idle(u32 cpu) const {
  const auto found = cpus_.find(cpu);
  return found == cpus_.end() || found->second.idle.times.runs.count() == 0 ? nullptr : &found->second.idle.times;
}

std::vector<IdleCause> TimeHistory::idle_causes(u32 cpu) const {
  std::vector<IdleCause> causes;
  if (const auto found = causes_.find(cpu); found != causes_.end())
    for (const auto& [chain, cause] : found->second) causes.push_back(cause);
  std::ranges::stable_sort(causes, std::greater<>(), &IdleCause::time);
  return causes;
}

}  // namespace peregrine
