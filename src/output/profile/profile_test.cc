#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profile/call_costs.h"
#include "analysis/profile/folded_stacks.h"
#include "analysis/profile/profile.h"
#include "analysis/profile/tracks.h"
#include "base/types.h"
#include "output/profile/callgrind.h"
#include "output/profile/chrome.h"
#include "output/profile/firefox.h"
#include "output/profile/folded.h"
#include "output/profile/protobuf.h"
#include "output/profile/speedscope.h"
#include "output/sink.h"
#include "support/profile_words.h"

namespace peregrine {
namespace {

using support::ProfileWords;
using ::testing::HasSubstr;

std::string folded(const Profile& profile, const FoldRequest& request, bool by_count = false) {
  Sink out;
  print_folded(out, fold(profile, request), by_count);
  return out.take();
}

TEST(Folded, SumsStacksThatLookAlikeInOrderOfTheirNames) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7), other = words.thread("load", 8, 8);
  words.sample(load, {"main", "work"}, 10);
  words.sample(other, {"main@a.c:1", "work"}, 5);
  words.sample(load, {"main"}, 1);
  words.sample(load, {}, 3);
  EXPECT_EQ(folded(words.profile, {}), "load 3\nload;main 1\nload;main;work 15\n");
  EXPECT_EQ(folded(words.profile, {}, true), "load 1\nload;main 1\nload;main;work 2\n");
  EXPECT_EQ(folded(words.profile, {.tid = true}),
            "load-7/7 3\nload-7/7;main 1\nload-7/7;main;work 10\nload-8/8;main;work 5\n");
}

TEST(Folded, MarksAndAddressesOnlyWhenAskedFor) {
  ProfileWords words;
  const u32 load = words.thread("my load", 7, 7);
  words.sample(load, {"main", "i:in", "?", "k:sys"}, 10);
  EXPECT_EQ(folded(words.profile, {}), "my_load;main;in;[prog];sys 10\n");
  EXPECT_EQ(folded(words.profile, {.pid = true, .addresses = true, .mark_kernel = true, .mark_inlined = true}),
            "my_load-7;main;in_[i];[prog <0>];sys_[k] 10\n");
}

TEST(Folded, HostileNamesStayOneFrameOnOneLine) {
  ProfileWords words;
  words.sample(words.thread("a;b\n c", 7, 7), {"x;y", "\x1b[2J\xff"}, 1);
  EXPECT_EQ(folded(words.profile, {}), "a:b\\x0a_c;x:y;\\x1b[2J\\xff 1\n");
}

TEST(Speedscope, KeepsTheTimeBetweenSamplesOfAClock) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 8);
  words.sample(load, {"main"}, 100, 1000);
  words.sample(load, {"main", "work"}, 100, 1100);
  words.sample(load, {"main"}, 100, 1500);
  Sink out;
  print_speedscope(out, words.profile, false);
  const std::string text = out.take();
  EXPECT_THAT(text,
              HasSubstr("\"name\":\"load 7/8 cpu-clock\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":600"));
  EXPECT_THAT(text, HasSubstr("\"samples\":[[0],[0,1],[],[0]]"));
  EXPECT_THAT(text, HasSubstr("\"weights\":[100,100,300,100]"));
}

TEST(Speedscope, SumsHaveTheirThreadAsOutermostFrame) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"ma\"in"}, 5);
  words.sample(load, {"ma\"in"}, 6);
  Sink out;
  print_speedscope(out, words.profile, false);
  const std::string text = out.take();
  EXPECT_THAT(text, HasSubstr("\"samples\":[[1,0]],\n\"weights\":[11]"));
  EXPECT_THAT(text, HasSubstr("{\"name\":\"ma\\\"in\",\"file\":\"/opt/prog\"},\n{\"name\":\"load\"}"));
}

TEST(Chrome, NeighbouringSamplesShareSlices) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main", "a"}, 1000, 10000);
  words.sample(load, {"main", "b"}, 1000, 11200);
  words.sample(load, {"main"}, 1000, 50000);
  std::vector<std::string> edges;
  const std::vector<Track> tracks = tracks_of(words.profile);
  const std::vector<u32> alike{0, 1, 2};
  for_each_edge(words.profile, tracks[0], 0, alike, [&](const FrameEdge& edge) {
    edges.push_back(fmt::format("{}{} {}", edge.begins ? '+' : '-',
                                frame_name(words.profile, words.profile.frames[edge.frame]), edge.time));
  });
  EXPECT_THAT(edges, ::testing::ElementsAre("+main 9000", "+a 9000", "-a 10000", "+b 10001", "-b 11200", "-main 11200",
                                            "+main 49000", "-main 50000"));
  Sink out;
  print_chrome_trace(out, words.profile);
  const std::string text = out.take();
  const std::string_view place = "\"cat\":\"cpu-clock\",\"pid\":7,\"tid\":7";
  EXPECT_THAT(text, HasSubstr(fmt::format("{{\"ph\":\"X\",\"name\":\"main\",{0},\"ts\":9.000,\"dur\":2.200}},\n"
                                          "{{\"ph\":\"X\",\"name\":\"a\",{0},\"ts\":9.000,\"dur\":1.000}},\n"
                                          "{{\"ph\":\"X\",\"name\":\"b\",{0},\"ts\":10.001,\"dur\":1.198}}",
                                          place)))
      << "what ends with its caller ends 1 ns before it";
}

// If a begin and an end have the same name and time, speedscope, for example, processes the begin first.
TEST(Chrome, NoSliceBeginsWhereAnotherEnds) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main", "a"}, 1000, 10000);
  words.sample(load, {"a", "main"}, 1000, 11000);
  words.sample(load, {"a", "main"}, 1000, 11000);
  words.sample(load, {"k:a"}, 1000, 12000);
  Sink out;
  print_chrome_trace(out, words.profile);
  const std::string text = out.take();
  EXPECT_THAT(text,
              HasSubstr("\"name\":\"main\",\"cat\":\"cpu-clock\",\"pid\":7,\"tid\":7,\"ts\":9.000,\"dur\":1.000}"));
  EXPECT_THAT(text, HasSubstr("\"name\":\"a\",\"cat\":\"cpu-clock\",\"pid\":7,\"tid\":7,\"ts\":10.001,"));
  EXPECT_THAT(text, Not(HasSubstr("\"ts\":11.002"))) << "frames of one name are one slice";
}

TEST(Chrome, AThreadThatChangesItsNameIsOneTrack) {
  ProfileWords words;
  const u32 before = words.thread("sh", 7, 7), after = words.thread("load", 7, 7);
  words.sample(before, {"main"}, 1000, 10000);
  words.sample(after, {"main"}, 1000, 10500);
  EXPECT_EQ(tracks_of(words.profile).size(), 2u);
  Sink out;
  print_chrome_trace(out, words.profile);
  EXPECT_THAT(out.take(), HasSubstr("\"ts\":9.000,\"dur\":1.500}\n]}"));
}

TEST(Chrome, UsesSampleDistanceIfPeriodsAreNotTimes) {
  ProfileWords words;
  words.profile.events[0].nanoseconds = false;
  const u32 load = words.thread("load", 7, 7);
  for (const u64 time : {1000, 1100, 1200, 9000}) words.sample(load, {"main"}, 5000, time);
  const std::vector<Track> tracks = tracks_of(words.profile);
  EXPECT_EQ(usual_interval(words.profile, tracks, 0), 100u);
}

TEST(CallCosts, CountEachSampleOncePerCall) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main@m.c:3", "rec@m.c:9", "rec@m.c:9", "rec@m.c:9"}, 10);
  words.sample(load, {"main@m.c:3", "rec@m.c:8"}, 5);
  const CallCosts costs = call_costs(words.profile);
  Sink out;
  print_callgrind(out, words.profile, costs);
  EXPECT_THAT(out.take(), ::testing::EndsWith("events: cpu_clock Samples\nsummary: 15 2\n\n"
                                              "ob=(1) /opt/prog\nfl=(2) m.c\nfn=(1) main\n"
                                              "cob=(1)\ncfi=(2)\ncfn=(2) rec\ncalls=1 8\n3 5 1\n"
                                              "cob=(1)\ncfi=(2)\ncfn=(2)\ncalls=1 9\n3 10 1\n\n"
                                              "ob=(1)\nfl=(2)\nfn=(2)\n8 5 1\n9 10 1\n"
                                              "cob=(1)\ncfi=(2)\ncfn=(2)\ncalls=1 9\n9 0 0\n\ntotals: 15 2\n"));
}

// "[unknown]" calls main and is called by it; one sample has no stack.
TEST(CallCosts, FunctionsThatAreOutermostAndCalledHaveARoot) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"gap", "main", "gap"}, 20);
  words.sample(load, {"main", "work"}, 7);
  words.sample(load, {}, 3);
  const CallCosts costs = call_costs(words.profile);
  u64 own = 0, from_root = 0;
  std::map<std::string, u64> inclusive;
  for (u32 function = 0; function < costs.functions.size(); ++function) {
    for (const CallCosts::Line& line : costs.bodies[function].lines) own += line.costs[0];
    for (const CallCosts::Call& call : costs.bodies[function].calls) {
      inclusive[std::string(costs.texts.view(costs.functions[call.callee].name))] += call.costs[0];
      if (costs.texts.view(costs.functions[function].name) == "(root)") from_root += call.costs[0];
    }
  }
  EXPECT_EQ(own, 30u);
  EXPECT_EQ(costs.total[0], 30u);
  EXPECT_EQ(from_root, 30u);
  EXPECT_THAT(inclusive, ::testing::UnorderedElementsAre(::testing::Pair("gap", 20), ::testing::Pair("main", 27),
                                                         ::testing::Pair("work", 7), ::testing::Pair("[unknown]", 3)));
}

TEST(Firefox, EachThreadHasTablesOfItsOwn) {
  ProfileWords words;
  words.sample(words.thread("load", 7, 7), {"main", "k:sys"}, 1'500'000, 3'000'000);
  words.sample(words.thread("idle", 7, 9), {"main"}, 2'000'000, 5'000'000);
  Sink out;
  print_firefox_profile(out, words.profile, false);
  const std::string text = out.take();
  EXPECT_THAT(
      text,
      HasSubstr("\"samples\":{\"stack\":[1],\"time\":[0.000000],\"weight\":[1.500000],\"weightType\":\"tracing-ms\","));
  EXPECT_THAT(text, HasSubstr("\"stackTable\":{\"prefix\":[null,0],\"frame\":[0,1],\"category\":[1,2],"));
  EXPECT_THAT(text, HasSubstr("\"samples\":{\"stack\":[0],\"time\":[2.000000],\"weight\":[2.000000],"));
}

TEST(Protobuf, FieldsAreVarintsTextsAndPackedNumbers) {
  ProtobufMessage message;
  message.number(1, 300);
  message.number(2, 0);
  message.bytes(6, "ab");
  const u64 values[] = {1, 128};
  message.packed(3, values);
  EXPECT_EQ(message.text(), std::string_view("\x08\xac\x02\x32\x02\x61\x62\x1a\x03\x01\x80\x01", 12));
}

}  // namespace
}  // namespace peregrine
