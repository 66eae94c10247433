#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profile/profile.h"
#include "base/types.h"
#include "output/profile/chrome.h"
#include "output/profile/firefox.h"
#include "output/profile/speedscope.h"
#include "output/sink.h"
#include "support/profile_words.h"

namespace peregrine {
namespace {

using nlohmann::json;
using support::ProfileWords;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

json firefox(const Profile& profile, bool by_count = false) {
  Sink out;
  print_firefox_profile(out, profile, by_count);
  return json::parse(out.take());
}
json speedscope(const Profile& profile, bool by_count = false) {
  Sink out;
  print_speedscope(out, profile, by_count);
  return json::parse(out.take());
}
json chrome(const Profile& profile) {
  Sink out;
  print_chrome_trace(out, profile);
  return json::parse(out.take());
}

// Two threads, a clock and a counted event, with all kinds of frames.
ProfileWords mixed_profile() {
  ProfileWords words;
  words.profile.events.push_back({.name = "faults", .nanoseconds = false, .instant = false, .samples = 0, .period = 0});
  const u32 load = words.thread("load", 7, 7), other = words.thread("idle\"", 7, 9);
  words.sample(load, {"main@m.c:3", "i:min@m.h:9", "k:sys"}, 1'000, 10'000);
  words.sample(other, {"main@m.c:3", "?", "j:jitted"}, 2'000, 12'500);
  words.sample(load, {}, 1'000, 20'000);
  words.sample(load, {"main@m.c:3", "k:sys"}, 5, 21'000, 1);
  words.sample(other, {"main@m.c:4"}, 2'000, 3'012'500);
  return words;
}

// The members of a table are columns: arrays of `length` values.
void expect_columns(const json& table, std::size_t length) {
  EXPECT_EQ(table.at("length"), length);
  for (const auto& [name, column] : table.items()) {
    if (column.is_array()) {
      EXPECT_EQ(column.size(), length) << name;
    }
  }
}
void expect_below(const json& numbers, std::size_t limit, std::string_view what) {
  for (const json& number : numbers)
    if (!number.is_null()) {
      EXPECT_LT(number.get<std::size_t>(), limit) << what;
    }
}

TEST(FirefoxTables, ReferToEntriesThatExist) {
  const json profile = firefox(mixed_profile().profile);
  const std::size_t categories = profile["meta"]["categories"].size(), libraries = profile["libs"].size();
  ASSERT_EQ(profile["threads"].size(), 3u) << "one for each thread and event";
  for (const json& thread : profile["threads"]) {
    SCOPED_TRACE(thread["name"]);
    const json &stacks = thread["stackTable"], &frames = thread["frameTable"], &functions = thread["funcTable"];
    const std::size_t strings = thread["stringArray"].size();
    for (const std::string_view table : {"samples", "stackTable", "frameTable", "funcTable", "resourceTable"})
      expect_columns(thread[table], thread[table]["length"]);
    expect_below(thread["samples"]["stack"], stacks["length"], "stack");
    expect_below(stacks["frame"], frames["length"], "frame");
    expect_below(stacks["category"], categories, "category");
    expect_below(frames["func"], functions["length"], "function");
    expect_below(functions["name"], strings, "name");
    expect_below(functions["fileName"], strings, "file");
    expect_below(functions["resource"], thread["resourceTable"]["length"], "resource");
    expect_below(thread["resourceTable"]["name"], strings, "name of a resource");
    expect_below(thread["resourceTable"]["lib"], libraries, "library");
    for (std::size_t at = 0; at < stacks["length"]; ++at)
      if (!stacks["prefix"][at].is_null()) {
        EXPECT_LT(stacks["prefix"][at], at) << "readers go through the table once";
      }
  }
}

TEST(FirefoxTables, FramesHaveTheirKindLineAndFile) {
  const json profile = firefox(mixed_profile().profile);
  const json& categories = profile["meta"]["categories"];
  const auto frames_of = [&](const json& thread) {
    std::vector<std::string> found;
    const json &frames = thread["frameTable"], &functions = thread["funcTable"];
    for (std::size_t at = 0; at < frames["length"]; ++at) {
      const std::size_t function = frames["func"][at], category = frames["category"][at];
      const json &file = functions["fileName"][function], &line = frames["line"][at];
      found.push_back(fmt::format(
          "{} {} {}:{}{}", thread["stringArray"][functions["name"][function].get<std::size_t>()].get<std::string>(),
          categories[category]["name"].get<std::string>(),
          file.is_null() ? "" : thread["stringArray"][file.get<std::size_t>()].get<std::string>(), line.dump(),
          frames["inlineDepth"][at] == 1 ? " inlined" : ""));
    }
    return found;
  };
  EXPECT_THAT(frames_of(profile["threads"][0]),
              ElementsAre("main User m.c:3", "min User m.h:9 inlined", "sys Kernel :null"));
  EXPECT_THAT(frames_of(profile["threads"][1]),
              ElementsAre("main User m.c:3", "[prog] Other :null", "jitted JIT :null", "main User m.c:4"));
}

TEST(FirefoxTables, WeightsAreMillisecondsOfClocksAndElseNumbers) {
  const auto weights = [](const json& profile) {
    std::vector<std::string> found;
    for (const json& thread : profile["threads"])
      found.push_back(thread["samples"]["weightType"].get<std::string>() + ' ' + thread["samples"]["weight"].dump());
    return found;
  };
  EXPECT_THAT(weights(firefox(mixed_profile().profile)),
              ElementsAre("tracing-ms [0.001,0.001]", "tracing-ms [0.002,0.002]", "samples [5]"));
  EXPECT_THAT(weights(firefox(mixed_profile().profile, true)),
              ElementsAre("samples [1,1]", "samples [1,1]", "samples [1]"));
}

TEST(FirefoxTables, TimesBeginAtTheFirstSample) {
  const json profile = firefox(mixed_profile().profile);
  EXPECT_THAT(profile["threads"][0]["samples"]["time"], ElementsAre(0.0, 0.01));
  EXPECT_THAT(profile["threads"][1]["samples"]["time"], ElementsAre(0.0025, 3.0025));
  EXPECT_EQ(profile["threads"][1]["registerTime"], 0.0025);
  EXPECT_EQ(profile["threads"][0]["samples"]["stack"][1], nullptr) << "a sample without a stack";
}

TEST(FirefoxTables, ThreadsAreNamedAfterTheirEventOnlyIfThereAreSeveral) {
  const json several = firefox(mixed_profile().profile);
  EXPECT_EQ(several["threads"][1]["name"], "idle\" (cpu-clock)");
  EXPECT_EQ(several["threads"][2]["name"], "load (faults)");
  EXPECT_EQ(several["threads"][0]["isMainThread"], true);
  EXPECT_EQ(several["threads"][1]["isMainThread"], false);
  ProfileWords one;
  one.sample(one.thread("load", 7, 7), {"main"}, 1, 1);
  EXPECT_EQ(firefox(one.profile)["threads"][0]["name"], "load");
}

TEST(FirefoxTables, LibrariesHaveTheirBuildIdOrNone) {
  const json libraries = firefox(mixed_profile().profile)["libs"];
  EXPECT_EQ(libraries[0]["path"], "/opt/prog");
  EXPECT_EQ(libraries[0]["codeId"], "00ff");
  EXPECT_EQ(libraries[1]["codeId"], nullptr);
}

TEST(FirefoxTables, AProfileWithoutSamplesHasNoThreads) {
  EXPECT_THAT(firefox(ProfileWords().profile)["threads"], IsEmpty());
}

TEST(SpeedscopeProfiles, HaveAWeightForEachSampleAndKnownFrames) {
  for (const bool timed : {true, false}) {
    SCOPED_TRACE(timed);
    ProfileWords words = mixed_profile();
    words.profile.timed = timed;
    const json file = speedscope(words.profile);
    EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    ASSERT_EQ(file["profiles"].size(), timed ? 3u : 2u) << "one for each track, or each event";
    for (const json& profile : file["profiles"]) {
      EXPECT_EQ(profile["type"], "sampled");
      EXPECT_EQ(profile["samples"].size(), profile["weights"].size());
      u64 sum = 0;
      for (const json& weight : profile["weights"]) sum += weight.get<u64>();
      EXPECT_EQ(sum, profile["endValue"].get<u64>() - profile["startValue"].get<u64>()) << profile["name"];
      for (const json& stack : profile["samples"]) expect_below(stack, file["shared"]["frames"].size(), "frame");
    }
  }
}

TEST(SpeedscopeProfiles, CountSamplesOnRequest) {
  ProfileWords words = mixed_profile();
  const json timed = speedscope(words.profile, true)["profiles"][1];
  EXPECT_EQ(timed["unit"], "none");
  EXPECT_THAT(timed["weights"], ElementsAre(1, 1));
  words.profile.timed = false;
  const json sums = speedscope(words.profile, true)["profiles"][0];
  EXPECT_EQ(sums["endValue"], 4);
}

TEST(SpeedscopeProfiles, FramesHaveTheirFileAndLineOrTheirDso) {
  const json frames = speedscope(mixed_profile().profile)["shared"]["frames"];
  EXPECT_EQ(frames[0], (json{{"name", "main"}, {"file", "m.c"}, {"line", 3}}));
  EXPECT_EQ(frames[2], (json{{"name", "sys"}, {"file", "[kernel.kallsyms]"}}));
  EXPECT_EQ(frames[3], (json{{"name", "[prog]"}, {"file", "/opt/prog"}}));
}

TEST(SpeedscopeProfiles, UnknownDsosAreNoFiles) {
  ProfileWords words;
  words.profile.dsos = {{.name = "[unknown]", .path = "[unknown]", .build_id = ""}};
  words.sample(words.thread("load", 7, 7), {"?"}, 1, 1);
  EXPECT_EQ(speedscope(words.profile)["shared"]["frames"][0], (json{{"name", "[unknown]"}}));
}

// "X" events of one thread must nest: each begins and ends within the enclosing one.
TEST(ChromeSlices, Nest) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  const std::vector<std::vector<std::string_view>> stacks = {
      {"main", "a", "b"}, {"main", "a"}, {"main", "a", "a"}, {"b", "main"}, {"main"}, {}, {"main", "a", "b", "c"}};
  for (u64 at = 0; at < 70; ++at) words.sample(load, stacks[at * 3 % stacks.size()], 1'000, 10'000 + at * 700);
  struct Slice {
    double begin, end;
  };
  std::vector<Slice> open;
  double last = 0;
  for (const json& event : chrome(words.profile)["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const Slice slice{event["ts"], event["ts"].get<double>() + event["dur"].get<double>()};
    EXPECT_GT(slice.end, slice.begin);
    EXPECT_GE(slice.begin, last) << "in the order of time";
    last = slice.begin;
    while (!open.empty() && open.back().end <= slice.begin) open.pop_back();
    if (!open.empty()) {
      EXPECT_LT(slice.end, open.back().end) << event;
    }
    open.push_back(slice);
  }
  EXPECT_GT(last, 0);
}

TEST(ChromeInstants, HaveTheirFieldsAndTheirStackFromTheInnermostFrameOn) {
  ProfileWords words;
  words.profile.events[0] = {
      .name = "sched:sched_switch", .nanoseconds = false, .instant = true, .samples = 0, .period = 0};
  const u32 load = words.thread("load", 7, 8);
  words.sample(load, {"main", "k:schedule"}, 1, 1'234'567);
  words.sample(load, {}, 1, 2'000'000);
  words.profile.samples[0].fields = words.profile.texts.intern("prev_pid=7 \"x\"");
  std::vector<json> instants;
  for (const json& event : chrome(words.profile)["traceEvents"])
    if (event["ph"] == "i") instants.push_back(event);
  ASSERT_EQ(instants.size(), 2u);
  EXPECT_EQ(instants[0]["ts"], 1234.567);
  EXPECT_EQ(instants[0]["name"], "sched:sched_switch");
  EXPECT_EQ(instants[0]["tid"], 8);
  EXPECT_EQ(instants[0]["args"], (json{{"fields", "prev_pid=7 \"x\""}, {"stack", {"schedule", "main"}}}));
  EXPECT_EQ(instants[1]["args"], (json{{"stack", json::array()}}));
}

TEST(ChromeNames, AProcessIsNamedAfterItsMainThread) {
  ProfileWords words;
  words.thread("worker", 7, 8);
  words.thread("main-thread", 7, 7);
  words.thread("other", 7, 9);
  std::vector<std::string> names;
  for (const json& event : chrome(words.profile)["traceEvents"])
    names.push_back(fmt::format("{} {} {}", event["name"].get<std::string>(), event["tid"].get<int>(),
                                event["args"]["name"].get<std::string>()));
  EXPECT_THAT(names, ElementsAre("process_name 8 worker", "thread_name 8 worker", "process_name 7 main-thread",
                                 "thread_name 7 main-thread", "thread_name 9 other"))
      << "viewers show the last name of a process";
}

TEST(ChromeEvents, OnlyTheFirstEventWithDurationsBecomesSlices) {
  ProfileWords words = mixed_profile();
  words.profile.command = "perf record \"./load\"";
  const json trace = chrome(words.profile);
  EXPECT_EQ(trace["otherData"]["command"], "perf record \"./load\"");
  std::map<std::string, std::set<std::string>> phases;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] != "M") phases[event["ph"] == "X" ? event["cat"] : event["name"]].insert(event["ph"]);
  EXPECT_THAT(phases["cpu-clock"], ElementsAre("X"));
  EXPECT_THAT(phases["faults"], ElementsAre("i")) << "slices of two events would overlap";
}

}  // namespace
}  // namespace peregrine
