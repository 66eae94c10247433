#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/chain/chain_memo.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/picture/stack_profile.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/row_table.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

// Frames and comms are given as text: "libc:malloc" is symbol malloc of dso libc.
class HistWords : public Naming {
 public:
  HistFrame frame(std::string_view text) {
    const std::size_t colon = text.find(':');
    const u32 dso = words_.intern(text.substr(0, colon)).value;
    return {.dso = dso, .symbol = words_.intern(text.substr(colon + 1)).value};
  }
  u64 comm(std::string_view text) { return words_.intern(text).value; }
  std::string_view dso(u32 id) override { return words_.view(StringId(id)); }
  SymbolName symbol(u32, u32 id) override { return {words_.view(StringId(id)), id * u64{16}, id * u64{16} + 16}; }
  std::string text(SortKey, u64 value) override { return std::string(words_.view(StringId(static_cast<u32>(value)))); }

 private:
  StringPool words_;
};

struct Fixture {
  HistWords words;
  Hists hists{2}, timed{3};
  u32 ordinal = 0;

  // Adds a sample of `comm` with a chain given outermost first.
  void add(Hists& to, std::string_view comm, const std::vector<std::string_view>& chain, u64 period, u32 event = 0) {
    const u64 values[] = {event, words.comm(comm)};
    std::vector<HistFrameId> frames;
    for (const std::string_view each : chain) frames.push_back(to.frames().intern(words.frame(each)));
    to.add({.group = to.groups().intern(values),
            .leaf = frames.back(),
            .chain = to.chains().insert(frames),
            .period = period,
            .ordinal = ordinal++,
            .thread = 7});
    to.totals(event).period += period;
    to.totals(event).chain_period += period;
    ++to.totals(event).samples;
  }
  void add(std::string_view comm, const std::vector<std::string_view>& chain, u64 period) {
    add(hists, comm, chain, period);
  }

  // The same, with a time in its group and the comm "a".
  void add_at(u64 time, const std::vector<std::string_view>& chain, u64 period) {
    const u64 values[] = {0, words.comm("a"), time};
    std::vector<HistFrameId> frames;
    for (const std::string_view each : chain) frames.push_back(timed.frames().intern(words.frame(each)));
    timed.add({.group = timed.groups().intern(values),
               .leaf = frames.back(),
               .chain = timed.chains().insert(frames),
               .period = period});
  }
  // The rows of both events, or of the samples with times.
  StackProfile profile(u64 slot_length = 0, u32 most_slots = 1000) {
    StackProfileMaker maker;
    StackProfileMaker::Recording recording{slot_length == 0 ? hists : timed, words};
    if (slot_length != 0) {
      maker.add(recording, {.name = "timed", .time_column = 2});
    } else {
      maker.add(recording, {.name = "first"});
      maker.add(recording, {.name = "second", .event = 1});
    }
    return maker.finish(slot_length, most_slots);
  }

  RowRequest request(bool children, ChainOrder order) {
    ColumnRequest columns;
    columns.children = children;
    return {.columns = *parse_columns(columns), .children = children, .with_chains = true, .chain_order = order};
  }
  std::string text(const RowTable& table, const Row& row) {
    const FrameLook& look = table.frame_look(row);
    const RowSums& sums = table.sums(row);
    return fmt::format("{} {} {}:{} {}/{}", sums.children, sums.period, table.group_text(row, SortKey::Comm),
                       table.faces().text(look.dso), table.faces().text(look.symbol), sums.samples);
  }
  std::vector<std::string> rows(bool children) {
    const FaceTable faces(hists.frames(), words, {.dso = true, .symbol = true});
    const RowTable table(hists, faces, words, request(children, ChainOrder::Caller));
    std::vector<std::string> result;
    for (const Row& row : table.rows()) result.push_back(text(table, row));
    return result;
  }
  std::string describe(const FaceTable& faces, const CallGraph& graph, u32 node) {
    std::string result;
    const CallNode& at = graph.nodes[node];
    if (node != 0) result += fmt::format("{}", at.total);
    for (u32 i = 0; i < at.frame_count; ++i)
      result += fmt::format(" {}", faces.text(faces.look(graph.frames[at.first_frame + i]).symbol));
    for (u32 i = 0; i < at.child_count; ++i) result += "(" + describe(faces, graph, at.first_child + i) + ")";
    return result;
  }
  // The call graph of the first row with that symbol.
  std::string graph(std::string_view symbol, bool children, ChainOrder order, u64 least = 0) {
    const FaceTable faces(hists.frames(), words, {.dso = true, .symbol = true});
    const RowTable table(hists, faces, words, request(children, order));
    for (u32 at = 0; at < table.rows().size(); ++at) {
      if (faces.text(table.frame_look(table.rows()[at]).symbol) != symbol) continue;
      CallGraphBuilder builder(table);
      return describe(faces, builder.build(std::vector<u32>{at}, least)[0], 0);
    }
    return "no row";
  }
};

std::vector<std::string> boxes_of(const FlameTree& tree) {
  std::vector<std::string> boxes;
  for (const FlameBox& box : tree.boxes)
    boxes.push_back(fmt::format("{}{} {}+{}", std::string(box.depth, '-'), box.name, box.offset, box.period));
  return boxes;
}

TEST(ChainTree, EqualStacksAreEqualIds) {
  ChainTree tree;
  const HistFrameId a(1), b(2), c(3);
  const ChainId ab = tree.insert(std::vector{a, b});
  EXPECT_EQ(tree.insert(std::vector{a, b}), ab);
  const ChainId abc = tree.child(ab, c);
  EXPECT_EQ(tree.parent(abc), ab);
  EXPECT_EQ(tree.depth(abc), 3u);
  EXPECT_THAT(tree.frames(abc), ElementsAre(a, b, c));
  EXPECT_EQ(tree.size(), 4u);
}

TEST(ChainTree, MergeTranslatesFrames) {
  ChainTree one, two;
  const ChainId there = one.insert(std::vector{HistFrameId(5), HistFrameId(6)});
  const ChainId here = two.insert(std::vector{HistFrameId(0), HistFrameId(1)});
  const std::vector<ChainId> ids = one.merge(two, std::vector{HistFrameId(5), HistFrameId(6)});
  EXPECT_EQ(ids[here.value], there);
  EXPECT_EQ(one.size(), 3u);
}

TEST(ChainMemo, FindsWhatWasEnteredUnderItsContextOnly) {
  ChainMemo memo;
  const std::vector<u64> chain{0x1000, 0x2000, 0x3000};
  for (u32 context = 0; context < 1000; ++context) {
    EXPECT_FALSE(memo.find(memo.key(context, chain)).valid());
    memo.enter(memo.key(context, chain), ChainId(context));
    EXPECT_EQ(memo.find(memo.key(context, chain)), ChainId(context));
    EXPECT_FALSE(memo.find(memo.key(context, std::span(chain).first(2))).valid());
  }
  // Newer chains may have replaced older ones, but nothing else may change.
  u32 kept = 0;
  for (u32 context = 0; context < 1000; ++context) {
    const ChainId found = memo.find(memo.key(context, chain));
    EXPECT_TRUE(!found.valid() || found == ChainId(context));
    kept += found.valid() ? 1 : 0;
  }
  EXPECT_GT(kept, 500u);
}

TEST(RowTable, SumsAreOrderedByPeriodThenName) {
  Fixture f;
  f.add("b", {"x:main", "x:f"}, 10);
  f.add("a", {"x:main", "x:f"}, 10);
  f.add("a", {"x:main", "x:g"}, 5);
  f.add("a", {"x:main", "x:g"}, 6);
  EXPECT_THAT(f.rows(false), ElementsAre("11 11 a:x g/2", "10 10 a:x f/1", "10 10 b:x f/1"));
}

TEST(RowTable, ARecursiveCallerCountsASampleOnce) {
  Fixture f;
  f.add("a", {"x:main", "x:rec", "x:rec", "x:leaf"}, 10);
  f.add("a", {"x:main", "x:rec"}, 1);
  // Of equal sums, the outer one comes first.
  EXPECT_THAT(f.rows(true), ElementsAre("11 0 a:x main/0", "11 1 a:x rec/1", "10 10 a:x leaf/1"));
}

TEST(RowTable, AChosenMemberOfAGroupOrdersTheRows) {
  Fixture f;
  f.add("a", {"x:f"}, 10);
  f.add("b", {"x:f"}, 10);
  f.add("c", {"x:f"}, 1);
  f.add(f.hists, "a", {"x:f"}, 1, 1);
  f.add(f.hists, "b", {"x:f"}, 5, 1);
  f.add(f.hists, "c", {"x:f"}, 7, 1);
  const FaceTable faces(f.hists.frames(), f.words, {.dso = true, .symbol = true});
  const auto comms = [&](u32 member) {
    RowRequest request = f.request(false, ChainOrder::Callee);
    request.events = {0, 1};
    request.sort_member = member;
    const RowTable table(f.hists, faces, f.words, request);
    std::string result;
    for (const Row& row : table.rows()) result += table.group_text(row, SortKey::Comm);
    return result;
  };
  EXPECT_EQ(comms(0), "bac");
  EXPECT_EQ(comms(1), "cba");
  EXPECT_EQ(comms(2), "abc") << "no such member: by the leader alone, then by name";
}

TEST(RowTable, MergeDoesNotShow) {
  Fixture whole, half;
  Hists second(2);
  const std::vector<std::vector<std::string_view>> chains{{"x:main", "y:f"}, {"x:main", "x:g", "y:f"}, {"z:idle"}};
  for (u64 i = 0; i < 30; ++i) {
    whole.add(i % 2 ? "odd" : "even", chains[i % 3], i);
    half.add(i % 4 < 2 ? half.hists : second, i % 2 ? "odd" : "even", chains[i % 3], i);
  }
  half.hists.merge(std::move(second));
  EXPECT_EQ(half.rows(true), whole.rows(true));
  EXPECT_EQ(half.graph("f", true, ChainOrder::Caller), whole.graph("f", true, ChainOrder::Caller));
}

TEST(CallGraph, CalleesOfACaller) {
  Fixture f;
  f.add("a", {"x:main", "x:work", "x:f", "x:leaf"}, 10);
  f.add("a", {"x:main", "x:work", "x:g", "x:leaf"}, 20);
  f.add("a", {"x:main", "x:work"}, 5);
  f.add("b", {"x:main", "x:other"}, 100);
  EXPECT_EQ(f.graph("leaf", true, ChainOrder::Caller), "(30 main work(20 g leaf)(10 f leaf))");
  // Own samples show their whole chain; the chains of callees start at the function.
  EXPECT_EQ(f.graph("work", true, ChainOrder::Caller), "(30 work(20 g leaf)(10 f leaf))(5 main work)");
}

TEST(CallGraph, CallersOfACallee) {
  Fixture f;
  f.add("a", {"x:main", "x:f", "x:leaf"}, 10);
  f.add("a", {"x:main", "x:g", "x:leaf"}, 20);
  f.add("a", {"x:leaf"}, 1);
  EXPECT_EQ(f.graph("leaf", false, ChainOrder::Callee), "(31 leaf(20 g main)(10 f main))");
  EXPECT_EQ(f.graph("leaf", false, ChainOrder::Callee, 15), "(31 leaf(20 g main))");
  EXPECT_EQ(f.graph("main", true, ChainOrder::Callee), "(30 main)");
}

TEST(CallGraph, AChainThatEndsInsideSplitsARun) {
  Fixture f;
  f.add("a", {"x:main", "x:f", "x:leaf"}, 10);
  f.add("a", {"x:f", "x:leaf"}, 0);
  EXPECT_EQ(f.graph("leaf", false, ChainOrder::Callee), "(10 leaf f(10 main))");
}

TEST(FlameTree, TotalsAndPruning) {
  Fixture f;
  f.add("b", {"x:main", "libc.so:f"}, 500);
  f.add("a", {"x:main", "x:g"}, 300);
  f.add("a", {"y:main", "x:f"}, 199);
  f.add("a", {"x:main", "x:rare"}, 1);
  const FlameTree tree = make_flame_tree(f.profile(), {.least_share = 0.01});
  EXPECT_THAT(boxes_of(tree), ElementsAre("all 0+1000", "-a 0+500", "--main 0+500", "---f 0+199", "---g 199+300",
                                          "-b 500+500", "--main 500+500", "---f 500+500"));
  EXPECT_EQ(tree.pruned, 1u);
  EXPECT_EQ(tree.depth, 4u);
}

TEST(FlameTree, UnresolvedFramesOfOneDsoAreOneBox) {
  Fixture f;
  const u32 dso = f.words.frame("jit:x").dso;
  std::vector<HistFrameId> frames;
  for (const u64 address : {u64{1}, u64{2}, u64{3}})
    frames.push_back(f.hists.frames().intern({.dso = dso, .address = address}));
  frames.push_back(f.hists.frames().intern(f.words.frame("x:f")));
  const u64 values[] = {0, f.words.comm("a")};
  f.hists.add({.group = f.hists.groups().intern(values),
               .leaf = frames.back(),
               .chain = f.hists.chains().insert(frames),
               .period = 1});
  const FlameTree tree = make_flame_tree(f.profile(), {});
  ASSERT_EQ(tree.boxes.size(), 4u);
  EXPECT_EQ(tree.boxes[2].name, "[jit]");
  EXPECT_EQ(tree.boxes[3].name, "f");
}

TEST(FlameTree, ReversedStandsOnWhatWasHit) {
  Fixture f;
  f.add("a", {"x:main", "x:f", "x:leaf"}, 10);
  f.add("b", {"x:main", "x:leaf"}, 20);
  EXPECT_THAT(
      boxes_of(make_flame_tree(f.profile(), {.reversed = true})),
      ElementsAre("all 0+30", "-leaf 0+30", "--f 0+10", "---main 0+10", "----a 0+10", "--main 10+20", "---b 10+20"));
}

TEST(FlameTree, AChartJoinsNeighboursInTimeOnly) {
  Fixture f;
  f.add_at(1000, {"x:main", "x:f"}, 1);
  f.add_at(2000, {"x:main", "x:f"}, 1);
  f.add_at(3000, {"x:main", "x:a"}, 1);
  f.add_at(4000, {"x:main", "x:f"}, 1);
  EXPECT_THAT(boxes_of(make_flame_tree(f.profile(1000), {.chart = true})),
              ElementsAre("all 0+4", "-a 0+4", "--main 0+4", "---f 0+2", "---a 2+1", "---f 3+1"));
}

TEST(FlameTree, AComparisonCountsTheBaseAsMuch) {
  Fixture f;
  f.add("a", {"x:main", "x:f"}, 30);
  f.add("a", {"x:main", "x:g"}, 10);
  f.add(f.hists, "a", {"x:main", "x:f"}, 10, 1);
  f.add(f.hists, "a", {"x:main", "x:gone"}, 10, 1);
  const StackProfile profile = f.profile();
  const FlameTree tree = make_flame_tree(profile, {.series = 0, .base = 1});
  std::vector<u64> before;
  for (const FlameBox& box : tree.boxes) before.push_back(box.before);
  EXPECT_THAT(boxes_of(tree), ElementsAre("all 0+40", "-a 0+40", "--main 0+40", "---f 0+30", "---g 30+10"));
  EXPECT_THAT(before, ElementsAre(40u, 40u, 40u, 20u, 0u));
  EXPECT_EQ(tree.vanished, 20u);
  EXPECT_EQ(make_flame_tree(profile, {.series = 0, .base = 1, .normalised = false}).boxes[3].before, 10u);
}

TEST(StackProfile, WeightsStandInTheirSlotsOfTime) {
  Fixture f;
  f.add_at(5000, {"x:main"}, 1);
  f.add_at(5400, {"x:main"}, 2);
  f.add_at(9000, {"x:main", "x:f"}, 4);
  const auto weights = [&](u32 most_slots) {
    std::vector<std::string> result;
    for (const StackWeight& weight : f.profile(100, most_slots).series[0].weights)
      result.push_back(fmt::format("{}@{}:{}", weight.stack, weight.slot, weight.period));
    return result;
  };
  EXPECT_THAT(weights(1000), ElementsAre("2@0:1", "2@4:2", "3@40:4"));
  EXPECT_THAT(weights(10), ElementsAre("2@0:3", "3@8:4"));
}

// Damaged recordings can have times from 1 ns up to the largest number.
TEST(StackProfile, CoversTimesThatAreAsFarApartAsPossible) {
  Fixture f;
  f.add_at(1, {"a:main"}, 5);
  f.add_at(~u64{0}, {"a:main"}, 7);
  const StackProfile profile = f.profile(1, 1000);
  EXPECT_LE(profile.slots, 1000u);
  ASSERT_EQ(profile.series[0].weights.size(), 2u);
  EXPECT_EQ(profile.series[0].weights[0].slot, 0u);
  EXPECT_EQ(profile.series[0].weights[1].slot, profile.slots - 1);
}

TEST(StackProfile, FitsByJoiningWhatIsNarrow) {
  Fixture f;
  f.add("a", {"x:main", "x:wide"}, 1'000'000);
  for (const std::string_view name : {"x:b", "x:c", "x:d"}) f.add("a", {"x:main", name, "x:deep"}, 1);
  StackProfile profile = f.profile();
  EXPECT_EQ(fit_profile(profile, {}), 0);
  ASSERT_EQ(profile.stacks.size(), 10u);
  EXPECT_GT(fit_profile(profile, {.stacks = 5}), 0);
  EXPECT_THAT(boxes_of(make_flame_tree(profile, {.least_share = 0})),
              ElementsAre("all 0+1000003", "-a 0+1000003", "--main 0+1000003", "---[narrower stacks] 0+3",
                          "---wide 3+1000000"));
}

TEST(SortKey, ListsAbbreviateAndComplain) {
  ColumnRequest request;
  request.sort = "sym,c";
  const Columns columns = *parse_columns(request);
  EXPECT_THAT(columns.keys, ElementsAre(SortKey::Symbol, SortKey::Comm));
  EXPECT_THAT(columns.order,
              ElementsAre(column_of(Metric::Overhead), column_of(SortKey::Symbol), column_of(SortKey::Comm)));
  request.sort = "+cpu";
  EXPECT_THAT(parse_columns(request)->keys, ElementsAre(SortKey::Comm, SortKey::Dso, SortKey::Symbol, SortKey::Cpu));
  request.sort = "comm,symbl";
  const auto wrong = parse_columns(request);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "Unknown --sort key: `symbl'");
  EXPECT_EQ(wrong.error().hint, "did you mean 'symbol'?");
}

TEST(SortKey, FieldsAloneDecideTheOrder) {
  ColumnRequest request;
  request.fields = "comm,overhead";
  const Columns columns = *parse_columns(request);
  EXPECT_THAT(columns.order, ElementsAre(column_of(SortKey::Comm), column_of(Metric::Overhead)));
  EXPECT_EQ(columns.shown, columns.order);
}

}  // namespace
}  // namespace peregrine
