// A replay into an interpreter that logs its calls.
#include "script/script_sink.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"
#include "support/built_recording.h"
#include "support/perf_data_builder.h"

namespace peregrine::script {
namespace {

using support::PerfDataBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NotedCalls final : public Interpreter {
 public:
  std::vector<std::string> calls;
  u64 last_time = ~u64{0};       // the script ends after a sample with this time
  std::string taken = "cycles";  // the event with a handler
  bool inside = false;           // between enter() and leave()

  bool start() override { return true; }
  Hooks hooks() const override { return {.throttle = true, .context_switch = true}; }
  bool add_event(const EventPlan& plan) override {
    calls.push_back("event " + plan.name);
    return plan.name == taken;
  }
  bool enter() override { return inside = true; }
  void leave() override { inside = false; }
  bool sample(const ReplaySample& sample) override {
    note(fmt::format("sample {}", sample.sample.time));
    return sample.sample.time != last_time;
  }
  bool throttle(const abi::ThrottleRecord& record, const abi::SampleId&) override {
    note(record.throttled ? "throttle" : "unthrottle");
    return true;
  }
  bool context_switch(const abi::SwitchRecord& record, const abi::SampleId&) override {
    note(record.out ? "switch out" : "switch in");
    return true;
  }
  bool auxtrace_error(const AuxtraceError& error) override {
    note(fmt::format("error {} on {}", error.message, error.cpu));
    return true;
  }
  bool reading(const Reading& reading) override {
    note(fmt::format("{} cpu={} thread={} {}/{}/{}", reading.event, reading.cpu, reading.thread, reading.value,
                     reading.enabled, reading.running));
    return true;
  }
  bool interval(u64 time) override {
    note(fmt::format("interval {}", time));
    return true;
  }
  bool finish() override { return true; }
  Ended ended() const override { return {}; }

 private:
  void note(std::string call) { calls.push_back(inside ? std::move(call) : "outside of a slice: " + call); }
};

class ScriptSinkTest : public ::testing::Test {
 protected:
  ScriptSinkTest() {
    builder.attr({{"type", 0}, {"sample", "ip,tid,time,id"}, {"flags", "sample_id_all"}, {"ids", 1}});
  }

  void sample(u64 time, u64 id = 1) {
    builder.record("sample", {{"ip", 0x1000}, {"pid", 7}, {"tid", 7}, {"time", time}, {"id", id}, {"misc", 2}}, id - 1);
  }
  std::vector<std::string> replayed(EventSwitch gate = {}) {
    data::Reader reader = support::open_built(builder);
    SymbolPlaces places;
    places.load = false;
    Machine machine(places);
    SourceTable sources(machine.dsos(), true);
    ReplayAnswers answers(machine.dsos(), sources, abi::Arch::X86, 127, [](std::string_view) { return std::nullopt; });
    const TraceFormats formats;
    ScriptSink sink(interpreter, answers, reader.evlist(), formats);
    sink.set_names([&] {
      std::vector<std::string> names{"cycles"};
      for (std::size_t i = 1; i < reader.evlist().size(); ++i) names.push_back(fmt::format("other{}", i));
      return names;
    });
    sink.set_switch(gate);
    ReplayOptions options;
    options.workers = 1;
    options.every_record = true;
    options.shown = ScriptSink::shown(interpreter.hooks());
    Replay replay(reader, machine, options);
    EXPECT_TRUE(replay.run(sink));
    stopped = sink.stopped();
    return interpreter.calls;
  }
  // A counter's value on a CPU.
  void counted(u64 cpu, u64 thread, u64 value) {
    builder.record(
        "stat",
        {{"of_id", 1}, {"on_cpu", cpu}, {"thread", thread}, {"count", value}, {"enabled", 20}, {"running", 10}});
  }

  PerfDataBuilder builder;
  NotedCalls interpreter;
  bool stopped = false;
};

TEST_F(ScriptSinkTest, EventsArePlannedOnceBeforeTheirSamples) {
  sample(5);
  sample(6);
  EXPECT_THAT(replayed(), ElementsAre("event cycles", "sample 5", "sample 6"));
  EXPECT_FALSE(stopped);
}

TEST_F(ScriptSinkTest, SamplesOfEventsWithoutHandlerAreLeftOut) {
  builder.attr({{"type", 0}, {"config", 1}, {"sample", "ip,tid,time,id"}, {"flags", "sample_id_all"}, {"ids", 2}});
  sample(5, 2);
  sample(6, 1);
  EXPECT_THAT(replayed(), ElementsAre("event cycles", "event other1", "sample 6"));
}

TEST_F(ScriptSinkTest, AScriptThatEndsGetsNothingMore) {
  interpreter.last_time = 5;
  sample(5);
  sample(6);
  EXPECT_THAT(replayed(), ElementsAre("event cycles", "sample 5"));
  EXPECT_TRUE(stopped);
}

TEST_F(ScriptSinkTest, TheSwitchOpensAndClosesAtItsEvents) {
  builder.attr({{"type", 0}, {"config", 1}, {"sample", "ip,tid,time,id"}, {"flags", "sample_id_all"}, {"ids", 2}});
  for (const auto& [time, id] : {std::pair(4, 1), std::pair(5, 2), std::pair(6, 1), std::pair(7, 2), std::pair(8, 1)})
    sample(static_cast<u64>(time), static_cast<u64>(id));
  EXPECT_THAT(replayed(EventSwitch(1, 1, false)), ElementsAre("event cycles", "event other1", "sample 6"));
}

TEST_F(ScriptSinkTest, SideBandWithAHookComesInOrderWithTheSamples) {
  sample(4);
  builder.record("throttle", {{"at", 5}, {"event_id", 1}, {"time", 5}, {"id", 1}});
  builder.record("switch", {{"pid", 7}, {"tid", 7}, {"time", 6}, {"id", 1}, {"misc", 0x2000}});
  builder.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "x"}, {"time", 6}, {"id", 1}});
  sample(7);
  EXPECT_THAT(replayed(), ElementsAre("event cycles", "sample 4", "throttle", "switch out", "sample 7"));
}

TEST_F(ScriptSinkTest, CountsArePassedPerCpuAndThreadAtTheEndOfARound) {
  builder.record("thread_map", {{"count", 2},
                                {"entries",
                                 "0b0000000000000000000000000000000000000000000000"
                                 "0c0000000000000000000000000000000000000000000000"}});
  counted(0, 0, 100);
  counted(1, 1, 50);
  counted(0, 0, 130);  // running totals: the last one counts
  builder.record("stat_round", {{"at", 9}});
  EXPECT_THAT(replayed(), ElementsAre("event cycles", "cycles cpu=0 thread=11 130/20/10",
                                      "cycles cpu=1 thread=12 50/20/10", "interval 9"));
}

TEST_F(ScriptSinkTest, CountsOfASummedRecordingAreOneReading) {
  builder.record("stat_config", {{"count", 1}, {"entries", "00000000000000000100000000000000"}});
  counted(0, 0, 100);
  counted(1, 0, 50);
  builder.record("stat_round", {{"at", 9}});
  EXPECT_THAT(replayed(), ElementsAre("event cycles", "cycles cpu=-1 thread=-1 150/40/20", "interval 9"));
}

TEST_F(ScriptSinkTest, CountsOfUnknownEventsAreDropped) {
  builder.record("stat", {{"of_id", 77}, {"on_cpu", 0}, {"count", 1}});
  builder.record("stat_round", {{"at", 9}});
  EXPECT_THAT(replayed(), ElementsAre("event cycles", "interval 9"));
}

TEST(ScriptSinkShown, OnlyTheRecordsThatHooksTakeAreRequested) {
  EXPECT_TRUE(ScriptSink::shown({}).none());
  const auto types = ScriptSink::shown({.unthrottle = true, .context_switch = true});
  EXPECT_EQ(types.count(), 3u) << "both kinds of context switches";
  EXPECT_TRUE(types[static_cast<std::size_t>(abi::RecordType::Unthrottle)]);
  EXPECT_FALSE(types[static_cast<std::size_t>(abi::RecordType::Throttle)]);
}

}  // namespace
}  // namespace peregrine::script
