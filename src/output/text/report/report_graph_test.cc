#include "output/text/report/report_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "analysis/task/task_tree.h"
#include "machine/process/thread_table.h"
#include "output/text/report/task_text.h"
#include "support/named_frames.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

using support::NamedFrames;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A row of 100 of the 200 that were recorded:
//
//   60  work ◀ main          6 samples
//   30  idle                 3 samples, 1 of them with a period of 10 ends here
//       20  leaf             2 samples
class PrintedGraph : public ::testing::Test {
 protected:
  static constexpr u64 kRow = 100, kAll = 200;

  PrintedGraph() {
    graph.frames = {frames.function("work"), frames.function("main"), frames.function("idle"), frames.function("leaf")};
    graph.nodes = {{.first_child = 1, .child_count = 2, .total = 100, .total_samples = 10},
                   {.first_frame = 0, .frame_count = 2, .own = 60, .total = 60, .own_samples = 6, .total_samples = 6},
                   {.first_frame = 2,
                    .frame_count = 1,
                    .first_child = 3,
                    .child_count = 1,
                    .own = 10,
                    .total = 30,
                    .own_samples = 1,
                    .total_samples = 3},
                   {.first_frame = 3, .frame_count = 1, .own = 20, .total = 20, .own_samples = 2, .total_samples = 2}};
  }
  std::string print(u64 row = kRow, u64 all = kAll) {
    Sink out;
    print_call_graph(out, graph, frames.faces(), style, row, all);
    return out.take();
  }
  std::string print_as(GraphMode mode, GraphValue value = GraphValue::Percent) {
    style.options.mode = mode;
    style.options.value = value;
    return print();
  }

  NamedFrames frames;
  CallGraph graph;
  GraphText style;
};

TEST_F(PrintedGraph, BranchesHaveSharesOfTheRecording) {
  EXPECT_EQ(print(),
            "            |          \n"
            "            |--30.00%--work\n"
            "            |          main\n"
            "            |          \n"
            "             --15.00%--idle\n"
            "                       |          \n"
            "                        --10.00%--leaf\n"
            "\n");
}

TEST_F(PrintedGraph, FractalBranchesHaveSharesOfTheBranchAndTheRestIsSummed) {
  EXPECT_EQ(print_as(GraphMode::Fractal),
            "            |          \n"
            "            |--60.00%--work\n"
            "            |          main\n"
            "            |          \n"
            "            |--30.00%--idle\n"
            "            |          |          \n"
            "            |           --100.00%--leaf\n"
            "             --10.00%--[...]\n"
            "\n");
}

TEST_F(PrintedGraph, AFirstBranchOfTheWholeRowIsItsStem) {
  graph.nodes[0].child_count = 1;
  const std::string stem = "            |\n            ---work\n               main\n\n";
  EXPECT_EQ(print(60), stem);
  style.skip_first_frame = true;
  EXPECT_EQ(print(60), "            |\n            ---main\n\n") << "the row itself is the first frame";
  style.skip_first_frame = false;
  style.options.print_limit = 1;
  EXPECT_EQ(print(60), "            |\n            ---work\n\n");
}

TEST_F(PrintedGraph, AStemOfTheRowsOwnFrameOnlyIsNothing) {
  graph.nodes = {{.first_child = 1, .child_count = 1, .total = 100},
                 {.first_frame = 0, .frame_count = 1, .own = 100, .total = 100}};
  style.skip_first_frame = true;
  EXPECT_EQ(print(100), "");
}

TEST_F(PrintedGraph, ValuesMayBePeriodsOrSamples) {
  EXPECT_THAT(print_as(GraphMode::Graph, GraphValue::Period), HasSubstr("            |--60--work\n"));
  EXPECT_THAT(print_as(GraphMode::Graph, GraphValue::Count), HasSubstr("            |--6--work\n"));
  EXPECT_THAT(print_as(GraphMode::Fractal, GraphValue::Count), HasSubstr("             --1--[...]\n"));
}

TEST_F(PrintedGraph, EachLevelIsLimited) {
  style.options.print_limit = 1;
  const std::string text = print();
  EXPECT_THAT(text, HasSubstr("--30.00%--work\n"));
  EXPECT_THAT(text, Not(HasSubstr("idle")));
}

TEST_F(PrintedGraph, FlatChainsAreOneBlockEachTheLargestFirst) {
  EXPECT_EQ(print_as(GraphMode::Flat),
            "           30.00%\n                work\n                main\n\n"
            "           10.00%\n                idle\n                leaf\n\n"
            "           15.00%\n                idle\n\n");
}

TEST_F(PrintedGraph, FoldedChainsAreOneLineEach) {
  EXPECT_EQ(print_as(GraphMode::Folded), "30.00% work;main\n10.00% idle;leaf\n5.00% idle\n");
  EXPECT_EQ(print_as(GraphMode::Folded, GraphValue::Count), "6 work;main\n2 idle;leaf\n1 idle\n");
  style.options.print_limit = 2;
  EXPECT_EQ(print_as(GraphMode::Folded, GraphValue::Period), "60 work;main\n20 idle;leaf\n");
}

TEST_F(PrintedGraph, ChainsBelowTheThresholdAreNotListed) {
  graph.least = 20;
  EXPECT_EQ(print_as(GraphMode::Folded, GraphValue::Period), "60 work;main\n20 idle;leaf\n");
}

TEST_F(PrintedGraph, ARecordingWithoutPeriodsHasSharesOfZero) {
  EXPECT_THAT(print(0, 0), HasSubstr("--0.00%--work\n"));
}

TEST_F(PrintedGraph, WithoutBranchesOrWithoutAModeThereIsNone) {
  EXPECT_EQ(print_as(GraphMode::None), "");
  graph.nodes.resize(1);
  for (const GraphMode mode : {GraphMode::Flat, GraphMode::Graph, GraphMode::Fractal, GraphMode::Folded})
    EXPECT_EQ(print_as(mode), "");
}

TEST_F(PrintedGraph, BranchInformationFollowsTheFramesOfBranches) {
  graph.branches = {{.ends = 4, .cycles = 20}};
  EXPECT_THAT(print(), Not(HasSubstr("cycles")));
  style.branch_sums = true;
  EXPECT_THAT(print(), HasSubstr("--30.00%--work (cycles:5)\n            |          main\n"));
}

TEST(GraphFrames, AreNamedBySymbolLineOrAddress) {
  NamedFrames frames;
  const HistFrameId work = frames.function("work", "w.c:7"), min = frames.inlined("min", "work", "w.h:2"),
                    nowhere = frames.address(0x401010), zero = frames.address(0), evil = frames.function("\x1b[2J");
  const FaceTable faces = frames.faces();
  EXPECT_EQ(frame_text(faces, GraphKey::Function, work), "work");
  EXPECT_EQ(frame_text(faces, GraphKey::SourceLine, work), "work w.c:7");
  EXPECT_EQ(frame_text(faces, GraphKey::Address, min), "min w.h:2 (inlined)");
  EXPECT_EQ(frame_text(faces, GraphKey::Function, min), "min (inlined)");
  EXPECT_EQ(frame_text(faces, GraphKey::SourceLine, nowhere), "0x401010");
  EXPECT_EQ(frame_text(faces, GraphKey::Function, zero), "0") << "as C's %#x";
  EXPECT_EQ(frame_text(faces, GraphKey::Function, evil), "\\x1b[2J");
}

TEST(TaskText, IsATreeOfTasksWithTheirMaps) {
  support::ResolvedProgram program;
  const ThreadState state = program.context().thread;
  std::vector<TaskRow> rows(3, {.depth = 0, .task = {.state = state}});
  rows[1].depth = 2;
  rows[1].task.parent = 40;
  rows[2].task.parent = ~0u;
  const auto print = [&](bool with_maps) {
    Sink out;
    print_tasks(out, rows, program.machine, with_maps);
    return out.take();
  };
  EXPECT_EQ(print(false),
            "#      pid      tid     ppid  comm\n"
            "        40       41       -1 |shell\n"
            "        40       41       40 |  shell\n"
            "        40       41       -1 |shell\n");
  rows.resize(2);
  // An mmap(2) record not marked as data is of code; only MMAP2 has the other permissions.
  const std::string map = "  401000-402000 --xp 00001000 0 " + program.file() + "\n";
  EXPECT_THAT(print(true), HasSubstr("|shell\n" + std::string(30, ' ') + map));
  EXPECT_THAT(print(true), EndsWith("|  shell\n" + std::string(32, ' ') + map));
}

// A damaged file may contain a chain of a million tasks.
TEST(TaskText, IndentationIsLimited) {
  support::ResolvedProgram program;
  Sink out;
  const TaskRow row{.depth = 4'000'000'000, .task = {.state = program.context().thread}};
  print_tasks(out, std::span(&row, 1), program.machine, true);
  EXPECT_LT(out.text().size(), 4000u);
}

}  // namespace
}  // namespace peregrine
