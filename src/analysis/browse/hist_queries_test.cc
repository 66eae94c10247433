#include "analysis/browse/hist_queries.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "support/word_profile.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A profile of two threads of "sh" and one of "cc", as a screen sees it. Columns: comm, dso, symbol; thread and socket
// were also collected.
struct HistQueriesTest : ::testing::Test {
  HistQueriesTest() : profile(3) {
    options.columns = *parse_columns({.sort = "comm,dso,symbol"});
    options.keys = options.columns.keys;
    options.keys.push_back(SortKey::Pid);
    options.keys.push_back(SortKey::Socket);
    options.tables = {{0}};
    options.names = {"cycles"};
    options.graphs = true;
    options.graph.order = ChainOrder::Caller;
  }
  // The profile that most tests use.
  void add_two_shells_and_a_compiler() {
    add("sh", 10, 0, {"sh:main", "libc.so:malloc"}, 50);
    add("sh", 11, 1, {"sh:main", "sh:parse"}, 30);
    add("cc", 20, 0, {"cc:main", "cc:parse", "libc.so:malloc"}, 20);
  }
  Hists::Hit add(std::string_view comm, u32 tid, i32 socket, const std::vector<std::string_view>& chain, u64 period,
                 char level = '.') {
    return profile.add({.values = {profile.words.id(comm), tid, static_cast<u64>(i64{socket})},
                        .chain = chain,
                        .period = period,
                        .thread = tid,
                        .level = level});
  }
  HistQueries& queries() {
    if (!made) {
      made = std::make_unique<HistQueries>(options, profile.words);
      made->show(profile.hists);
    }
    return *made;
  }
  // "comm dso symbol period" of each row on the page.
  std::vector<std::string> rows(const BrowseLook& look) {
    std::vector<std::string> result;
    const BrowsePage& page = queries().page(look);
    for (const u32 at : page.rows) {
      const Row& row = page.table->rows()[at];
      const FrameLook& face = page.table->frame_look(row);
      const FaceTable& faces = page.table->faces();
      result.push_back(fmt::format("{} {} {} {}", page.table->group_text(row, SortKey::Comm), faces.text(face.dso),
                                   face.symbol.valid() ? faces.text(face.symbol) : "?", page.table->sums(row).period));
    }
    return result;
  }
  // The position of that symbol's row on the page.
  u32 row_of(std::string_view symbol) {
    const BrowsePage& page = queries().page({});
    for (const u32 at : page.rows)
      if (const FrameLook& face = page.table->frame_look(page.table->rows()[at]);
          face.symbol.valid() && page.table->faces().text(face.symbol) == symbol)
        return at;
    ADD_FAILURE() << "no row of " << symbol;
    return 0;
  }
  static std::vector<std::string> texts(const std::vector<NamedSum>& sums) {
    std::vector<std::string> result;
    for (const NamedSum& sum : sums) result.push_back(fmt::format("{} {}/{}", sum.name, sum.period, sum.samples));
    return result;
  }

  support::WordProfile profile;
  BrowseOptions options;
  std::unique_ptr<HistQueries> made;
};

TEST_F(HistQueriesTest, ShowsAllRowsWithoutAZoom) {
  add_two_shells_and_a_compiler();
  EXPECT_THAT(rows({}), ElementsAre("sh libc.so malloc 50", "sh sh parse 30", "cc libc.so malloc 20"));
  const BrowsePage& page = queries().page({});
  EXPECT_EQ(page.total, 100u);
  EXPECT_EQ(page.period, 100u);
  EXPECT_EQ(page.samples, 3u);
}

TEST_F(HistQueriesTest, ZoomsIntoThreadsCommandsAndSocketsBySample) {
  add_two_shells_and_a_compiler();
  using Kind = Zoom::Kind;
  const struct Case {
    Zoom zoom;
    std::vector<std::string> rows;
  } cases[] = {
      {{.kind = Kind::Thread, .name = "sh", .value = 11}, {"sh sh parse 30"}},
      {{.kind = Kind::Comm, .name = "sh", .value = profile.words.id("sh")}, {"sh libc.so malloc 50", "sh sh parse 30"}},
      {{.kind = Kind::Socket, .name = "socket 0", .value = 0}, {"sh libc.so malloc 50", "cc libc.so malloc 20"}},
      {{.kind = Kind::Thread, .name = "gone", .value = 99}, {}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.zoom.name);
    EXPECT_EQ(rows({.trail = {each.zoom}}), each.rows);
  }
}

TEST_F(HistQueriesTest, ZoomsIntoAFunctionWithAllThatItCalls) {
  add_two_shells_and_a_compiler();
  EXPECT_THAT(rows({.trail = {{.kind = Zoom::Kind::Symbol, .name = "parse"}}}),
              ElementsAre("sh sh parse 30", "cc libc.so malloc 20"));
}

TEST_F(HistQueriesTest, EachStepOfATrailNarrowsWhatTheLastOneLeft) {
  add_two_shells_and_a_compiler();
  BrowseLook look{.trail = {{.kind = Zoom::Kind::Socket, .name = "socket 0", .value = 0},
                            {.kind = Zoom::Kind::Symbol, .name = "parse"}}};
  EXPECT_THAT(rows(look), ElementsAre("cc libc.so malloc 20"));
  const BrowsePage& page = queries().page(look);
  EXPECT_EQ(page.samples, 1u);
  EXPECT_EQ(page.period, 20u);
  EXPECT_EQ(page.total, 100u) << "percentages stay those of the whole profile";
  look.relative = true;
  EXPECT_EQ(queries().page(look).total, 20u);
  look.trail.clear();
  EXPECT_EQ(rows(look).size(), 3u) << "without the steps, all is back";
}

TEST_F(HistQueriesTest, ZoomsIntoALibraryOrTheKernelByRow) {
  add("sh", 10, 0, {"sh:main", "libc.so:malloc"}, 50);
  add("sh", 10, 0, {"sh:main", "[kernel]:clear_page"}, 9, 'k');
  EXPECT_THAT(rows({.trail = {{.kind = Zoom::Kind::Dso, .name = "libc.so"}}}), ElementsAre("sh libc.so malloc 50"));
  EXPECT_THAT(rows({.trail = {{.kind = Zoom::Kind::Dso, .name = "libc"}}}), IsEmpty()) << "the whole name";
  EXPECT_THAT(rows({.trail = {{.kind = Zoom::Kind::Kernel}}}), ElementsAre("sh [kernel] clear_page 9"));
}

TEST_F(HistQueriesTest, FiltersRowsByTextInAnyColumn) {
  add_two_shells_and_a_compiler();
  const struct Case {
    std::string filter;
    std::vector<std::string> rows;
  } cases[] = {
      {"MALL", {"sh libc.so malloc 50", "cc libc.so malloc 20"}},
      {".so", {"sh libc.so malloc 50", "cc libc.so malloc 20"}},
      {"Cc", {"cc libc.so malloc 20"}},
      {"main", {}},  // a caller without a row
      {"", {"sh libc.so malloc 50", "sh sh parse 30", "cc libc.so malloc 20"}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.filter);
    EXPECT_EQ(rows({.filter = each.filter}), each.rows);
  }
}

TEST_F(HistQueriesTest, SearchesChainsForSamplesThatPassThroughAFunction) {
  add_two_shells_and_a_compiler();
  EXPECT_THAT(rows({.filter = "PARSE", .search_chains = true}), ElementsAre("sh sh parse 30", "cc libc.so malloc 20"));
  EXPECT_EQ(rows({.filter = "main", .search_chains = true}).size(), 3u);
  EXPECT_THAT(rows({.filter = "libc", .search_chains = true}), IsEmpty()) << "names of libraries are not searched";
}

TEST_F(HistQueriesTest, HidesRowsBelowAPercentageOfTheTotal) {
  add_two_shells_and_a_compiler();
  EXPECT_EQ(rows({.percent_limit = 20}).size(), 3u) << "20 of 100 is not below 20 %";
  EXPECT_THAT(rows({.percent_limit = 20.1}), ElementsAre("sh libc.so malloc 50", "sh sh parse 30"));
  // After filtering by socket 0, the compiler's row has 20 of 70.
  const Zoom socket{.kind = Zoom::Kind::Socket, .name = "socket 0", .value = 0};
  EXPECT_EQ(rows({.trail = {socket}, .percent_limit = 25}).size(), 1u);
  EXPECT_EQ(rows({.trail = {socket}, .percent_limit = 25, .relative = true}).size(), 2u);
}

TEST_F(HistQueriesTest, ListsTheThreadsAndSocketsOfARow) {
  add_two_shells_and_a_compiler();
  add("sh", 11, -1, {"sh:main", "libc.so:malloc"}, 60);
  add("sh", 10, 0, {"libc.so:malloc"}, 1);
  const u32 malloc_of_sh = row_of("malloc");
  EXPECT_THAT(texts(queries().parts(malloc_of_sh, Zoom::Kind::Thread)),
              ElementsAre("thread-11 (11) 60/1", "thread-10 (10) 51/2"));
  EXPECT_THAT(texts(queries().parts(malloc_of_sh, Zoom::Kind::Socket)), ElementsAre("socket 0 51/2"))
      << "a sample of an unknown socket is in none";
  EXPECT_EQ(queries().parts(malloc_of_sh, Zoom::Kind::Thread)[0].value, 11u) << "to zoom into it";
}

TEST_F(HistQueriesTest, ListsTheThreadsOfSamplesThroughARow) {
  options.children = true;
  options.columns = *parse_columns({.sort = "comm,dso,symbol", .children = true});
  add_two_shells_and_a_compiler();
  EXPECT_THAT(queries().parts(row_of("main"), Zoom::Kind::Thread), IsEmpty()) << "main has no samples itself";
  const BrowsePage& page = queries().page({});
  std::vector<std::string> threads;
  for (const u32 row : page.rows) {
    const FrameLook& face = page.table->frame_look(page.table->rows()[row]);
    if (page.table->faces().text(face.symbol) == "main")
      for (const std::string& text : texts(queries().parts_through(row, Zoom::Kind::Thread))) threads.push_back(text);
  }
  EXPECT_THAT(threads, ElementsAre("thread-10 (10) 50/1", "thread-11 (11) 30/1", "thread-20 (20) 20/1"))
      << "of sh, then of cc";
}

// A filter may remove the first sample of a row, which gives an address without a map its level.
TEST_F(HistQueriesTest, FiltersKeepTheLevelOfAddressesWithoutAMap) {
  add("sh", 10, 0, {"sh:main", "0x0"}, 5, '.');
  add("sh", 10, 0, {"sh:other", "0x0"}, 5, '.');
  add("sh", 10, 0, {"sh:main", "0x0"}, 7, 'k');
  add("sh", 10, 0, {"sh:work", "0x0"}, 9, 'k');
  const auto levels = [&](const BrowseLook& look) {
    std::string text;
    const BrowsePage& page = queries().page(look);
    for (const u32 at : page.rows) text += page.table->rows()[at].level;
    return text;
  };
  const std::string all = levels({});
  EXPECT_EQ(levels({.filter = "work", .search_chains = true}), all);
  EXPECT_EQ(levels({.trail = {{.kind = Zoom::Kind::Symbol, .name = "work"}}}), all);
}

TEST_F(HistQueriesTest, HasNoPartsByWhatWasNotCollected) {
  options.keys = options.columns.keys;
  add_two_shells_and_a_compiler();
  EXPECT_THAT(queries().parts(row_of("malloc"), Zoom::Kind::Thread), IsEmpty());
  EXPECT_THAT(queries().parts(row_of("malloc"), Zoom::Kind::Socket), IsEmpty());
}

TEST_F(HistQueriesTest, ListsTheKeptSamplesOfARowByTime) {
  for (const u64 time : {30, 10, 20}) {
    const Hists::Hit hit = add("sh", 10, 0, {"sh:main"}, 1);
    profile.hists.keep(hit.group.value, hit.leaf.value, hit.chain.value, {.time = time, .ordinal = time}, 5);
  }
  add("sh", 10, 0, {"sh:other"}, 100);
  const std::vector<KeptSample> kept = queries().samples(row_of("main"));
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].time, 10u);
  EXPECT_EQ(kept[2].time, 30u);
  EXPECT_THAT(queries().samples(row_of("other")), IsEmpty());
}

TEST_F(HistQueriesTest, AFunctionHasCallersAndCallees) {
  add("sh", 10, 0, {"sh:main", "sh:work", "sh:leaf"}, 10);
  add("sh", 10, 0, {"sh:start", "sh:work", "sh:leaf"}, 20);
  add("sh", 10, 0, {"sh:main", "sh:work", "sh:other"}, 4);
  add("sh", 10, 0, {"sh:main", "sh:work"}, 5);
  add("sh", 10, 0, {"sh:main"}, 100);
  const Butterfly work = queries().butterfly({}, "work");
  EXPECT_EQ(work.total, 139u);
  EXPECT_EQ(work.whole, 39u);
  EXPECT_EQ(work.own, 5u);
  EXPECT_THAT(texts(work.callers), ElementsAre("start 20/1", "main 19/3"));
  EXPECT_THAT(texts(work.callees), ElementsAre("leaf 30/2", "other 4/1"));
}

TEST_F(HistQueriesTest, ARecursiveFunctionIsCalledFromOutsideAndCallsInside) {
  add("sh", 10, 0, {"sh:main", "sh:walk", "sh:visit", "sh:walk", "sh:leaf"}, 7);
  const Butterfly walk = queries().butterfly({}, "walk");
  EXPECT_EQ(walk.whole, 7u) << "a sample counts once";
  EXPECT_THAT(texts(walk.callers), ElementsAre("main 7/1"));
  EXPECT_THAT(texts(walk.callees), ElementsAre("leaf 7/1"));
}

// Precise samples name the instruction that caused the event. The chain is recorded a moment later, possibly when the
// function has already returned to its caller.
TEST_F(HistQueriesTest, ASampleOutsideOfItsChainIsTheFunctionsOwn) {
  profile.add({.values = {profile.words.id("sh"), 10, 0}, .chain = {"sh:start", "sh:main"}, .leaf = "sh:work"});
  profile.add({.values = {profile.words.id("sh"), 10, 0}, .leaf = "sh:work"});  // no chain
  const Butterfly work = queries().butterfly({}, "work");
  EXPECT_EQ(work.whole, 2u);
  EXPECT_EQ(work.own, 2u);
  EXPECT_THAT(work.callees, IsEmpty());
  EXPECT_THAT(work.callers, IsEmpty());
}

TEST_F(HistQueriesTest, ButterfliesAndFlamesFollowTheTrail) {
  add_two_shells_and_a_compiler();
  const BrowseLook compiler{.trail = {{.kind = Zoom::Kind::Comm, .name = "cc", .value = profile.words.id("cc")}}};
  EXPECT_THAT(texts(queries().butterfly(compiler, "malloc").callers), ElementsAre("parse 20/1"));
  EXPECT_EQ(queries().butterfly(compiler, "malloc").total, 20u);
  const FlameTree flames = queries().flames(compiler);
  std::vector<std::string> boxes;
  for (const FlameBox& box : flames.boxes) boxes.push_back(fmt::format("{} {}", box.name, box.period));
  EXPECT_THAT(boxes, ElementsAre("all 20", "cc 20", "main 20", "parse 20", "malloc 20"));
}

TEST_F(HistQueriesTest, TheTreeHasTheRowsOfTheLastPage) {
  add_two_shells_and_a_compiler();
  const auto roots = [&](const BrowseLook& look) {
    std::vector<std::string> result;
    const BrowsePage& page = queries().page(look);
    const RowTree& tree = queries().tree();
    for (const u32 root : tree.roots())
      result.push_back(fmt::format(
          "{} {}", page.table->group_text(page.table->rows()[tree.node(root).row], SortKey::Comm), tree.weight(root)));
    return result;
  };
  EXPECT_THAT(roots({}), ElementsAre("sh 80", "cc 20"));
  EXPECT_THAT(roots({.filter = "parse"}), ElementsAre("sh 30"));
}

TEST_F(HistQueriesTest, TablesAreEventsOrGroups) {
  options.tables = {{0, 1}, {2}};
  options.names = {"cycles, faults", "switches"};
  add_two_shells_and_a_compiler();
  profile.add({.event = 1, .values = {profile.words.id("sh"), 10, 0}, .chain = {"sh:main"}, .period = 4});
  profile.add({.event = 2, .values = {profile.words.id("sh"), 10, 0}, .chain = {"sh:wait"}, .period = 6});
  const std::vector<TableLine> lines = queries().tables();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "cycles, faults");
  EXPECT_EQ(lines[0].samples, 4u);
  EXPECT_EQ(lines[0].period, 104u);
  EXPECT_EQ(lines[1].period, 6u);
  EXPECT_THAT(rows({.table = 1}), ElementsAre("sh sh wait 6"));
  EXPECT_EQ(rows({}).size(), 4u) << "the group's other event has a row too";
}

TEST_F(HistQueriesTest, AMemberOfAGroupCanSortItsRows) {
  options.tables = {{0, 1}};
  for (const auto& [symbol, first, second] : {std::tuple("sh:a", 9, 1), {"sh:b", 5, 5}, {"sh:c", 1, 9}})
    for (const auto& [event, period] : {std::pair(0u, first), {1u, second}})
      profile.add({.event = event,
                   .values = {profile.words.id("sh"), 10, 0},
                   .chain = {symbol},
                   .period = static_cast<u64>(period)});
  EXPECT_THAT(rows({}), ElementsAre("sh sh a 9", "sh sh b 5", "sh sh c 1"));
  EXPECT_THAT(rows({.sort_member = 1}), ElementsAre("sh sh c 1", "sh sh b 5", "sh sh a 9"));
}

// The events of a recording have different fields; columns that would always be empty are omitted.
TEST_F(HistQueriesTest, ColumnsOfOtherEventsAreHidden) {
  options.columns.shown.push_back(column_of(dynamic_key(0)));
  options.columns.shown.push_back(column_of(dynamic_key(1)));
  options.columns.fields = {{.name = "next_pid", .event = 0}, {.name = "irq", .event = 1}};
  add_two_shells_and_a_compiler();
  const std::vector<Column>& shown = queries().page({}).table->request().columns.shown;
  EXPECT_THAT(shown, ::testing::Contains(column_of(dynamic_key(0))));
  EXPECT_THAT(shown, ::testing::Not(::testing::Contains(column_of(dynamic_key(1)))));
}

TEST_F(HistQueriesTest, GraphsLeaveOutWhatIsBelowTheThreshold) {
  add("sh", 10, 0, {"sh:main", "sh:hot"}, 96);
  add("sh", 10, 0, {"sh:idle", "sh:hot"}, 4);
  options.graph.least_percent = 5;
  const CallGraph graph = queries().graph(row_of("hot"));
  ASSERT_FALSE(graph.empty());
  EXPECT_EQ(graph.least, 5u);
  EXPECT_EQ(graph.nodes[0].child_count, 1u) << "the chain of 4 is not shown";
}

TEST_F(HistQueriesTest, FramesOfRowsAreThoseOfTheProfile) {
  add_two_shells_and_a_compiler();
  const HistFrameId id = queries().frame_of(row_of("malloc"));
  EXPECT_EQ(queries().frame(id), profile.words.frame("libc.so:malloc"));
  queries().set_dsos([&](u32 dso) { return "file " + std::string(profile.words.dso(dso)); });
  EXPECT_EQ(queries().describe_dso(id), "file libc.so");
  EXPECT_EQ(queries().describe_dso(profile.intern("0x40")), "No map covers this address.");
}

TEST_F(HistQueriesTest, ShowsANewProfileAtOnce) {
  add_two_shells_and_a_compiler();
  EXPECT_EQ(rows({}).size(), 3u);
  Hists next(4);
  next.totals(0).period = 7;
  queries().show(next);
  EXPECT_THAT(rows({}), IsEmpty());
  EXPECT_EQ(queries().page({}).total, 7u);
}

TEST_F(HistQueriesTest, SaysWhatItsOwnerDidNotProvide) {
  add_two_shells_and_a_compiler();
  EXPECT_EQ(queries().header(), "");
  EXPECT_THAT(queries().activity(10), IsEmpty());
  EXPECT_TRUE(queries().progress().complete);
  const auto code = queries().annotate(profile.words.frame("sh:main"), 0);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(code.error().message, "code cannot be shown here");
}

TEST(ContainsAnyCase, IgnoresTheCaseOfLettersOnly) {
  const struct Case {
    std::string_view text, part;
    bool contained;
  } cases[] = {{"xABCy", "abc", true},  {"malloc", "LOC", true},        {"malloc", "malloc_", false},
               {"", "a", false},        {"anything", "", true},         {"", "", true},
               {"a[0]", "A{0}", false}, {"\xc3\x84", "\xc3\xa4", false}};
  for (const Case& each : cases)
    EXPECT_EQ(contains_any_case(each.text, each.part), each.contained) << each.text << " / " << each.part;
}

}  // namespace
}  // namespace peregrine
