#include "analysis/sched/sched_latency.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <unordered_map>

#include "abi/record_rows.h"
#include "analysis/field/recorded_tracepoints.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

u64 value_of(const SchedLatencyRow& row, SchedLatencyKey key) {
  switch (key) {
    case SchedLatencyKey::Average:
      return row.average();
    case SchedLatencyKey::Most:
      return row.most;
    case SchedLatencyKey::Pid:
      return row.tid;
    case SchedLatencyKey::Runtime:
      return row.runtime;
    case SchedLatencyKey::Switches:
      return row.switches;
  }
  return 0;
}

}  // namespace

std::bitset<128> SchedLatency::records() const { return kinds_of_records({abi::RecordType::Lost}); }

// A new task is assumed to have waited or slept since the event that first mentions it.
SchedLatency::Task& SchedLatency::task(u32 tid, const SchedEvent& event, bool waits) {
  const std::size_t known = tasks_.size();
  Task& task = tasks_.at(tid);
  if (tasks_.size() != known) {
    task.waits = waits;
    task.sleeps = !waits;
    task.since = event.time;
  }
  return task;
}

bool SchedLatency::needs(SchedKind kind) const {
  switch (kind) {
    case SchedKind::Waking:
      return !has(SchedKind::Wakeup);  // the later of the two is when the task became runnable
    case SchedKind::Migrate:
      return request_.cpu.has_value();
    default:
      return true;
  }
}

void SchedLatency::happened(const SchedEvent& event, const ReplaySample&, Resolver&) {
  switch (event.kind) {
    case SchedKind::Switch:
      if (!request_.cpu || event.cpu == *request_.cpu) take_switch(event);
      return;
    case SchedKind::Runtime: {
      if (request_.cpu && event.cpu != *request_.cpu) return;
      Task& ran = task(event.task, event, true);
      if (counts(event.time)) ran.runtime += event.runtime;
      return;
    }
    case SchedKind::Waking:
    case SchedKind::Wakeup:
    case SchedKind::NewTask:
      take_wakeup(event);
      return;
    case SchedKind::Migrate:
      take_migration(event);
  }
}

void SchedLatency::take_switch(const SchedEvent& event) {
  Cpu& cpu = running_.at(event.cpu);
  if (cpu.tid && *cpu.tid != event.task && counts(event.time)) ++gaps_;
  cpu.tid = event.next;
  Task& leaves = task(event.task, event, event.state == 'R');
  leaves.waits = event.state == 'R';
  leaves.sleeps = !leaves.waits;
  leaves.since = event.time;
  Task& comes = task(event.next, event, true);
  if (!comes.waits) return;
  comes.waits = false;
  if (event.time < comes.since || !counts(event.time)) return;
  const u64 delay = event.time - comes.since;
  comes.delay += delay;
  ++comes.switches;
  if (histogram_ && event.next != 0) histogram_->add(delay);
  if (delay > comes.most) {
    comes.most = delay;
    comes.most_from = comes.since;
    comes.most_until = event.time;
  }
}

void SchedLatency::take_wakeup(const SchedEvent& event) {
  Task& woken = task(event.task, event, false);
  // Waking a task that is not asleep changes nothing. With a CPU filter, though, the task may have gone to sleep on
  // another CPU.
  if (!woken.sleeps && !request_.cpu) return;
  if (counts(event.time)) ++wakeups_;
  if (woken.since > event.time) return;
  woken.waits = true;
  woken.sleeps = false;
  woken.since = event.time;
}

// With a CPU filter, the time that the task waited on another CPU does not count.
void SchedLatency::take_migration(const SchedEvent& event) {
  Task& moved = task(event.task, event, true);
  if (moved.waits) moved.since = event.time;
}

std::vector<SchedLatencyRow> SchedLatency::rows(const Machine& machine,
                                                const std::vector<SchedLatencyKey>& order) const {
  std::vector<SchedLatencyRow> rows;
  std::unordered_map<std::string, std::size_t> by_name;
  for (const Task& task : tasks_.rows()) {
    const u32 tid = task.key;
    const std::string comm = machine.comm_text(machine.threads().newest(~0u, tid).comm);
    const auto [at, fresh] = by_name.try_emplace(comm, rows.size());
    if (fresh || request_.by_task) rows.push_back({.comm = comm, .tid = tid});
    SchedLatencyRow& row = request_.by_task ? rows.back() : rows[at->second];
    ++row.tasks;
    row.runtime += task.runtime;
    row.switches += task.switches;
    row.delay += task.delay;
    if (task.most > row.most) {
      row.most = task.most;
      row.most_from = task.most_from;
      row.most_until = task.most_until;
    }
  }
  std::erase_if(rows, [](const SchedLatencyRow& row) { return row.switches == 0 || row.comm == "swapper"; });
  std::ranges::stable_sort(rows, [&](const SchedLatencyRow& a, const SchedLatencyRow& b) {
    for (const SchedLatencyKey key : order)
      if (value_of(a, key) != value_of(b, key)) return value_of(a, key) > value_of(b, key);
    return false;
  });
  return rows;
}

}  // namespace peregrine
