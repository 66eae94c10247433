// Tests of the exports of a profile: folded stacks, tracks and call costs, all from the same few samples.
#include "analysis/profile/profile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/profile/call_costs.h"
#include "analysis/profile/folded_stacks.h"
#include "analysis/profile/tracks.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A profile of one event; its frames are named by single letters and have no lines.
class LetterProfile : public Profile {
 public:
  LetterProfile() {
    timed = true;
    dsos = {{.name = "libc.so.6", .path = "/lib/libc.so.6", .build_id = {}}};
    events = {{.name = "cycles", .samples = 0, .period = 0}};
    thread("worker", 7);
  }
  u32 thread(std::string_view comm, u32 tid) {
    threads.push_back({.pid = 7, .tid = tid, .comm = texts.intern(comm)});
    return static_cast<u32>(threads.size() - 1);
  }
  u32 frame(char letter) {
    const StringId symbol = texts.intern(std::string(1, letter));
    for (u32 at = 0; at < frames.size(); ++at)
      if (frames[at].symbol == symbol) return at;
    frames.push_back({.symbol = symbol});
    return static_cast<u32>(frames.size() - 1);
  }
  // `stack`: outermost frame first.
  void add(std::string_view stack, u64 time, u64 period = 1, u32 of_thread = 0) {
    std::vector<HistFrameId> ids;
    for (const char letter : stack) ids.push_back(HistFrameId(frame(letter)));
    samples.push_back({.time = time, .period = period, .samples = 1, .thread = of_thread, .stack = stacks.insert(ids)});
    ++events[0].samples;
    events[0].period += period;
  }
};

// "worker;a;b 3", as flame graph tools write them.
std::vector<std::string> folded_lines(const Profile& profile, const FoldRequest& request = {}) {
  const FoldedStacks folded = fold(profile, request);
  std::vector<std::string> texts;
  for (const FoldedStacks::Row& row : folded.rows) {
    std::string line = folded.labels[row.root];
    for (const HistFrameId frame : folded.stacks.frames(row.stack)) line += ";" + folded.labels[frame.value];
    texts.push_back(fmt::format("{} {}", line, row.period));
  }
  return texts;
}

TEST(FoldedStacks, SumEqualStacksAndSortThem) {
  LetterProfile profile;
  profile.add("ba", 1, 10);
  profile.add("ab", 2, 20);
  profile.add("ba", 3, 30);
  profile.add("a", 4, 5);
  EXPECT_THAT(folded_lines(profile), ElementsAre("worker;a 5", "worker;a;b 20", "worker;b;a 40"));
}

TEST(FoldedStacks, ThreadsOfOneNameAreOneUnlessTheirNumbersCount) {
  LetterProfile profile;
  const u32 other = profile.thread("worker", 8);
  profile.add("a", 1, 10);
  profile.add("a", 2, 20, other);
  EXPECT_THAT(folded_lines(profile), ElementsAre("worker;a 30"));
  EXPECT_THAT(folded_lines(profile, {.pid = true}), ElementsAre("worker-7;a 30"));
  EXPECT_THAT(folded_lines(profile, {.tid = true}), ElementsAre("worker-7/7;a 10", "worker-7/8;a 20"));
}

TEST(FoldedStacks, BlanksInNamesOfThreadsDoNotSeparate) {
  LetterProfile profile;
  profile.add("", 1, 1, profile.thread("my thread ", 8));
  EXPECT_THAT(folded_lines(profile), ElementsAre("my_thread 1"));
}

TEST(FoldedStacks, FramesWithoutASymbolAreNamedByTheirDso) {
  LetterProfile profile;
  profile.frames = {{.symbol = {}, .dso = 0, .address = 0x4f2a}};
  profile.samples = {{.time = 1, .period = 2, .samples = 1, .stack = profile.stacks.child(kRootChain, HistFrameId(0))}};
  EXPECT_THAT(folded_lines(profile), ElementsAre("worker;[libc.so.6] 2"));
  EXPECT_THAT(folded_lines(profile, {.addresses = true}), ElementsAre("worker;[libc.so.6 <4f2a>] 2"));
}

TEST(FoldedStacks, MarksChooseTheColour) {
  LetterProfile profile;
  profile.add("abc", 1);
  profile.frames[0].kernel = true;
  profile.frames[1].jit = true;
  profile.frames[2].kernel = profile.frames[2].inlined = true;
  EXPECT_THAT(folded_lines(profile, {.mark_kernel = true, .mark_jit = true, .mark_inlined = true}),
              ElementsAre("worker;a_[k];b_[j];c_[i] 1"));
  EXPECT_THAT(folded_lines(profile, {.mark_kernel = true}), ElementsAre("worker;a_[k];b;c_[k] 1"));
}

TEST(FoldedStacks, FoldTheFirstEventThatHasSamples) {
  Profile profile;
  EXPECT_EQ(first_sampled_event(profile), 0u) << "or the first event if none was sampled";
  profile.events = {{.name = "cycles"}, {.name = "faults", .samples = 3, .period = 3}};
  EXPECT_EQ(first_sampled_event(profile), 1u);
}

TEST(Tracks, AThreadThatIsRenamedHasATrackPerNameOrOne) {
  LetterProfile profile;
  const u32 renamed = profile.thread("renamed", 7);
  profile.add("a", 1);
  profile.add("a", 2, 1, renamed);
  profile.add("a", 3);
  const auto by_name = tracks_of(profile);
  ASSERT_EQ(by_name.size(), 2u);
  EXPECT_THAT(by_name[0].samples, ElementsAre(0u, 2u));
  const auto by_tid = tracks_of(profile, TrackBy::Tid);
  ASSERT_EQ(by_tid.size(), 1u);
  EXPECT_THAT(by_tid[0].samples, ElementsAre(0u, 1u, 2u));
  EXPECT_EQ(by_tid[0].thread, 0u) << "under its first name";
}

TEST(UsualInterval, IsTheMedianDistance) {
  LetterProfile profile;
  for (const u64 time : {100, 110, 120, 130, 9000}) profile.add("a", time);
  EXPECT_EQ(usual_interval(profile, tracks_of(profile), 0), 10u);
  EXPECT_EQ(usual_interval(profile, tracks_of(profile), 1), 0u) << "no samples of that event";
}

TEST(UsualInterval, IsOfOneThread) {
  LetterProfile profile;
  const u32 other = profile.thread("other", 8);
  for (const u64 time : {100, 200}) {
    profile.add("a", time);
    profile.add("a", time + 1, 1, other);
  }
  EXPECT_EQ(usual_interval(profile, tracks_of(profile), 0), 100u);
}

// "+a 100", "-a 200" of the only track.
std::vector<std::string> edges_of(const LetterProfile& profile, u64 interval) {
  std::vector<u32> alike(profile.frames.size());
  std::iota(alike.begin(), alike.end(), 0u);
  std::vector<std::string> texts;
  const auto tracks = tracks_of(profile);
  EXPECT_EQ(tracks.size(), 1u);
  for_each_edge(profile, tracks.at(0), interval, alike, [&](const FrameEdge& edge) {
    texts.push_back(
        fmt::format("{}{} {}", edge.begins ? '+' : '-', profile.text(profile.frames[edge.frame].symbol), edge.time));
  });
  return texts;
}

TEST(FrameEdges, SuccessiveSamplesContinueAFrame) {
  LetterProfile profile;
  profile.add("ab", 110);
  profile.add("ac", 120);
  profile.add("ac", 130);
  EXPECT_THAT(edges_of(profile, 10), ElementsAre("+a 100", "+b 100", "-b 110", "+c 111", "-c 130", "-a 130"));
}

TEST(FrameEdges, AGapEndsAllFrames) {
  LetterProfile profile;
  profile.add("a", 110);
  profile.add("a", 200);
  EXPECT_THAT(edges_of(profile, 10), ElementsAre("+a 100", "-a 110", "+a 190", "-a 200"));
}

TEST(FrameEdges, APeriodInNanosecondsIsTheLength) {
  LetterProfile profile;
  profile.events[0].nanoseconds = true;
  profile.add("a", 500, 300);
  profile.add("b", 501, 1'000'000);  // as if it had begun before the recording started
  EXPECT_THAT(edges_of(profile, 10), ElementsAre("+a 200", "-a 500", "+b 501", "-b 502"));
}

// The function's self cost, and "callee cost/samples" for each of its calls.
std::string costs_text(const CallCosts& costs, std::string_view function) {
  std::string text = "none";
  for (std::size_t at = 0; at < costs.functions.size(); ++at) {
    if (costs.texts.view(costs.functions[at].name) != function) continue;
    u64 own = 0;
    for (const CallCosts::Line& line : costs.bodies[at].lines) own += line.costs.at(0);
    text = fmt::format("{}", own);
    for (const CallCosts::Call& call : costs.bodies[at].calls)
      text +=
          fmt::format(" {} {}/{}", costs.texts.view(costs.functions[call.callee].name), call.costs.at(0), call.samples);
  }
  return text;
}

TEST(CallCosts, CallsCostWhatIsBelowThem) {
  LetterProfile profile;
  profile.add("ab", 1, 10);
  profile.add("abc", 2, 20);
  profile.add("a", 3, 5);
  const CallCosts costs = call_costs(profile);
  EXPECT_THAT(costs.total, ElementsAre(35u, 3u)) << "the period, then the samples";
  EXPECT_EQ(costs_text(costs, "a"), "5 b 30/2");
  EXPECT_EQ(costs_text(costs, "b"), "10 c 20/1");
  EXPECT_EQ(costs_text(costs, "c"), "20");
  EXPECT_EQ(costs_text(costs, "(root)"), "none") << "a is never called";
}

TEST(CallCosts, RecursiveCallsCostNothingAgain) {
  LetterProfile profile;
  profile.add("aba", 1, 10);
  const CallCosts costs = call_costs(profile);
  EXPECT_EQ(costs_text(costs, "a"), "10 b 10/1");
  EXPECT_EQ(costs_text(costs, "b"), "0 a 0/1");
}

TEST(CallCosts, AFunctionThatIsOutermostAndCalledHasARoot) {
  LetterProfile profile;
  profile.add("ab", 1, 10);
  profile.add("b", 2, 7);
  EXPECT_EQ(costs_text(call_costs(profile), "(root)"), "0 a 10/1 b 7/1");
}

TEST(CallCosts, SamplesWithoutAStackBelongToTheUnknown) {
  LetterProfile profile;
  profile.add("", 1, 4);
  profile.add("a", 2, 6);
  const CallCosts costs = call_costs(profile);
  EXPECT_EQ(costs_text(costs, "[unknown]"), "4");
  EXPECT_THAT(costs.total, ElementsAre(10u, 2u));
}

TEST(CallCosts, AnEmptyProfileHasNoFunctions) {
  const CallCosts costs = call_costs(Profile());
  EXPECT_THAT(costs.functions, IsEmpty());
  EXPECT_THAT(costs.total, ElementsAre(0u)) << "no events, no samples";
}

}  // namespace
}  // namespace peregrine
