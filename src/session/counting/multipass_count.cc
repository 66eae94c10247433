#include "session/counting/multipass_count.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "analysis/stat/stat_table.h"
#include "base/result.h"
#include "capture/counter.h"
#include "capture/sampling/latency_tally.h"
#include "event/spec.h"
#include "session/session_listener.h"

namespace peregrine {

namespace {

// The plan without its events.
StatPlan plan_for(const StatPlan& plan, EventList events) {
  StatPlan part;
  part.events = std::move(events);
  part.target = plan.target;
  part.limits = plan.limits;
  part.command = plan.command;
  part.layout = plan.layout;
  part.delay_ms = plan.delay_ms;
  part.timeout_ms = plan.timeout_ms;
  part.before = plan.before;
  part.after = plan.after;
  part.sync = plan.sync;
  part.verbose = plan.verbose;
  part.sample_latencies = plan.sample_latencies;
  part.on_open = plan.on_open;
  return part;
}

bool is_multiplexed(const std::vector<CounterReading>& readings) {
  constexpr double kWhole = 0.999;  // allows for the time to enable and disable counters
  return std::ranges::any_of(readings, [](const CounterReading& reading) {
    return static_cast<double>(reading.running) < kWhole * static_cast<double>(reading.enabled);
  });
}

}  // namespace

Result<PassRun> run_pass(const StatPlan& whole, EventList events, SessionListener& listener) {
  auto session = StatSession::open(plan_for(whole, std::move(events)), listener);
  if (!session) return std::unexpected(std::move(session.error()));
  PEREGRINE_TRY((*session)->run({}));
  return PassRun{.events = (*session)->events(),
                 .supported = (*session)->supported(),
                 .readings = (*session)->last_readings(),
                 .times = (*session)->last_times(),
                 .workload = (*session)->workload(),
                 .ended_by = (*session)->ended_by()};
}

MultipassCount::MultipassCount(StatPlan plan, RunPass run, const std::function<bool(const EventList&)>& fits)
    : plan_(std::move(plan)),
      run_(std::move(run)),
      passes_(pack_passes(plan_.events, fits)),
      supported_(plan_.events.size(), true) {}

Result<bool> MultipassCount::round() {
  readings_.clear();
  latencies_.clear();
  for (std::size_t i = 0; i < passes_.size();) {
    auto done = run_one(i);
    if (!done) return std::unexpected(std::move(done.error()));
    if (ended_by_ != 0) return false;
    if (*done) ++i;
  }
  times_.latencies = latencies_;
  rounds_.push_back({readings_, times_});
  return true;
}

Result<bool> MultipassCount::rounds(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    auto whole = round();
    if (!whole) return whole;
    if (!*whole) break;
  }
  return !rounds_.empty();
}

Result<bool> MultipassCount::run_one(std::size_t index) {
  const EventPass pass = passes_[index];
  auto done = run_(plan_, events_of_pass(plan_.events, pass));
  if (!done) return std::unexpected(std::move(done.error()));
  ++runs_;
  ended_by_ = done->ended_by;
  exit_ = done->workload;
  if (ended_by_ == 0 && is_multiplexed(done->readings))
    if (auto halves = split_pass(plan_.events, pass); halves.size() == 2) {
      passes_[index] = std::move(halves[0]);
      passes_.insert(passes_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(halves[1]));
      return false;
    }
  if (index == 0) times_ = done->times;
  add(pass, std::move(*done));
  return true;
}

void MultipassCount::add(const EventPass& pass, PassRun done) {
  for (std::size_t i = 0; i < pass.size(); ++i) {
    const std::size_t leader = plan_.events[pass[i]].leader;
    supported_[pass[i]] = done.supported[i];
    plan_.events[pass[i]] = std::move(done.events[i]);
    plan_.events[pass[i]].leader = leader;
  }
  for (CounterReading reading : done.readings) {
    reading.event = pass[reading.event];
    readings_.push_back(reading);
  }
  for (LatencyReading reading : done.times.latencies) {
    reading.event = pass[reading.event];
    latencies_.push_back(reading);
  }
}

StatTable MultipassCount::table() const {
  StatTable table = new_stat_table(plan_, supported_);
  for (const Round& round : rounds_) table.add_run(round.readings, round.times);
  return table;
}

}  // namespace peregrine
