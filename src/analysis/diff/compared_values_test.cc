#include "analysis/diff/compared_values.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <variant>

#include "analysis/diff/hot_stream.h"
#include "analysis/diff/test_recording.h"
#include "analysis/hist/chain/branch_sums.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"
#include "support/word_profile.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Values with one decimal; "-" for missing values.
std::vector<std::string> compared_texts(const std::vector<RowValue>& values) {
  std::vector<std::string> texts;
  for (const RowValue& value : values) {
    if (const auto* number = std::get_if<double>(&value))
      texts.push_back(fmt::format("{:.1f}", *number));
    else if (const auto* count = std::get_if<u64>(&value))
      texts.push_back(fmt::format("{}", *count));
    else if (const auto* text = std::get_if<std::string>(&value))
      texts.push_back(*text);
    else
      texts.emplace_back("-");
  }
  return texts;
}

TEST(ComparedValues, AreTheKeysTheBaselineAndTheChange) {
  DiffedRecording was("was"), is("another");
  was.add("parse", 60), was.add("same", 40);
  is.add("parse", 40), is.add("same", 40), is.add("fresh", 20);
  const Comparison comparison({&was.table(), &is.table()}, {.order = 0});
  ComparedValues values(comparison);
  EXPECT_THAT(values.names(), ElementsAre("dso", "symbol", "level", "baseline", "baseline_period", "baseline_samples",
                                          "share", "period", "samples", "change", "change_low", "change_high", "real"));
  const std::vector<std::string> parse = compared_texts(values.of(comparison.rows()[0]));
  ASSERT_EQ(parse.size(), values.names().size());
  EXPECT_THAT(std::vector(parse.begin(), parse.begin() + 10),
              ElementsAre("app", "parse", ".", "60.0", "600", "60", "40.0", "400", "40", "-20.0"));
  EXPECT_LT(std::stod(parse[10]), -20);
  EXPECT_GT(std::stod(parse[11]), -20);
  EXPECT_EQ(parse[12], "1");
  const std::vector<std::string> fresh = compared_texts(values.of(comparison.rows()[2]));
  EXPECT_THAT(std::vector(fresh.begin() + 3, fresh.begin() + 7), ElementsAre("-", "-", "-", "20.0"))
      << "a row that the baseline lacks has no baseline, rather than zero";
}

TEST(ComparedValues, OfSeveralFilesHaveTheirNumbers) {
  DiffedRecording was("was"), second("second"), third("third");
  was.add("work", 10), third.add("work", 5), third.add("other", 5), second.add("else", 1);
  const Comparison comparison({&was.table(), &second.table(), &third.table()}, {.order = 2});
  ComparedValues values(comparison);
  EXPECT_THAT(values.names(), ::testing::IsSupersetOf({"share.1", "change.1", "share.2", "real.2"}));
  for (const ComparedRow& row : comparison.rows()) EXPECT_EQ(values.of(row).size(), values.names().size());
}

TEST(ComparedValues, AFileWithoutTheEventHasNoValues) {
  DiffedRecording is("is");
  is.add("work", 10);
  const Comparison comparison({nullptr, &is.table()}, {});
  ComparedValues values(comparison);
  ASSERT_EQ(comparison.rows().size(), 1u);
  EXPECT_THAT(compared_texts(values.of(comparison.rows()[0])),
              ElementsAre("app", "work", ".", "-", "-", "-", "100.0", "100", "10", "100.0", "-", "-", "0"));
}

// Functions of equal size form one row, regardless of their order.
TEST(ComparedSizes, AreJoinedByTheSizeItself) {
  support::WordProfile was(0), is(0);
  std::vector<std::unique_ptr<FaceTable>> faces;
  std::vector<std::unique_ptr<RowTable>> tables;
  for (support::WordProfile* profile : {&was, &is}) {
    profile->words.set_extent("a", 0x100, 0x140);
    profile->words.set_extent("b", 0x200, 0x240);
    profile->words.set_extent("c", 0x300, 0x310);
  }
  for (const std::string_view frame : {"x:a", "x:b", "x:c"}) was.add({.chain = {frame}});
  for (const std::string_view frame : {"x:c", "x:b", "x:a"}) is.add({.chain = {frame}});
  for (support::WordProfile* profile : {&was, &is}) {
    faces.push_back(std::make_unique<FaceTable>(profile->hists.frames(), profile->words, FaceKeys{.size = true}));
    tables.push_back(std::make_unique<RowTable>(profile->hists, *faces.back(), profile->words,
                                                RowRequest{.columns = *parse_columns({.sort = "symbol_size"})}));
  }
  const Comparison comparison({tables[0].get(), tables[1].get()}, {.order = 0});
  ASSERT_EQ(comparison.rows().size(), 2u);
  EXPECT_EQ(comparison.rows()[0].weights[0].samples, 2u);
  EXPECT_EQ(comparison.rows()[0].weights[1].samples, 2u);
}

// Chains of frames, each with a function and a line: "main main.c:1".
struct StreamRecording {
  void add(const std::vector<std::pair<std::string_view, std::string_view>>& chain, u64 period, u32 event = 0) {
    std::vector<HistFrameId> frames;
    for (const auto& [function, line] : chain) {
      HistFrame frame = profile.words.frame(function);
      if (!line.empty()) frame.line = profile.words.id(line);
      frames.push_back(profile.hists.frames().intern(frame));
    }
    const u64 group[] = {event};
    const Hists::Hit hit{.group = profile.hists.groups().intern(group),
                         .leaf = frames.empty() ? HistFrameId(0) : frames.back(),
                         .chain = profile.hists.chains().insert(frames),
                         .period = period};
    profile.hists.add(hit);
    const std::vector<BranchSums> branches(frames.size(), {.ends = 2, .cycles = 20});
    profile.hists.add_branches(hit.group.value, hit.leaf.value, hit.chain.value, branches);
  }
  std::vector<HotStream> streams(std::size_t most = 10) {
    faces = std::make_unique<FaceTable>(profile.hists.frames(), profile.words, FaceKeys{.dso = true, .symbol = true});
    return hot_streams(profile.hists, *faces, 0, most);
  }
  support::WordProfile profile{0};
  std::unique_ptr<FaceTable> faces;
};

TEST(HotStreams, AreTheMostFrequentChainsByFunction) {
  StreamRecording recording;
  recording.add({{"x:main", "m:1"}, {"x:a", "a:1"}}, 30);
  recording.add({{"x:main", "m:2"}, {"x:b", "b:1"}}, 25);
  recording.add({{"x:main", "m:3"}, {"x:b", "b:1"}}, 15);
  recording.add({{"x:main", "m:9"}, {"x:c", "c:1"}}, 1);
  recording.add({{"x:main", "m:1"}, {"x:a", "a:1"}}, 1000, 1);  // a different event
  recording.add({}, 500);                                       // a sample without a chain
  std::vector<u64> periods;
  for (const HotStream& stream : recording.streams(3)) periods.push_back(stream.period);
  EXPECT_THAT(periods, ElementsAre(25, 15, 30)) << "function b has 40 in all";
  EXPECT_NEAR(recording.streams()[0].share, 100.0 * 25 / 71, 1e-9);
  EXPECT_EQ(recording.streams()[0].cycles, 20u) << "ten cycles on average at each of two ends";
  EXPECT_THAT(recording.streams(0), IsEmpty());
}

TEST(HotStreams, BeginWithTheNewestBranch) {
  StreamRecording recording;
  recording.add({{"x:main", "m:1"}, {"x:a", "a:1"}}, 1);
  const std::vector<HotStream> streams = recording.streams();
  ASSERT_EQ(streams.at(0).frames.size(), 2u);
  EXPECT_EQ(recording.faces->text(recording.faces->look(streams[0].frames[0]).symbol), "a");
}

TEST(HotStreams, OfTwoRecordingsAreEqualByFunctionAndLine) {
  StreamRecording first, second;
  first.add({{"x:main", "m:1"}, {"x:a", "a:1"}}, 30);
  first.add({{"x:main", "m:1"}, {"x:a", "a:2"}}, 20);
  first.add({{"x:main", "m:1"}, {"x:0x40", "m:1"}}, 10);
  second.add({{"x:0x40", "m:1"}}, 50);  // addresses of different recordings are unrelated
  second.add({{"x:main", "m:1"}, {"x:a", "a:2"}}, 9);
  second.add({{"x:a", "a:1"}}, 8);  // part of a stream is a different stream
  const auto one = first.streams(), other = second.streams();
  const StreamPairs pairs = pair_streams(one, *first.faces, other, *second.faces);
  ASSERT_EQ(pairs.both.size(), 1u);
  EXPECT_EQ(one[pairs.both[0].first].period, 20u);
  EXPECT_EQ(other[pairs.both[0].second].period, 9u);
  EXPECT_EQ(pairs.first_only.size(), 2u);
  EXPECT_EQ(pairs.second_only.size(), 2u);
}

TEST(HotStreams, EachIsPairedOnce) {
  StreamRecording first, second;
  first.add({{"x:a", "a:1"}}, 1);
  second.add({{"x:a", "a:1"}}, 1);
  second.add({{"y:a", "a:1"}}, 1);  // the same function and line in a different library
  const auto one = first.streams(), other = second.streams();
  const StreamPairs pairs = pair_streams(one, *first.faces, other, *second.faces);
  EXPECT_THAT(pairs.both, ElementsAre(Pair(0u, 0u)));
  EXPECT_THAT(pairs.second_only, ElementsAre(1u));
}

}  // namespace
}  // namespace peregrine
