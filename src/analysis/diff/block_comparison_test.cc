#include "analysis/diff/block_comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string_view>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/face_table.h"
#include "support/word_profile.h"

namespace peregrine {
namespace {

CycleCounts counts(std::initializer_list<u64> cycles) {
  CycleCounts result;
  for (const u64 each : cycles) result.add(each, 1);
  return result;
}

TEST(CycleCounts, MeanAndVarianceOfTheRuns) {
  const CycleCounts some = counts({4, 8, 6, 6});
  EXPECT_EQ(some.counts.size(), 3u);
  EXPECT_EQ(some.times(), 4u);
  EXPECT_EQ(some.mean(), 6u);
  EXPECT_NEAR(some.variance(), 8.0 / 3, 1e-9);
  EXPECT_EQ(counts({5}).variance(), 0);
  EXPECT_EQ(CycleCounts().mean(), 0u);
}

TEST(ComparedBlock, ErrorIsThatOfTheChangeNotOfARun) {
  const ComparedBlock block{.sides = {counts({10, 10, 10, 14}), counts({20, 20, 24, 24})}};
  EXPECT_EQ(block.change(1), 11);
  // √(4/4 + 5.333/4) = 1.5275, as a percentage of 11.
  EXPECT_NEAR(block.error(1), 13.89, 0.01);
  const ComparedBlock equal{.sides = {counts({10}), counts({10})}};
  EXPECT_EQ(equal.error(1), 0);
}

TEST(CycleCounts, EqualTimesAreOneAndTheFewestCyclesComeFirst) {
  CycleCounts some;
  for (const u64 cycles : {7, 3, 7}) some.add(cycles, 2);
  EXPECT_EQ(some.counts, (std::vector<std::pair<u64, u64>>{{3, 2}, {7, 4}}));
  EXPECT_EQ(some.mean(), 5u) << "34 cycles in six runs";
}

// The blocks of one recording and its functions' samples. Each build has different addresses.
struct BlockRecording {
  explicit BlockRecording(u64 moved = 0) : moved(moved) {}
  // A block of a function at `start` that ran once, in `cycles`.
  void run(std::string_view function, u64 start, u64 first, u64 last, u64 cycles) {
    blocks.words.set_extent(function.substr(function.find(':') + 1), start + moved, start + moved + 0x100);
    const auto end = [&](u64 offset) {
      HistFrame frame = blocks.words.frame(function);
      frame.address = start + moved + offset;
      return u64{blocks.hists.frames().intern(frame).value};
    };
    blocks.add({.values = {end(first), end(last), cycles}, .chain = {function}, .period = cycles});
  }
  void sample(std::string_view function, u64 period) { functions.add({.chain = {function}, .period = period}); }
  BlockSide side() {
    return {.blocks = table(blocks, {.sort = "addr_from,addr_to,cycles", .branches = true}),
            .functions = table(functions, {.sort = "dso,symbol"})};
  }

 private:
  const RowTable* table(support::WordProfile& profile, const ColumnRequest& asked) {
    RowRequest request;
    request.columns = *parse_columns(asked);
    faces.push_back(
        std::make_unique<FaceTable>(profile.hists.frames(), profile.words, face_keys(request.columns.keys)));
    tables.push_back(std::make_unique<RowTable>(profile.hists, *faces.back(), profile.words, std::move(request)));
    return tables.back().get();
  }
  u64 moved;
  support::WordProfile blocks{3, {false, true, true, false}}, functions{0};
  std::vector<std::unique_ptr<FaceTable>> faces;
  std::vector<std::unique_ptr<RowTable>> tables;
};

// "function from to: mean mean …" for each block.
std::vector<std::string> block_lines(std::vector<BlockSide> sides, std::size_t order = 1) {
  std::vector<std::string> lines;
  for (const ComparedBlock& block : compare_blocks(sides, order)) {
    std::string line = fmt::format("{} {} {}:", block.symbol, block.start, block.end);
    for (std::size_t side = 0; side < block.sides.size(); ++side)
      line += block.has(side) ? fmt::format(" {}", block.sides[side].mean()) : " -";
    lines.push_back(line);
  }
  return lines;
}

TEST(ComparedBlock, BlocksAreJoinedByTheirPlacesInFunctions) {
  BlockRecording was, is(0x5000);
  for (const u64 cycles : {10, 20}) was.run("app:work", 0x100, 0x10, 0x20, cycles);
  is.run("app:work", 0x100, 0x10, 0x20, 30);
  EXPECT_THAT(block_lines({was.side(), is.side()}), ::testing::ElementsAre("work work+0x10 work+0x20: 15 30"));
}

TEST(ComparedBlock, BlocksThatOnlyOneRecordingHasAreLeftOut) {
  BlockRecording was, is;
  was.run("app:work", 0x100, 0x10, 0x20, 10);
  was.run("app:work", 0x100, 0x30, 0x40, 10);
  is.run("app:work", 0x100, 0x10, 0x20, 10);
  is.run("app:work", 0x100, 0x50, 0x60, 10);
  EXPECT_THAT(block_lines({was.side(), is.side()}), ::testing::ElementsAre("work work+0x10 work+0x20: 10 10"));
  EXPECT_THAT(block_lines({was.side()}), ::testing::IsEmpty());
  EXPECT_THAT(block_lines({was.side(), BlockSide()}), ::testing::IsEmpty()) << "the other file lacks the event";
}

TEST(ComparedBlock, HotFunctionsComeFirstAndInEachTheLargestChange) {
  BlockRecording was, is, third;
  was.sample("app:hot", 90);
  was.sample("app:cold", 10);
  for (BlockRecording* each : {&was, &is}) {
    const u64 slower = each == &is ? 1 : 0;
    each->run("app:cold", 0x300, 0x0, 0x8, 10 + slower * 100);
    each->run("app:hot", 0x100, 0x0, 0x8, 10 + slower);
    each->run("app:hot", 0x100, 0x10, 0x18, 10 - slower * 5);
  }
  third.run("app:hot", 0x100, 0x0, 0x8, 40);
  EXPECT_THAT(block_lines({was.side(), is.side()}),
              ::testing::ElementsAre("hot hot+0x10 hot+0x18: 10 5", "hot hot+0x0 hot+0x8: 10 11",
                                     "cold cold+0x0 cold+0x8: 10 110"));
  EXPECT_EQ(block_lines({was.side(), is.side(), third.side()}, 2)[0], "hot hot+0x0 hot+0x8: 10 11 40");
  const BlockSide sides[] = {was.side(), is.side()};
  EXPECT_DOUBLE_EQ(compare_blocks(sides, 1)[0].share, 90);
}

}  // namespace
}  // namespace peregrine
