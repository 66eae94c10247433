#include "analysis/hist/row/graph_options.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace peregrine {
namespace {

GraphOptions parse_graph(std::string_view text) {
  GraphOptions options;
  const Result<> parsed = parse_graph_options(text, options);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return options;
}

TEST(GraphOptions, NothingChangesNothing) {
  for (const std::string_view text : {"", ",", ",,"}) {
    const GraphOptions options = parse_graph(text);
    EXPECT_EQ(options.mode, GraphMode::Graph);
    EXPECT_EQ(options.least_percent, 0.5);
    EXPECT_EQ(options.print_limit, 0u);
    EXPECT_EQ(options.order, ChainOrder::Callee);
    EXPECT_FALSE(options.order_given);
    EXPECT_FALSE(options.branches);
  }
}

TEST(GraphOptions, TheManualsExampleSetsAll) {
  const GraphOptions options = parse_graph("fractal,5,20,caller,address,count,branch");
  EXPECT_EQ(options.mode, GraphMode::Fractal);
  EXPECT_EQ(options.least_percent, 5);
  EXPECT_EQ(options.print_limit, 20u);
  EXPECT_EQ(options.order, ChainOrder::Caller);
  EXPECT_TRUE(options.order_given);
  EXPECT_EQ(options.key, GraphKey::Address);
  EXPECT_EQ(options.value, GraphValue::Count);
  EXPECT_TRUE(options.branches);
}

TEST(GraphOptions, WordsMayStandInAnyOrder) {
  const GraphOptions options = parse_graph("period,srcline,0.25,callee,folded");
  EXPECT_EQ(options.mode, GraphMode::Folded);
  EXPECT_EQ(options.least_percent, 0.25);
  EXPECT_EQ(options.order, ChainOrder::Callee);
  EXPECT_TRUE(options.order_given);
  EXPECT_EQ(options.key, GraphKey::SourceLine);
  EXPECT_EQ(options.value, GraphValue::Period);
}

TEST(GraphOptions, AnAbbreviationIsTheFirstWordThatBeginsSo) {
  EXPECT_EQ(parse_graph("n").mode, GraphMode::None);
  EXPECT_EQ(parse_graph("f").mode, GraphMode::Flat);
  EXPECT_EQ(parse_graph("fr").mode, GraphMode::Fractal);
  EXPECT_EQ(parse_graph("fo").mode, GraphMode::Folded);
  EXPECT_EQ(parse_graph("c").order, ChainOrder::Caller);
  EXPECT_EQ(parse_graph("calle,g").order, ChainOrder::Caller);
  EXPECT_EQ(parse_graph("callee").order, ChainOrder::Callee);
}

TEST(GraphOptions, TheLastOfTwoWordsHolds) {
  EXPECT_EQ(parse_graph("flat,folded").mode, GraphMode::Folded);
  EXPECT_EQ(parse_graph("caller,callee").order, ChainOrder::Callee);
}

TEST(GraphOptions, OtherWordsAreErrors) {
  for (const std::string_view word : {"sideways", "-1", "0.5x", "graphs", "callerr", "nan"}) {
    GraphOptions options;
    const Result<> parsed = parse_graph_options(fmt::format("graph,{}", word), options);
    ASSERT_FALSE(parsed) << word;
    EXPECT_EQ(parsed.error().kind, ErrorKind::Usage);
    EXPECT_EQ(parsed.error().message, fmt::format("unknown --call-graph value '{}'", word));
  }
}

TEST(GraphOptions, TheSecondNumberIsAWholeNumberOfRows) {
  for (const std::string_view limit : {"1.5", "-3", "4294967296"}) {
    GraphOptions options;
    EXPECT_FALSE(parse_graph_options(fmt::format("0.5,{}", limit), options)) << limit;
  }
  EXPECT_EQ(parse_graph("0,4294967295").print_limit, std::numeric_limits<u32>::max());
  EXPECT_EQ(parse_graph("1,2,3").print_limit, 3u) << "the last one holds, as for words";
}

TEST(GraphOptions, AThresholdIsAPartOfTheEventOrOfTheParent) {
  GraphOptions options;
  options.least_percent = 5;
  EXPECT_EQ(least_total(1000, options), 50u);
  EXPECT_EQ(least_share(options), 0);
  options.mode = GraphMode::Fractal;
  EXPECT_EQ(least_total(1000, options), 0u);
  EXPECT_DOUBLE_EQ(least_share(options), 0.05);
}

TEST(GraphOptions, AThresholdAboveAllHidesAll) {
  GraphOptions options = parse_graph("1e300");
  EXPECT_GT(least_total(1000, options), 1000u);
  EXPECT_GT(least_total(~u64{0} / 2, options), ~u64{0} / 2);
  EXPECT_EQ(least_total(0, options), 0u);
}

}  // namespace
}  // namespace peregrine
