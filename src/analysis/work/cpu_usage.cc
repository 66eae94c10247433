#include "analysis/work/cpu_usage.h"

#include <expected>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

enum UsageEvent : u8 { Switch, IrqEntry, IrqExit, SoftirqEntry, SoftirqExit };
enum UsageField : u8 { LeavingTid, ComingTid, LeavingComm, ComingComm };

std::vector<WantedTracepoint> wanted_usage() {
  return {{"sched", "sched_switch", {"prev_pid", "next_pid", "prev_comm", "next_comm"}, 2},
          {"irq", "irq_handler_entry", {"irq"}},
          {"irq", "irq_handler_exit", {"irq"}},
          {"irq", "softirq_entry", {"vec"}},
          {"irq", "softirq_exit", {"vec"}}};
}

}  // namespace

CpuUsage::CpuUsage(const data::Reader& reader, std::string name)
    : TracepointSink(reader, wanted_usage()), name_(std::move(name)) {}

TaskUsage& CpuUsage::task(u32 tid, u32 cpu) {
  TaskUsage& found = tasks_[{tid, tid == 0 ? cpu : 0}];
  found.tid = tid;
  found.cpu = cpu;
  return found;
}

// Charges the time since the last change to whatever ran.
void CpuUsage::charge(u32 cpu, Course& course, u64 time) {
  const u64 since = std::exchange(course.since, time);
  if (!course.known || time <= since) return;
  const u64 span = time - since;
  CpuTimes& times = cpus_[cpu];
  times.total += span;
  if (course.irqs != 0) {
    times.irq += span;
  } else if (course.softirqs != 0) {
    times.softirq += span;
  } else {
    task(course.tid, cpu).runtime += span;
    if (course.tid == 0) times.idle += span;
  }
}

void CpuUsage::take(const TracepointView& view, const ReplaySample& sample, Resolver&) {
  const u32 cpu = sample.sample.cpu;
  Course& course = courses_[cpu];
  charge(cpu, course, sample.sample.time);
  switch (view.which) {
    case Switch: {
      const u32 leaves = static_cast<u32>(view.number(LeavingTid));
      task(leaves, cpu).comm = view.text(LeavingComm);
      course.tid = static_cast<u32>(view.number(ComingTid));
      task(course.tid, cpu).comm = view.text(ComingComm);
      course.known = true;
      course.irqs = course.softirqs = 0;  // a lost exit event must not hide all later tasks
      return;
    }
    case IrqEntry:
      ++course.irqs;
      return;
    case IrqExit:
      if (course.irqs != 0) --course.irqs;
      return;
    case SoftirqEntry:
      ++course.softirqs;
      return;
    case SoftirqExit:
      if (course.softirqs != 0) --course.softirqs;
      return;
    default:
      return;
  }
}

CpuUsageTable CpuUsage::table() const {
  CpuUsageTable table{.cpus = cpus_, .tasks = {}};
  for (const auto& [key, usage] : tasks_)
    if (usage.runtime != 0 && (name_.empty() || usage.comm == name_)) table.tasks.push_back(usage);
  return table;
}

CpuTimes CpuUsageTable::all() const {
  CpuTimes all;
  for (const auto& [cpu, times] : cpus) {
    all.total += times.total;
    all.idle += times.idle;
    all.irq += times.irq;
    all.softirq += times.softirq;
  }
  return all;
}

Result<> CpuUsage::outcome() const {
  PEREGRINE_TRY(TracepointSink::outcome());
  if (tracepoints().has(Switch)) return {};
  return std::unexpected(Error{ErrorKind::Unsupported, "this recording has no scheduler switches"}.with_hint(
      "record with `perf kwork -k sched,irq,softirq record`"));
}

}  // namespace peregrine
