#include "cmd/stat/stat_multipass.h"

#include <algorithm>

#include "base/text/counted.h"
#include "capture/perf_event/group_fit.h"
#include "cmd/events/open_log.h"
#include "cmd/stat/stat_plan.h"
#include "cmd/stat/stat_printer.h"
#include "cmd/stat/stat_run.h"
#include "event/config/event_pass.h"

namespace peregrine::cmd {

namespace {

Result<> check_passes(const StatRequest& request, const Invocation& call) {
  auto usage = [](std::string_view what) { return fail(ErrorKind::Usage, "{}", what); };
  if (call.words.empty()) return usage("--multipass repeats a command, and none was given");
  if (request.interval_ms != 0 || request.recorded) return usage("--multipass cannot be used with -I or stat record");
  if (request.repeat == 0) return usage("--multipass ends by itself: -r 0 has no meaning there");
  if (request.control) return usage("--multipass cannot be used with --control");
  return {};
}

// Everything of a plan but its events.
StatPlan plan_for(const StatPlan& plan, EventList events) {
  StatPlan part;
  part.events = std::move(events);
  part.target = plan.target;
  part.limits = plan.limits;
  part.command = plan.command;
  part.layout = plan.layout;
  part.delay_ms = plan.delay_ms;
  part.timeout_ms = plan.timeout_ms;
  part.verbose = plan.verbose;
  part.sample_latencies = plan.sample_latencies;
  part.on_open = plan.on_open;
  return part;
}

bool is_multiplexed(const std::vector<CounterReading>& readings) {
  constexpr double kWhole = 0.999;  // switching on and off takes a moment
  return std::ranges::any_of(readings, [](const CounterReading& reading) {
    return static_cast<double>(reading.running) < kWhole * static_cast<double>(reading.enabled);
  });
}

class Passes {
 public:
  Passes(StatPlan plan, const StatRequest& request, Messages& messages)
      : plan_(std::move(plan)),
        request_(request),
        messages_(messages),
        passes_(pack_passes(plan_.events, fits_together)),
        supported_(plan_.events.size(), true) {}

  // All passes once. False: interrupted.
  Result<bool> round() {
    readings_.clear();
    latencies_.clear();
    for (std::size_t i = 0; i < passes_.size();) {
      auto done = one(i);
      if (!done) return std::unexpected(std::move(done.error()));
      if (ended_by_ != 0) return false;
      if (*done) ++i;
    }
    times_.latencies = latencies_;
    rounds_.push_back({readings_, times_});
    return true;
  }

  StatTable table() const {
    StatTable table(plan_.events, supported_, plan_.layout);
    table.use_metrics([this](const EventList& events, std::size_t event, const StatPlaceCounts& place) {
      return plan_.metrics.owns(event) ? std::optional(plan_.metrics.metrics_at(events, event, place)) : std::nullopt;
    });
    for (const Round& round : rounds_) table.add_run(round.readings, round.times);
    return table;
  }
  std::size_t passes() const { return passes_.size(); }
  unsigned runs() const { return runs_; }
  int ended_by() const { return ended_by_; }
  const std::optional<WorkloadExit>& workload() const { return exit_; }

 private:
  struct Round {
    std::vector<CounterReading> readings;
    StatTimes times;
  };

  // One run. False: its counters were multiplexed, and the pass was split to be run again in two.
  Result<bool> one(std::size_t index) {
    const EventPass pass = passes_[index];
    auto session = StatSession::open(plan_for(plan_, events_of_pass(plan_.events, pass)), messages_);
    if (!session) return std::unexpected(std::move(session.error()));
    PEREGRINE_TRY(run_once(**session, request_, {}));
    ++runs_;
    ended_by_ = (*session)->ended_by();
    exit_ = (*session)->workload();
    if (ended_by_ == 0 && is_multiplexed((*session)->last_readings()))
      if (auto halves = split_pass(plan_.events, pass); halves.size() == 2) {
        passes_[index] = std::move(halves[0]);
        passes_.insert(passes_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(halves[1]));
        return false;
      }
    for (std::size_t i = 0; i < pass.size(); ++i) {
      const std::size_t leader = plan_.events[pass[i]].leader;
      supported_[pass[i]] = (*session)->supported()[i];
      plan_.events[pass[i]] = (*session)->events()[i];
      plan_.events[pass[i]].leader = leader;
    }
    for (CounterReading reading : (*session)->last_readings()) {
      reading.event = pass[reading.event];
      readings_.push_back(reading);
    }
    for (LatencyReading reading : (*session)->last_times().latencies) {
      reading.event = pass[reading.event];
      latencies_.push_back(reading);
    }
    if (index == 0) times_ = (*session)->last_times();
    return true;
  }

  StatPlan plan_;
  const StatRequest& request_;
  Messages& messages_;
  std::vector<EventPass> passes_;
  std::vector<bool> supported_;
  std::vector<CounterReading> readings_;
  std::vector<LatencyReading> latencies_;
  std::vector<Round> rounds_;
  StatTimes times_;  // of the first pass of this round
  std::optional<WorkloadExit> exit_;
  unsigned runs_ = 0;
  int ended_by_ = 0;
};

}  // namespace

Result<int> run_multipass(StatRequest& request, Invocation& call) {
  PEREGRINE_TRY(check_passes(request, call));
  PEREGRINE_TRY(check_consistency(request, call));
  auto destination = StatDestination::open(request);
  if (!destination) return std::unexpected(std::move(destination.error()));
  auto plan = make_plan(request, call);
  if (!plan) return std::unexpected(std::move(plan.error()));
  const bool of_workload = plan->target.kind == TargetKind::Workload;
  OpenLog log(call.config, call.messages, request.verbose > 1);
  plan->on_open = log.listener();
  Passes passes(std::move(*plan), request, call.messages);
  bool rounds = false;
  for (unsigned i = 0; i < request.repeat; ++i) {
    auto whole = passes.round();
    if (!whole) return std::unexpected(std::move(whole.error()));
    if (!*whole) break;
    rounds = true;
  }
  Sink out(destination->fd());
  StatPrinter printer(request, call.config, describe_target(request, call.words), of_workload, out);
  if (destination->is_file()) printer.start_time();
  const StatTable table = passes.table();
  if (rounds && !request.quiet) {
    printer.total(table, passes.workload());
    printer.finish(&table, passes.workload());
    const bool for_people = !request.separator && !request.json;
    if (for_people || (request.verbose > 0 && !request.json))
      out.format(" # {}, {} of the command{}\n\n", counted(passes.passes(), "pass", "passes"),
                 counted(passes.runs(), "run"),
                 passes.passes() == 1 ? "" : "; counts of different passes come from different runs");
  }
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  if (passes.ended_by() != 0) return 128 + passes.ended_by();
  return passes.workload() && passes.workload()->exited() ? passes.workload()->code() : 0;
}

}  // namespace peregrine::cmd
