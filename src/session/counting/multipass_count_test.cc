#include "session/counting/multipass_count.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "base/types.h"

namespace peregrine {
namespace {

EventList events_named(std::initializer_list<const char*> names) {
  EventList events;
  for (const char* name : names) {
    EventSpec spec;
    spec.name = name;
    spec.leader = events.size();
    spec.attr.type = 1;
    spec.attr.config = events.size();
    events.push_back(std::move(spec));
  }
  return events;
}

auto counters_for(std::size_t count) {
  return [=](const EventList& events) { return events.size() <= count; };
}

// A command during which "a" occurs 100 times, "b" 101 times and so on. If there are more events than `counters`, they
// share counters.
class FakeCommand {
 public:
  explicit FakeCommand(std::size_t counters) : counters_(counters) {}
  MultipassCount::RunPass runner() {
    return [this](const StatPlan&, EventList events) -> Result<PassRun> {
      PassRun run;
      run.supported.assign(events.size(), true);
      const u64 running = events.size() <= counters_ ? 1000 : 500;
      std::string names;
      for (std::size_t i = 0; i < events.size(); ++i) {
        names += events[i].name;
        run.readings.push_back({i, -1, -1, u64{100} + static_cast<u64>(events[i].name[0] - 'a'), 1000, running});
      }
      runs.push_back(names);
      run.times.wall_ns = 1'000'000 * runs.size();
      run.ended_by = runs.size() == interrupted_at ? 2 : 0;
      run.events = std::move(events);
      return run;
    };
  }

  std::vector<std::string> runs;  // the events counted in each run
  std::size_t interrupted_at = 0;

 private:
  std::size_t counters_;
};

std::vector<double> counts_of(const MultipassCount& count) {
  const StatTable table = count.table();
  std::vector<double> counts;
  for (const StatRow& row : table.rows()) counts.push_back(row.count);
  return counts;
}

using Names = std::vector<std::string>;
using Counts = std::vector<double>;

StatPlan plan_of(EventList events) {
  StatPlan plan;
  plan.events = std::move(events);
  return plan;
}

TEST(MultipassCount, RunsTheCommandOnceForEachPass) {
  FakeCommand command(2);
  MultipassCount count(plan_of(events_named({"a", "b", "c"})), command.runner(), counters_for(2));
  EXPECT_TRUE(*count.round());
  EXPECT_EQ(command.runs, (Names{"ab", "c"}));
  EXPECT_EQ(count.passes(), 2u);
  EXPECT_EQ(counts_of(count), (Counts{100, 101, 102}));
}

TEST(MultipassCount, SplitsAPassThatWasMultiplexed) {
  FakeCommand command(1);
  MultipassCount count(plan_of(events_named({"a", "b", "c"})), command.runner(), counters_for(2));
  EXPECT_TRUE(*count.round());
  EXPECT_EQ(command.runs, (Names{"ab", "a", "b", "c"}));
  EXPECT_EQ(count.passes(), 3u);
  EXPECT_EQ(count.runs(), 4u);
  EXPECT_EQ(counts_of(count), (Counts{100, 101, 102}));
}

TEST(MultipassCount, TakesTheTimeOfTheFirstPass) {
  FakeCommand command(1);
  MultipassCount count(plan_of(events_named({"a", "b"})), command.runner(), counters_for(1));
  EXPECT_TRUE(*count.round());
  EXPECT_TRUE(*count.round());
  EXPECT_EQ(count.table().walls(), (Counts{1e6, 3e6}));
}

TEST(MultipassCount, DropsARoundThatWasInterrupted) {
  FakeCommand command(1);
  command.interrupted_at = 4;
  MultipassCount count(plan_of(events_named({"a", "b"})), command.runner(), counters_for(1));
  EXPECT_TRUE(*count.round());
  EXPECT_FALSE(*count.round());
  EXPECT_EQ(count.ended_by(), 2);
  EXPECT_EQ(count.table().runs(), 1u);
}

TEST(MultipassCount, EndsItsRoundsAtAnInterrupt) {
  FakeCommand command(1);
  MultipassCount whole(plan_of(events_named({"a", "b"})), command.runner(), counters_for(1));
  EXPECT_TRUE(*whole.rounds(3));
  EXPECT_EQ(whole.table().runs(), 3u);
  FakeCommand interrupted(1);
  interrupted.interrupted_at = 3;
  MultipassCount some(plan_of(events_named({"a", "b"})), interrupted.runner(), counters_for(1));
  EXPECT_TRUE(*some.rounds(3));
  EXPECT_EQ(some.table().runs(), 1u);
  FakeCommand at_once(1);
  at_once.interrupted_at = 1;
  MultipassCount none(plan_of(events_named({"a", "b"})), at_once.runner(), counters_for(1));
  EXPECT_FALSE(*none.rounds(3));
}

TEST(MultipassCount, PassesErrorsOn) {
  const auto broken = [](const StatPlan&, const EventList&) -> Result<PassRun> {
    return fail(ErrorKind::System, "no");
  };
  MultipassCount count(plan_of(events_named({"a"})), broken, counters_for(1));
  EXPECT_FALSE(count.round());
}

}  // namespace
}  // namespace peregrine
