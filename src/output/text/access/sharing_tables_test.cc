#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/function_sharing.h"
#include "analysis/sharing/line_sharing.h"
#include "analysis/sharing/sharing_order.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/access/access_lines.h"
#include "output/text/access/sharing_functions.h"
#include "output/text/access/sharing_text.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// Four CPUs per node; memory at 0x20 and above is on node 1.
SharingLook two_nodes() {
  return {.keys = {},
          .node_of_cpu = [](u32 cpu) { return static_cast<i32>(cpu / 4); },
          .node_of_memory = [](u64 physical) { return physical < 0x20 ? 0 : 1; },
          .symbol = [](const SharingRow& row) { return "work" + std::to_string(row.number); },
          .object = [](const SharingRow&) { return "prog"; },
          .source = [](const SharingRow& row) { return "main.c:" + std::to_string(row.number + 1); }};
}

SharingRow writing_row() {
  SharingRow row{.offset = 8, .pid = 7, .tid = 8, .code = 0x401139, .comm = "load"};
  row.counts.records = 4;
  row.counts.remote_hitm = 1;
  row.counts.local_hitm = 2;
  row.counts.l1_stores = row.counts.stores = 2;
  row.cpus[0].local_hitm = row.cpus[1].local_hitm = row.cpus[4].remote_hitm = 1;
  row.cpus[4].stores = 2;
  row.physical = {0x10};
  for (const double cycles : {100.0, 201.0}) row.local_hitm.add(cycles);
  row.load.add(7);
  return row;
}

SharedLine contended_line() {
  SharedLine line{.address = 0x7f0000001000, .physical = {0x10, 0x24}, .rows = {writing_row()}};
  AccessCounts& counts = line.counts;
  counts.records = 15;
  counts.loads = 10;
  counts.stores = 5;
  counts.local_hitm = 2;
  counts.remote_hitm = 4;
  counts.local_peer = 8;
  counts.remote_peer = 9;
  counts.l1_stores = 3;
  counts.l1_missed_stores = 1;
  counts.stores_of_unknown_level = 1;
  counts.fill_buffer = 11;
  counts.l1 = 12;
  counts.l2 = 13;
  counts.llc = 14;
  counts.remote_hit = 16;
  counts.local_dram = 17;
  counts.remote_dram = 18;
  return line;
}

AccessCounts all_accesses() {
  AccessCounts all;
  all.local_hitm = 4;
  all.remote_hitm = 6;
  all.local_peer = 10;
  all.remote_peer = 24;
  return all;
}

std::vector<std::string> line_words(const SharingLook& look) {
  const SharedLine line = contended_line();
  return words_of(table_of_lines(std::span(&line, 1), all_accesses(), look).rows.at(0));
}

TEST(SharingTables, ALineHasItsCountsAndItsShareOfTheOrder) {
  EXPECT_THAT(line_words(two_nodes()),
              ElementsAre("0", "0x7f0000001000", "0,1", "2", "60.00%", "6", "2", "4", "15", "10", "5", "3", "1", "1",
                          "11", "12", "13", "14", "2", "16", "4", "17", "18"));
}

TEST(SharingTables, TheOrderDecidesWhatIsShared) {
  struct Case {
    SharingOrder order;
    std::string_view title, share;
    std::vector<std::string> sums;  // total, local, remote
  };
  const Case cases[] = {
      {SharingOrder::TotalHitm, "Tot", "60.00%", {"6", "2", "4"}},
      {SharingOrder::LocalHitm, "Lcl", "50.00%", {"6", "2", "4"}},
      {SharingOrder::RemoteHitm, "Rmt", "66.67%", {"6", "2", "4"}},
      {SharingOrder::Peer, "Peer", "50.00%", {"17", "8", "9"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.title);
    SharingLook look = two_nodes();
    look.order = one.order;
    const std::vector<std::string> words = line_words(look);
    EXPECT_EQ(words[4], one.share);
    EXPECT_EQ((std::vector(words.begin() + 5, words.begin() + 8)), one.sums);
    const std::vector<std::string> over = words_of(table_of_lines({}, {}, look).head);
    EXPECT_NE(std::ranges::find(over, one.title), over.end());
  }
}

TEST(SharingTables, WithoutAccessesSharesAreZeroAndNodesUnknown) {
  SharingLook look = two_nodes();
  look.node_of_memory = [](u64) { return -1; };
  const SharedLine line{.address = 0x40, .physical = {0x10}};
  const auto words = words_of(table_of_lines(std::span(&line, 1), {}, look).rows.at(0));
  EXPECT_EQ(words[2], "N/A");
  EXPECT_EQ(words[4], "0.00%");
}

std::vector<std::string> row_words(const SharingLook& look) {
  const SharedLine line = contended_line();
  return words_of(table_of_rows(line, std::span(&line, 1), look).rows.at(0));
}

TEST(SharingTables, ARowHasSharesOfItsLineAndMeansOfCycles) {
  EXPECT_THAT(row_words(two_nodes()),
              ElementsAre("25.00%", "100.00%", "66.67%", "0.00%", "0.00%", "0x8", "0", "1", "0x401139", "0", "150", "7",
                          "4", "3", "work0", "prog", "main.c:1", "0", "1"))
      << "the mean of 100 and 201 is rounded to even";
}

TEST(SharingTables, KeysAddColumnsAndOthersGo) {
  SharingLook look = two_nodes();
  look.keys = {.pid = true, .tid = true, .code = false, .dso = true};
  EXPECT_THAT(row_words(look), ElementsAre("25.00%", "100.00%", "66.67%", "0.00%", "0.00%", "0x8", "0", "1", "7",
                                           "8:load", "0", "150", "7", "4", "3", "prog", "0", "1"));
  look.keys.dso = false;
  EXPECT_THAT(row_words(look), Not(testing::Contains("prog")));
  look.keys.code = true;
  look.shows_source = false;
  EXPECT_THAT(row_words(look), Not(testing::Contains("main.c:1")));
}

// How a row's CPUs are distributed over nodes: 0 and 1 are on node 0, 4 on node 1.
TEST(SharingTables, NodesMayBeListsOfCpusOrShares) {
  SharingLook look = two_nodes();
  const auto nodes = [&](NodeLook nodes) {
    look.nodes = nodes;
    const SharedLine line = contended_line();
    const std::string row = table_of_rows(line, std::span(&line, 1), look).rows.at(0);
    return row.substr(row.find("main.c:1") + std::string("main.c:1   ").size());
  };
  EXPECT_THAT(nodes(NodeLook::Ids), EndsWith(" 0  1"));
  EXPECT_THAT(nodes(NodeLook::Cpus), EndsWith(" 0{0-1}  1{4}"));
  EXPECT_THAT(nodes(NodeLook::Shares), EndsWith(" 0{ 2  66.7%   0.0%}  1{ 1  33.3% 100.0%}"));
  look.node_of_cpu = [](u32 cpu) { return cpu == 4 ? 2 : -1; };
  EXPECT_THAT(nodes(NodeLook::Cpus), EndsWith("N/A{0-1}  2{4}"));
}

TEST(SharingTables, AnAbsentNodeLeavesItsColumnEmpty) {
  SharingLook look = two_nodes();
  look.nodes = NodeLook::Shares;
  SharedLine line = contended_line();
  line.rows[0].cpus = {{9, line.rows[0].cpus[4]}};
  line.rows[0].counts.stores = 0;
  EXPECT_THAT(table_of_rows(line, std::span(&line, 1), look).rows.at(0),
              EndsWith(std::string(2 * 21, ' ') + " 2{ 1  33.3%    n/a}"));
}

TEST(SharingTables, CallersFollowTheirRow) {
  SharingLook look = two_nodes();
  look.callers = [](const SharedLine&, const SharingRow&) { return "   ---main\n\n"; };
  const SharedLine line = contended_line();
  EXPECT_THAT(table_of_rows(line, std::span(&line, 1), look).rows.at(0), EndsWith(" 1\n   ---main\n"));
}

TEST(SharingTables, NamesCannotCommandTheTerminal) {
  SharingLook look = two_nodes();
  look.keys.tid = true;
  look.symbol = look.object = look.source = [](const SharingRow&) { return "\x1b[31m"; };
  SharedLine line = contended_line();
  line.rows[0].comm = "\x1b]0;x";
  const std::string row = table_of_rows(line, std::span(&line, 1), look).rows.at(0);
  EXPECT_THAT(row, Not(HasSubstr("\x1b")));
  EXPECT_THAT(row, HasSubstr("8:\\x1b]0;x"));
}

TEST(SharingTables, EachLineHasItsSumsAboveItsRows) {
  SharedLine second = contended_line();
  second.address = 0x7f0000001040;
  const std::vector<SharedLine> lines = {contended_line(), second};
  Sink out;
  print_line_rows(lines, two_nodes(), out);
  const std::string text = out.take();
  const std::string rule = "  " + std::string(70, '-') + "\n";
  EXPECT_THAT(text,
              HasSubstr("#\n" + rule + "      0        4        2        3        1        1      0x7f0000001000"));
  EXPECT_THAT(text,
              HasSubstr("\n\n" + rule + "      1        4        2        3        1        1      0x7f0000001040"));
}

TEST(SharingFunctions, AreThreeLevelsOfWhichEachMayBeClosed) {
  const SharedLine line = contended_line();
  SharingRow writer = writing_row();
  writer.number = 1;
  const SharingRow& reader = line.rows[0];
  const std::vector<ContendedFunction> functions = {
      {.row = &reader, .cycles = 75, .stores = 12, .writers = {{&writer, 12, {{&line, 12}}}}},
      {.row = &writer, .cycles = 25, .stores = 0, .writers = {}}};
  const SharingLook look = two_nodes();
  const FunctionTable open = table_of_functions(functions, look);
  ASSERT_EQ(open.rows.size(), 4u);
  EXPECT_THAT(words_of(open.rows[0]), ElementsAre("75.00%", "12", "0x401139", "work0", "prog"));
  EXPECT_THAT(words_of(open.rows[1]), ElementsAre("12", "0x401139", "work1", "prog"));
  EXPECT_THAT(words_of(open.rows[2]), ElementsAre("12", "0x7f0000001000"));
  EXPECT_THAT(words_of(open.rows[3]), ElementsAre("25.00%", "0", "0x401139", "work1", "prog"));
  EXPECT_EQ(open.places[2], (FunctionPlace{.function = 0, .writer = 0, .line = 0}));
  EXPECT_THAT(table_of_functions(functions, look, [](const FunctionPlace&) { return false; }).places,
              ElementsAre(FunctionPlace{.function = 0, .writer = {}, .line = {}},
                          FunctionPlace{.function = 1, .writer = {}, .line = {}}));
  const FunctionTable half =
      table_of_functions(functions, look, [](const FunctionPlace& place) { return !place.writer; });
  ASSERT_EQ(half.rows.size(), 3u);
  EXPECT_THAT(half.rows[0], HasSubstr("  - work0"));
  EXPECT_THAT(half.rows[1], HasSubstr("    + work1")) << "its lines are hidden";
}

TEST(SharingFunctions, WithoutAnySayWhatIsMissing) {
  const auto page = [](const AccessCounts& all, SharingOrder order) {
    Sink out;
    SharingLook look = two_nodes();
    look.order = order;
    print_shared_functions({}, all, look, out);
    return out.take();
  };
  EXPECT_THAT(
      page({}, SharingOrder::RemoteHitm),
      EndsWith("# No functions: the recording has no remote HITMs (-d rmt); choose another -d: tot, lcl, rmt or "
               "peer\n"));
  EXPECT_THAT(page({}, SharingOrder::Peer), HasSubstr("no loads from other cores' caches (-d peer);"));
  EXPECT_THAT(page(all_accesses(), SharingOrder::TotalHitm),
              EndsWith("# No function loads lines that another one writes\n"));
}

TEST(AccessLines, HaveAFieldPerTitle) {
  support::SampleLines lines;
  lines.sample.addr = 0x7fff10;
  lines.sample.weight = 225;
  lines.sample.data_src = 0x68100142;
  lines.sample.phys_addr = 0x1234;
  lines.sample.data_page_size = 4096;
  const auto print = [&](AccessStyle style) {
    Sink out;
    AccessLines access(std::move(style), out);
    access.sample(lines.replayed(lines.sample), lines.program.resolver, 0);
    return out.take();
  };
  const std::string code = lines.program.file() + ":outer\n";
  EXPECT_EQ(print({}),
            "# PID, TID, IP, ADDR, LOCAL WEIGHT, DSRC, SYMBOL\n40 41 0x1010 0x7fff10 225 0x68100142 " + code);
  EXPECT_EQ(print({.separator = ",", .physical_address = true, .data_page_size = true}),
            "# PID, TID, IP, ADDR, PHYS ADDR, LOCAL WEIGHT, DSRC, DATA PAGE SIZE, SYMBOL\n"
            "40,41,0x1010,0x7fff10,0x0000000000001234,225,0x68100142,4K," +
                code);
  lines.sample.ip = 0x700000;
  EXPECT_THAT(print({}), EndsWith("\n40 41 0x700000 0x7fff10 225 0x68100142 ???:???\n"));
  EXPECT_THAT(print({.hide_unresolved = true}), EndsWith("SYMBOL\n"));
}

}  // namespace
}  // namespace peregrine
