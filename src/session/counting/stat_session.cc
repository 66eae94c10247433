#include "session/counting/stat_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <expected>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "abi/attr.h"
#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "base/number/whole_number.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "capture/perf_event/breakpoint_symbol.h"
#include "capture/perf_event/group_fit.h"
#include "capture/sampling/latency_tally.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "event/tracepoint/value_field.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kStatTargetCheck{100};  // how often to check whether threads of -p and -t are alive
constexpr milliseconds kLatencyCheck{100};     // how often to read samples of retire latencies

u64 as_ns(const timeval& time) {
  return static_cast<u64>(time.tv_sec) * 1'000'000'000 + static_cast<u64>(time.tv_usec) * 1000;
}

Result<> run_shell(const std::string& command) {
  if (command.empty()) return {};
  const int status = std::system(command.c_str());
  if (status != 0) return fail(ErrorKind::System, "the command '{}' failed", command);
  return {};
}

}  // namespace

Result<std::unique_ptr<StatSession>> StatSession::open(StatPlan plan, SessionListener& listener) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  return std::unique_ptr<StatSession>(new StatSession(std::move(plan), listener, std::move(*watch)));
}

StatTable new_stat_table(const StatPlan& plan, std::vector<bool> supported) {
  StatTable table(plan.events, std::move(supported), plan.layout);
  table.use_metrics([&plan](const EventList& events, std::size_t event, const StatPlaceCounts& place) {
    return plan.metrics.owns(event) ? std::optional(plan.metrics.metrics_at(events, event, place)) : std::nullopt;
  });
  return table;
}

std::vector<ValueDistribution> StatSession::interval_distributions() const {
  std::vector<ValueDistribution> made;
  for (std::size_t i = 0; i < interval_slots_.size(); ++i) {
    const ValueField& field = plan_.value_fields[i];
    made.emplace_back(field.name, field.field.is_signed, plan_.value_bounds).add(interval_slots_[i]);
  }
  return made;
}

StatTable StatSession::last_run() const {
  StatTable table = new_stat_table(plan_, supported_);
  table.add_run(last_readings_, last_times_);
  return table;
}

Result<> StatSession::run(const OnInterval& on_interval) {
  PEREGRINE_TRY(run_shell(plan_.before));
  if (plan_.sync) ::sync();
  PEREGRINE_TRY(run_once(on_interval));
  return run_shell(plan_.after);
}

Result<> StatSession::repeat(unsigned runs, const OnInterval& on_interval, const std::function<void()>& after_each) {
  for (unsigned i = 0; runs == 0 || i < runs; ++i) {
    PEREGRINE_TRY(run(on_interval));
    if (runs == 0) after_each();
    if (signal_ != 0) break;
  }
  return {};
}

void StatSession::tell_ended_runs() const {
  if (plan_.command.empty() || plan_.interval_count != 0) return;
  listener_.verbatim(ended_runs_.text(plan_.command.front()));
}

Result<> StatSession::run_once(const OnInterval& on_interval) {
  std::optional<Workload> workload;
  if (!plan_.command.empty()) {
    auto started = Workload::start(plan_.command, watch_.previous_mask());
    if (!started) return std::unexpected(std::move(started.error()));
    workload.emplace(std::move(*started));
    watch_.set_workload(workload->fd());
    if (plan_.target.kind == TargetKind::Workload) plan_.target.set_workload(workload->pid());
  }
  if (plan_.control) watch_.set_control(plan_.control->fd());
  std::vector<std::string> warnings;
  // Commands are given, and readings recorded, for the events that have kernel ids.
  const bool by_number = plan_.control || plan_.recording;
  auto counters = CounterSet::open(plan_.events, plan_.target, plan_.limits, warnings, plan_.on_open,
                                   by_number ? TracepointMeans::PerfEvent : TracepointMeans::Fastest, plan_.bpf);
  if (!counters) return std::unexpected(std::move(counters.error()));
  open_latencies();
  // The first of several runs (-r) decides what is supported and warns; later runs only add up.
  if (!total_) {
    for (const std::string& warning : warnings) listener_.warning(warning);
    advise_on_groups(*counters);
    if (plan_.verbose && !counters->means().empty()) listener_.verbatim(counters->means() + "\n");
    for (std::size_t i = 0; i < plan_.events.size(); ++i) {
      const EventSpec& spec = plan_.events[i];
      const bool known = spec.tool != ToolEvent::None && (spec.tool != ToolEvent::Machine || spec.number);
      const bool no_latency = spec.retire_latency && latency_error_ != 0 && !spec.usual_latency;
      supported_.push_back(!no_latency && (known || counters->supported(i)));
      errors_.push_back(no_latency ? std::max(latency_error_, 0) : counters->error_of(i));
    }
    total_.emplace(new_stat_table(plan_, supported_));
    for (const ValueField& field : plan_.value_fields)
      distributions_.emplace_back(field.name, field.field.is_signed, plan_.value_bounds);
  }
  if (!plan_.value_fields.empty())
    PEREGRINE_TRY(counters->open_values(plan_.value_fields, plan_.value_bounds, plan_.target, plan_.limits));
  PEREGRINE_TRY(counters->set_filters(plan_.events));

  PEREGRINE_TRY(open_recording(*counters));
  auto counted = count(*counters, workload, on_interval);
  if (!counted || !writer_) return counted;
  return writer_->finish();
}

void StatSession::open_latencies() {
  latencies_.reset();
  if (!plan_.sample_latencies || latency_error_ != 0) return;
  const bool inherited =
      std::ranges::any_of(plan_.events, [](const EventSpec& spec) { return spec.attr.has(abi::attr_flag::Inherit); });
  const RetireLatencyOptions options{.at_exec = plan_.delay_ms == 0,
                                     .children = inherited,
                                     .by_thread = plan_.layout.aggregation == StatAggregation::Thread};
  auto sampler = RetireLatencySampler::open(plan_.events, plan_.target, plan_.limits, options);
  if (sampler) {
    latencies_.emplace(std::move(*sampler));
    return;
  }
  const Error& error = sampler.error();
  latency_error_ = error.system_errno != 0 ? error.system_errno : -1;
  latency_account_.emplace();
  listener_.warning(fmt::format("retire latencies cannot be sampled: {}", error.message), error.hint);
}

Result<> StatSession::end_latencies() {
  if (!latencies_) return {};
  PEREGRINE_TRY(latencies_->stop());
  latencies_->drain();
  if (!latency_account_) latency_account_.emplace();
  latency_account_->lost += latencies_->lost();
  for (const LatencyReading& reading : latencies_->since_start()) {
    latency_account_->samples += reading.tally.samples;
    latency_account_->all_zero = latency_account_->all_zero && reading.tally.max == 0;
  }
  return {};
}

void StatSession::advise_on_groups(const CounterSet& counters) const {
  for (std::size_t leader = 0; leader < plan_.events.size(); ++leader) {
    const std::size_t size = is_leader(plan_.events, leader) ? plan_.events[leader].group_size : 1;
    bool refused = false;
    for (std::size_t i = leader + 1; i < leader + size; ++i) refused = refused || counters.error_of(i) == EINVAL;
    if (!refused || !counters.supported(leader)) continue;
    if (const std::string advice = group_advice(plan_.events, leader); !advice.empty()) listener_.warning(advice);
  }
}

Result<> StatSession::count(CounterSet& counters, std::optional<Workload>& workload, const OnInterval& on_interval) {
  const bool by_thread = plan_.target.kind == TargetKind::Threads && plan_.target.processes.empty();
  sensors_.emplace(Root(), plan_.events, by_thread ? plan_.target.threads : plan_.target.processes);
  sensors_->start();
  start_ = Clock::now();
  last_interval_.clear();
  value_slots_.clear();
  last_interval_end_ = 0;
  exit_.reset();
  PEREGRINE_TRY(start_counting(counters, workload));
  PEREGRINE_TRY(wait(counters, workload, on_interval));
  end_ = Clock::now();
  PEREGRINE_TRY(counters.disable());
  PEREGRINE_TRY(end_latencies());
  if (workload) {
    PEREGRINE_TRY(workload->exec_result());
    exit_ = workload->wait();
    ended_runs_.add(*exit_);
  }

  const std::vector<CounterReading> readings = counters.read();
  for (std::size_t i = 0; i < distributions_.size(); ++i) distributions_[i].add(counters.value_slots(i));
  if (const u64 missed = counters.missed(); missed != 0)
    listener_.warning(fmt::format("{} not counted: the BPF program was still running",
                                  counted(missed, "tracepoint hit was", "tracepoint hits were")));
  if (plan_.interval_ms != 0) PEREGRINE_TRY(end_interval(counters, on_interval));
  if (plan_.verbose)
    for (const CounterReading& reading : readings)
      listener_.verbatim(fmt::format("{}: {} {} {}\n", plan_.events[reading.event].name, reading.value, reading.enabled,
                                     reading.running));
  last_readings_ = readings;
  last_times_ = times();
  total_->add_run(readings, last_times_);
  return plan_.interval_ms == 0 ? record(readings, last_times_, true) : Result<>();
}

Result<> StatSession::open_recording(const CounterSet& counters) {
  if (!plan_.recording) return {};
  const Root root;
  std::vector<std::string> comms;
  for (const Pid thread : plan_.target.threads) comms.push_back(comm_of(root, thread).value_or(""));
  auto writer = StatWriter::create(root, *plan_.recording, plan_.events, counters, plan_.target, comms);
  if (!writer) return std::unexpected(std::move(writer.error()));
  writer_.emplace(std::move(*writer));
  return {};
}

Result<> StatSession::record(std::vector<CounterReading> readings, const StatTimes& times, bool last) {
  if (!writer_) return {};
  for (std::size_t event = 0; event < plan_.events.size(); ++event) {
    if (plan_.events[event].tool == ToolEvent::None) continue;
    if (plan_.events[event].tool == ToolEvent::RetireLatency) {
      const LatencyTally tally = latency_of(event, times.latencies);
      const double latency = retire_latency(plan_.events[event], tally, plan_.layout.latency);
      if (supported_[event]) readings.push_back({event, -1, -1, whole_number(std::round(latency)), 1, 1});
      continue;
    }
    if (!plan_.events[event].is_tool_time()) {
      const u64 value = plan_.events[event].number.value_or(times.sensors[event]);
      readings.push_back({event, -1, -1, value, 1, 1});
      continue;
    }
    const u64 ns = tool_time(plan_.events[event].tool, times);
    readings.push_back({event, -1, -1, ns, ns, ns});
  }
  return writer_->add_round(readings, times.duration_ns, last);
}

Result<> StatSession::start_counting(CounterSet& counters, std::optional<Workload>& workload) {
  // By exec: the kernel enables the events at the exec of the command, so that they do not count our code before it.
  const bool by_exec = workload && plan_.target.kind == TargetKind::Workload && plan_.delay_ms == 0;
  if (!by_exec && plan_.delay_ms == 0) PEREGRINE_TRY(enable(counters));
  start_ = Clock::now();
  if (workload) PEREGRINE_TRY(release(counters, *workload));
  if (plan_.delay_ms == 0) return {};
  listener_.verbatim("Events disabled\n");
  if (plan_.delay_ms < 0) return {};
  const auto until = start_ + milliseconds(plan_.delay_ms);
  while (Clock::now() < until && signal_ == 0 && !told_to_stop_) {
    auto goes_on = sleep_until(until, counters, workload);
    if (!goes_on) return std::unexpected(std::move(goes_on.error()));
    if (!*goes_on) break;
  }
  PEREGRINE_TRY(enable(counters));
  listener_.verbatim("Events enabled\n");
  start_ = Clock::now();
  return {};
}

Result<> StatSession::enable(CounterSet& counters) {
  if (latencies_) PEREGRINE_TRY(latencies_->start());
  return counters.enable();
}

Result<> StatSession::release(CounterSet& counters, Workload& workload) {
  if (plan_.target.kind != TargetKind::Workload || !has_named_breakpoint(plan_.events)) return workload.let_go();
  return workload.release_held(
      [&] { return move_breakpoints(Root(), workload.pid(), counters.matrix(), plan_.events); });
}

Result<> StatSession::wait(CounterSet& counters, std::optional<Workload>& workload, const OnInterval& on_interval) {
  const auto none = Clock::time_point::max();
  auto next_interval = plan_.interval_ms != 0 ? start_ + milliseconds(plan_.interval_ms) : none;
  const auto deadline = plan_.timeout_ms != 0 ? start_ + milliseconds(plan_.timeout_ms) : none;
  const bool watches_target = !workload && plan_.target.kind == TargetKind::Threads;
  while (signal_ == 0 && !told_to_stop_) {
    auto wake = std::min(next_interval, deadline);
    if (watches_target) wake = std::min(wake, Clock::now() + kStatTargetCheck);
    if (latencies_) wake = std::min(wake, Clock::now() + kLatencyCheck);
    auto goes_on = sleep_until(wake, counters, workload);
    if (!goes_on) return std::unexpected(std::move(goes_on.error()));
    if (!*goes_on) return {};
    if (latencies_) latencies_->drain();
    if (watches_target && targets_are_gone()) return {};
    const auto later = Clock::now();
    if (later >= next_interval) {
      PEREGRINE_TRY(end_interval(counters, on_interval));
      // From the time at which it was due, so that delays do not add up.
      next_interval += milliseconds(plan_.interval_ms);
      if (plan_.interval_count != 0 && intervals_ >= plan_.interval_count) break;
    }
    if (later >= deadline) break;
  }
  if (workload && !workload->ended_now()) workload->send(signal_ == 0 ? SIGTERM : signal_);
  return {};
}

Result<bool> StatSession::sleep_until(Clock::time_point until, CounterSet& counters,
                                      std::optional<Workload>& workload) {
  const auto now = Clock::now();
  if (workload && workload->fd() < 0) until = std::min(until, now + kStatTargetCheck);
  const milliseconds left = until == Clock::time_point::max()
                                ? milliseconds(-1)
                                : std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - now));
  auto seen = watch_.wait(left);
  if (!seen) return std::unexpected(std::move(seen.error()));
  if (!seen->signals.empty()) signal_ = seen->signals.back();
  if (seen->steered) PEREGRINE_TRY(obey(counters));
  return !seen->workload && !(workload && workload->ended_now());
}

Result<> StatSession::obey(CounterSet& counters) {
  for (const ControlCommand& command : plan_.control->read()) {
    auto said = counters.obey(command, plan_.events);
    if (!said) return std::unexpected(std::move(said.error()));
    if (!said->empty()) listener_.verbatim(*said);
    if (latencies_ && command.verb == ControlCommand::Verb::Enable) PEREGRINE_TRY(latencies_->start());
    if (latencies_ && command.verb == ControlCommand::Verb::Disable) PEREGRINE_TRY(latencies_->stop());
    told_to_stop_ |= command.verb == ControlCommand::Verb::Stop;
    plan_.control->acknowledge();
  }
  watch_.set_control(plan_.control->fd());
  return {};
}

Result<> StatSession::end_interval(CounterSet& counters, const OnInterval& on_interval) {
  if (plan_.interval_count != 0 && intervals_ >= plan_.interval_count) return {};
  ++intervals_;
  std::vector<CounterReading> readings = counters.read();
  value_slots_.resize(plan_.value_fields.size());
  interval_slots_.assign(plan_.value_fields.size(), {});
  for (std::size_t i = 0; i < value_slots_.size(); ++i) {
    std::vector<u64> now = counters.value_slots(i);
    value_slots_[i].resize(now.size(), 0);
    std::ranges::transform(now, value_slots_[i], std::back_inserter(interval_slots_[i]), std::minus());
    value_slots_[i] = std::move(now);
  }
  const auto since_start = static_cast<u64>(std::chrono::duration_cast<nanoseconds>(Clock::now() - start_).count());
  StatTable table = new_stat_table(plan_, supported_);
  // Rates are per nominal interval, as in linux-perf, including the last, shorter one.
  table.add_run(readings_since(readings, last_interval_),
                {.wall_ns = u64{plan_.interval_ms} * 1'000'000,
                 .duration_ns = since_start - last_interval_end_,
                 .sensors = sensors_->since_last(),
                 .latencies = latencies_ ? latencies_->since_last() : std::vector<LatencyReading>()});
  on_interval(table, since_start);
  PEREGRINE_TRY(
      record(readings,
             {.duration_ns = since_start, .sensors = sensors_->since_start(), .latencies = latencies_so_far()}, false));
  last_interval_ = std::move(readings);
  last_interval_end_ = since_start;
  return {};
}

std::vector<LatencyReading> StatSession::latencies_so_far() const {
  return latencies_ ? latencies_->since_start() : std::vector<LatencyReading>();
}

StatTimes StatSession::times() const {
  StatTimes times;
  times.wall_ns = static_cast<u64>(std::chrono::duration_cast<nanoseconds>(end_ - start_).count());
  times.duration_ns = times.wall_ns;
  times.sensors = sensors_->since_start();
  times.latencies = latencies_so_far();
  if (exit_) {
    times.user_ns = as_ns(exit_->usage.ru_utime);
    times.system_ns = as_ns(exit_->usage.ru_stime);
  }
  return times;
}

bool StatSession::targets_are_gone() const {
  const Root root;
  return std::ranges::none_of(plan_.target.threads, [&](Pid thread) { return status_of(root, thread).has_value(); });
}

}  // namespace peregrine
