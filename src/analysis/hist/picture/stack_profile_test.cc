#include "analysis/hist/picture/stack_profile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/picture/flame_tree.h"
#include "support/word_profile.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// Samples with a comm and, if `timed`, with a time.
struct PictureProfile : support::WordProfile {
  explicit PictureProfile(bool timed = false) : WordProfile(timed ? 2 : 1), timed(timed) {}
  void add(std::string_view comm, const std::vector<std::string_view>& chain, u64 period, u64 time = 0, u32 event = 0) {
    std::vector<u64> values{words.id(comm)};
    if (timed) values.push_back(time);
    WordProfile::add({.event = event, .values = values, .chain = chain, .period = period});
  }
  StackProfile make(u64 slot_length = 0, u32 most_slots = 1000, std::vector<bool> kept = {}) {
    StackProfileMaker maker;
    StackProfileMaker::Recording recording{hists, words};
    maker.add(recording, {.name = "cycles",
                          .time_column = timed ? std::optional<std::size_t>(2) : std::nullopt,
                          .kept_entries = std::move(kept)});
    return maker.finish(slot_length, most_slots);
  }
  bool timed;
};

// "comm;main;f": the names of a stack from the bottom.
std::string stack_text(const StackProfile& profile, u32 stack) {
  std::string text;
  for (u32 at = stack; at != 0; at = profile.stacks[at].parent)
    text = std::string(profile.name(profile.stacks[at].frame)) + (text.empty() ? "" : ";" + text);
  return text;
}
// The self period of each stack.
std::map<std::string, u64> stack_periods(const StackProfile& profile, std::size_t series = 0) {
  std::map<std::string, u64> periods;
  for (const StackWeight& weight : profile.series[series].weights)
    periods[stack_text(profile, weight.stack)] += weight.period;
  return periods;
}
std::map<std::string, CodeKind> kinds_by_name(const StackProfile& profile) {
  std::map<std::string, CodeKind> kinds;
  for (const StackFrame& frame : profile.frames) kinds.emplace(profile.texts[frame.name], frame.kind);
  return kinds;
}

TEST(StackProfiles, StandOnTheCommAndSumEqualStacks) {
  PictureProfile profile;
  profile.add("sh", {"x:main", "x:f"}, 3);
  profile.add("sh", {"x:main", "x:f"}, 4);
  profile.add("cc", {"x:main"}, 5);
  const StackProfile made = profile.make();
  EXPECT_THAT(stack_periods(made), ElementsAre(Pair("cc;main", 5), Pair("sh;main;f", 7)));
  EXPECT_EQ(made.series[0].samples(), 3u);
  EXPECT_EQ(made.series[0].period(), 12u);
  EXPECT_EQ(made.slot_length, 0u) << "time was not kept";
}

TEST(StackProfiles, ColourFramesByTheKindOfTheirCode) {
  PictureProfile profile;
  const auto add_frame = [&](std::string_view text, char level, std::string_view inlined = {}) {
    HistFrame frame = profile.words.frame(text);
    frame.level = level;
    if (!inlined.empty()) frame.inlined = profile.words.id(inlined);
    const std::vector<HistFrameId> chain{profile.hists.frames().intern(frame)};
    const u64 values[] = {0, profile.words.id("sh")};
    profile.hists.add({.group = profile.hists.groups().intern(values),
                       .leaf = chain[0],
                       .chain = profile.hists.chains().insert(chain),
                       .period = 1});
  };
  add_frame("sh:main", '.');
  add_frame("libc.so.6:malloc", '.');
  add_frame("[vdso]:gettime", '.');
  add_frame("[JIT] tid 7:render", '.');
  add_frame("[kernel.kallsyms]:schedule", 'k');
  add_frame("[ext4]:read_page", 'k');
  add_frame("/boot/vmlinux-6.1:entry", 'k');
  add_frame("[guest.kernel.kallsyms]:guest_idle", 'g');
  add_frame("sh:caller", '.', "min");
  add_frame("tool:0x40", '.');
  EXPECT_THAT(kinds_by_name(profile.make()),
              UnorderedElementsAre(Pair("all", CodeKind::All), Pair("sh", CodeKind::Comm),
                                   Pair("main", CodeKind::Application), Pair("malloc", CodeKind::Library),
                                   Pair("gettime", CodeKind::Library), Pair("render", CodeKind::Jit),
                                   Pair("schedule", CodeKind::Kernel), Pair("read_page", CodeKind::Module),
                                   Pair("entry", CodeKind::Kernel), Pair("guest_idle", CodeKind::Kernel),
                                   Pair("min (inlined)", CodeKind::Inlined), Pair("[tool]", CodeKind::Unresolved)));
}

TEST(StackProfiles, AStackThatBeginsInNoMapIsBroken) {
  PictureProfile profile;
  profile.add("sh", {"0x3b031b01", "x:f"}, 2);
  profile.add("sh", {"0x10"}, 1);  // an entire sample outside all maps
  EXPECT_THAT(stack_periods(profile.make()), ElementsAre(Pair("sh;[broken stack];f", 2), Pair("sh;[unknown]", 1)));
}

TEST(StackProfiles, CountOnlyEntriesThatWereKept) {
  PictureProfile profile;
  profile.add("sh", {"x:f"}, 2);
  profile.add("sh", {"x:g"}, 3);
  EXPECT_THAT(stack_periods(profile.make(0, 1000, {false, true})), ElementsAre(Pair("sh;g", 3)));
}

TEST(StackProfiles, TwoRecordingsShareStacksOfEqualNames) {
  PictureProfile was, is;
  is.words.id("something else first");  // different ids for the same names
  was.add("sh", {"x:main", "x:f"}, 2);
  is.add("sh", {"x:main", "x:f"}, 5);
  is.add("sh", {"x:main", "x:g"}, 1);
  StackProfileMaker maker;
  StackProfileMaker::Recording before{was.hists, was.words}, after{is.hists, is.words};
  maker.add(after, {.name = "new"});
  maker.add(before, {.name = "old"});
  const StackProfile made = maker.finish();
  EXPECT_EQ(made.stacks.size(), 5u) << "nothing, sh, main, f and g";
  EXPECT_THAT(stack_periods(made, 0), ElementsAre(Pair("sh;main;f", 5), Pair("sh;main;g", 1)));
  EXPECT_THAT(stack_periods(made, 1), ElementsAre(Pair("sh;main;f", 2)));
  EXPECT_EQ(made.series[1].name, "old");
}

TEST(StackProfiles, SamplesWithoutATimeAreInTheFirstSlot) {
  PictureProfile profile(true);
  profile.add("sh", {"x:f"}, 1, 0);
  profile.add("sh", {"x:f"}, 2, 5000);
  profile.add("sh", {"x:f"}, 4, 5250);
  const StackProfile made = profile.make(100);
  EXPECT_EQ(made.start, 5000u);
  EXPECT_EQ(made.slots, 3u);
  ASSERT_EQ(made.series[0].weights.size(), 2u);
  EXPECT_EQ(made.series[0].weights[0].slot, 0u);
  EXPECT_EQ(made.series[0].weights[0].period, 3u);
  EXPECT_EQ(made.series[0].weights[1].slot, 2u);
}

TEST(StackProfiles, OfNothingAreEmpty) {
  PictureProfile profile;
  const StackProfile made = profile.make(100);
  EXPECT_EQ(made.stacks.size(), 1u);
  EXPECT_THAT(made.series.at(0).weights, IsEmpty());
  const FlameTree tree = make_flame_tree(made, {});
  ASSERT_EQ(tree.boxes.size(), 1u);
  EXPECT_EQ(tree.boxes[0].period, 0u);
  EXPECT_EQ(tree.depth, 1u);
}

TEST(FitProfile, JoinsSlotsBeforeItJoinsStacks) {
  PictureProfile profile(true);
  for (u64 at = 0; at < 800; ++at) profile.add("sh", {at % 2 == 0 ? "x:f" : "x:g"}, 1, 1000 + at);
  StackProfile made = profile.make(1);
  ASSERT_EQ(made.slots, 800u);
  EXPECT_EQ(fit_profile(made, {.weights = 500}), 0) << "no stack was joined";
  EXPECT_LE(made.slots, 400u);
  EXPECT_LE(made.series[0].weights.size(), 500u);
  EXPECT_THAT(stack_periods(made), ElementsAre(Pair("sh;f", 400), Pair("sh;g", 400))) << "and nothing got lost";
}

// Four threads in each of 800 slots, in one stack.
StackProfile profile_of_threads() {
  support::WordProfile profile(3);
  for (u64 at = 0; at < 6400; ++at) {
    const std::vector<u64> values{profile.words.id("sh"), 1000 + at / 8, 100 + at % 4};
    profile.add({.event = 0, .values = values, .chain = {"x:f"}, .period = 1});
  }
  StackProfileMaker maker;
  StackProfileMaker::Recording recording{profile.hists, profile.words};
  maker.add(recording, {.name = "cycles", .time_column = 2, .thread_column = 3});
  return maker.finish(1);
}

TEST(StackProfiles, KeepThreadsApart) {
  const StackProfile made = profile_of_threads();
  EXPECT_TRUE(made.has_threads);
  ASSERT_EQ(made.series[0].weights.size(), 3200u);
  EXPECT_EQ(made.series[0].weights[6].slot, 1u);
  EXPECT_EQ(made.series[0].weights[6].thread, 102u);
}

TEST(FitProfile, JoinsSlotsBeforeThreads) {
  StackProfile made = profile_of_threads();
  EXPECT_EQ(fit_profile(made, {.weights = 1700}), 0);
  EXPECT_EQ(made.slots, 400u);
  EXPECT_TRUE(made.has_threads);
  EXPECT_EQ(made.series[0].weights.size(), 1600u);
}

TEST(FitProfile, JoinsThreadsBeforeStacks) {
  StackProfile made = profile_of_threads();
  EXPECT_EQ(fit_profile(made, {.weights = 300}), 0);
  EXPECT_FALSE(made.has_threads);
  EXPECT_LE(made.series[0].weights.size(), 300u);
  EXPECT_EQ(made.series[0].period(), 6400u);
}

TEST(FitProfile, KeepsSumsWhateverItJoins) {
  PictureProfile profile;
  std::vector<std::string> names;
  for (int at = 0; at < 200; ++at) names.push_back(fmt::format("x:f{}", at));
  for (std::size_t at = 0; at < names.size(); ++at) profile.add("sh", {"x:main", names[at], "x:leaf"}, 1 + at * at);
  StackProfile made = profile.make();
  const u64 samples = made.series[0].samples(), period = made.series[0].period();
  const double least = fit_profile(made, {.stacks = 50});
  EXPECT_GT(least, 0);
  EXPECT_LE(made.stacks.size(), 50u + 1);  // and one for everything narrower
  EXPECT_EQ(made.series[0].samples(), samples);
  EXPECT_EQ(made.series[0].period(), period);
  for (u32 at = 1; at < made.stacks.size(); ++at) EXPECT_LT(made.stacks[at].parent, at) << "parents come first";
  EXPECT_THAT(stack_periods(made), ::testing::Contains(::testing::Key("sh;main;[narrower stacks]")));
}

TEST(FlameBoxes, FillTheirParentFromTheLeft) {
  PictureProfile profile;
  for (int at = 0; at < 300; ++at) {
    const std::string a = fmt::format("x:a{}", at % 5), b = fmt::format("x:b{}", at % 7);
    profile.add(at % 2 == 0 ? "sh" : "cc", {"x:main", a, b}, 1 + static_cast<u64>(at));
  }
  const FlameTree tree = make_flame_tree(profile.make(), {.least_share = 0});
  std::map<u32, u64> next;  // by box: left edge of its next child
  for (u32 at = 1; at < tree.boxes.size(); ++at) {
    const FlameBox& box = tree.boxes[at];
    const FlameBox& below = tree.boxes[box.parent];
    EXPECT_EQ(box.depth, below.depth + 1);
    const u64 from = next.try_emplace(box.parent, below.offset).first->second;
    EXPECT_EQ(box.offset, from) << "no gap without pruning";
    next[box.parent] = box.offset + box.period;
    EXPECT_LE(box.offset + box.period, below.offset + below.period);
  }
  EXPECT_EQ(tree.pruned, 0u);
}

TEST(FlameBoxes, ThoseThatAreTooNarrowLeaveAGap) {
  PictureProfile profile;
  profile.add("sh", {"x:a"}, 1);
  profile.add("sh", {"x:b"}, 99);
  const FlameTree tree = make_flame_tree(profile.make(), {.least_share = 0.05});
  ASSERT_EQ(tree.boxes.size(), 3u);
  EXPECT_EQ(tree.boxes[2].name, "b");
  EXPECT_EQ(tree.boxes[2].offset, 1u);
  EXPECT_EQ(tree.pruned, 1u);
}

}  // namespace
}  // namespace peregrine
