#include "analysis/chart/chart_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "analysis/field/recorded_tracepoints.h"
#include "analysis/sched/time_history.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

enum Beside : u8 { IdleState, Frequency, FirstIo };
enum PowerField : u8 { PowerState, PowerCpu };
constexpr u32 kNotIdle = ~0u;
constexpr std::size_t kKeptNames = 16;  // former names kept per task

std::vector<WantedTracepoint> wanted_chart() {
  std::vector<WantedTracepoint> all = {{"power", "cpu_idle", {"state", "cpu_id"}, 2},
                                       {"power", "cpu_frequency", {"state", "cpu_id"}, 2}};
  for (WantedTracepoint& call : wanted_io()) all.push_back(std::move(call));
  return all;
}

TaskState state_of(char letter) {
  if (letter == 'R') return TaskState::Waiting;
  return letter == 'D' ? TaskState::Blocked : TaskState::Sleeping;
}
bool is_end(char letter) { return letter == 'X' || letter == 'Z'; }

}  // namespace

ChartCollector::ChartCollector(const data::Reader& reader, const Request& request)
    : SchedSink(reader, wanted_chart()), request_(request), io_(request.io) {
  chart_.chains.emplace_back();
}

Result<> ChartCollector::outcome() const {
  // Skip SchedSink's check, which requires switches; a chart may show I/O only.
  PEREGRINE_TRY(TracepointSink::outcome());  // NOLINT(bugprone-parent-virtual-call)
  if (tracepoints().any()) return {};
  return std::unexpected(
      Error{ErrorKind::Unsupported, "this recording has no scheduler switches, power states or I/O system calls"}
          .with_hint("record with `perf timechart record`"));
}

std::bitset<128> ChartCollector::records() const {
  return kinds_of_records({abi::RecordType::Exit, abi::RecordType::Fork});
}

// A tid that is reused after its task exited is a new task.
void ChartCollector::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (record.side_band == nullptr) return;
  const abi::SideBandBody& body = record.side_band->body;
  if (const auto* fork = std::get_if<abi::ForkRecord>(&body)) {
    if (const auto found = tasks_.find(fork->tid); found != tasks_.end() && ongoing_[found->second].ended)
      tasks_.erase(found);
  } else if (const auto* exit = std::get_if<abi::ExitRecord>(&body)) {
    if (const auto found = tasks_.find(exit->tid); found != tasks_.end()) ongoing_[found->second].ended = true;
  }
}

void ChartCollector::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  if (tracepoints().view(sample)) {
    if (chart_.last == 0) chart_.first = sample.sample.time;
    chart_.last = std::max(chart_.last, sample.sample.time);
  }
  SchedSink::sample(sample, resolver, worker);
}

u32 ChartCollector::task(u32 tid, std::string_view comm) {
  const auto [at, fresh] = tasks_.try_emplace(tid, static_cast<u32>(chart_.tasks.size()));
  if (fresh) {
    chart_.tasks.emplace_back().tid = tid;
    ongoing_.emplace_back();
  }
  ChartTask& task = chart_.tasks[at->second];
  if (!comm.empty() && task.comm != comm) {
    if (!task.comm.empty() && task.former.size() < kKeptNames) task.former.push_back(std::move(task.comm));
    task.comm = comm;
    std::erase(task.former, comm);
  }
  return at->second;
}

ChartCollector::Cpu& ChartCollector::cpu(u32 number) {
  Cpu& cpu = cpus_[number];
  cpu.chart.number = number;
  return cpu;
}

u32 ChartCollector::chain_of(const ReplaySample& sample, Resolver& resolver) {
  const std::vector<std::string> names = scheduled_chain(sample, request_.chain_depth, resolver);
  if (names.empty()) return 0;
  const auto [at, fresh] =
      chains_.try_emplace(fmt::format("{}", fmt::join(names, " < ")), static_cast<u32>(chart_.chains.size()));
  if (fresh) chart_.chains.push_back(at->first);
  return at->second;
}

void ChartCollector::turn_to(u32 index, const TaskSpan& next) {
  ChartTask& task = chart_.tasks[index];
  Ongoing& ongoing = ongoing_[index];
  if (ongoing.known && ongoing.span.from < next.from) {
    ongoing.span.until = next.from;
    task.times[static_cast<std::size_t>(ongoing.span.state)] += ongoing.span.length();
    task.spans.push_back(ongoing.span);
  }
  ongoing.span = next;
  ongoing.known = true;
}

void ChartCollector::forget_unless(u32 index, bool running) {
  if ((ongoing_[index].span.state == TaskState::Running) != running) ongoing_[index].known = false;
}

void ChartCollector::end_stay(Cpu& cpu, u64 time) {
  if (auto stay = std::exchange(cpu.stay, std::nullopt)) {
    stay->until = time;
    const bool idles = stay->which == kNobody;
    if (!idles) cpu.chart.busy += stay->length();
    (idles ? cpu.chart.idle : cpu.chart.stays).push_back(*stay);
  }
}

// The task that leaves a CPU must be the one that came. Otherwise switches in between were lost, and the stays and
// spans in progress are dropped instead of drawn with a guessed end. Before the first switch of a CPU, the leaving task
// counts as running since the start of the chart.
void ChartCollector::leave(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) {
  Cpu& here = cpu(event.cpu);
  const u32 who = event.task == 0 ? kNobody : task(event.task, event.comm);
  if (!here.switched && (who != kNobody || !has_beside(IdleState))) here.stay = CpuSpan{{chart_.first}, who};
  if (here.stay && here.stay->which != who) {
    const u32 lost = here.stay->which;
    if (lost != kNobody && ongoing_[lost].span.cpu == event.cpu) forget_unless(lost, false);
    here.stay.reset();
  }
  if (who != kNobody) {
    if (!here.switched && !ongoing_[who].known) turn_to(who, {{chart_.first}, TaskState::Running, event.cpu});
    forget_unless(who, true);
  }
  end_stay(here, event.time);
  if (who == kNobody) return;
  if (event.tid == event.task) chart_.tasks[who].pid = event.pid;
  turn_to(who, {{event.time}, state_of(event.state), 0, kNobody, chain_of(sample, resolver)});
  if (!is_end(event.state)) return;
  ongoing_[who].ended = true;
  ongoing_[who].known = false;
}

void ChartCollector::come(const SchedEvent& event) {
  Cpu& here = cpu(event.cpu);
  here.switched = true;
  if (event.next == 0) {
    if (!has_beside(IdleState)) here.stay = CpuSpan{{event.time}, kNobody};
    return;
  }
  const u32 index = task(event.next, event.next_comm);
  forget_unless(index, false);
  here.stay = CpuSpan{{event.time}, index};
  turn_to(index, {{event.time}, TaskState::Running, event.cpu});
}

void ChartCollector::wake(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) {
  const u32 index = task(event.task, event.comm);
  const bool interrupt = event.interrupting || event.tid == 0;
  const u32 waker = interrupt ? kInterrupt : task(event.tid, {});
  if (!interrupt && chart_.tasks[waker].comm.empty()) chart_.tasks[waker].comm = resolver.comm(sample.context);
  if (!interrupt && waker != index) chart_.wakes.push_back({event.time, waker, index});
  const Ongoing& ongoing = ongoing_[index];
  const TaskState before = ongoing.span.state;
  if (ongoing.known && (before == TaskState::Running || before == TaskState::Waiting)) return;
  turn_to(index, {{event.time}, TaskState::Waiting, 0, waker, ongoing.span.chain});
}

bool ChartCollector::needs(SchedKind kind) const {
  if (kind == SchedKind::Wakeup) return !has(SchedKind::Waking);  // count the earlier task
  return kind != SchedKind::Migrate && kind != SchedKind::Runtime;
}

void ChartCollector::happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) {
  switch (event.kind) {
    case SchedKind::Switch:
      leave(event, sample, resolver);
      return come(event);
    case SchedKind::Wakeup:
    case SchedKind::Waking:
    case SchedKind::NewTask:
      return wake(event, sample, resolver);
    case SchedKind::Migrate:
    case SchedKind::Runtime:
      return;
  }
}

void ChartCollector::change_idle_state(u32 number, u32 state, u64 time) {
  Cpu& here = cpu(number);
  if (auto idle = std::exchange(here.idle, std::nullopt)) {
    idle->until = time;
    here.chart.idle.push_back(*idle);
  }
  if (state != kNotIdle) here.idle = CpuSpan{{time}, state};
}

void ChartCollector::change_frequency(u32 number, u64 kilohertz, u64 time) {
  Cpu& here = cpu(number);
  if (auto frequency = std::exchange(here.frequency, std::nullopt)) {
    frequency->until = time;
    here.chart.frequencies.push_back(*frequency);
  }
  here.frequency = FrequencySpan{{time}, kilohertz};
}

void ChartCollector::happened_beside(std::size_t which, const TracepointView& view, const ReplaySample& sample,
                                     Resolver& resolver) {
  const u64 time = sample.sample.time;
  if (which == IdleState || which == Frequency) {
    const auto number = static_cast<u32>(view.number(PowerCpu));
    if (which == IdleState) return change_idle_state(number, static_cast<u32>(view.number(PowerState)), time);
    return change_frequency(number, view.number(PowerState), time);
  }
  chart_.has_io = true;
  const u32 index = task(sample.sample.tid, resolver.comm(sample.context));
  chart_.tasks[index].pid = sample.sample.pid;
  io_.take(which - FirstIo, view, time, index, chart_.tasks[index]);
}

TimeChart ChartCollector::take_chart() {
  const u64 last = chart_.last;
  io_.finish(last, chart_.tasks);
  for (u32 i = 0; i < ongoing_.size(); ++i)
    if (!ongoing_[i].ended) turn_to(i, {{last}, TaskState::Sleeping});
  chart_.has_idle_states = has_beside(IdleState);
  for (auto& [number, cpu] : cpus_) {
    end_stay(cpu, last);
    change_idle_state(number, kNotIdle, last);
    if (cpu.frequency) change_frequency(number, 0, last);
    chart_.cpus.push_back(std::move(cpu.chart));
  }
  return std::move(chart_);
}

}  // namespace peregrine
