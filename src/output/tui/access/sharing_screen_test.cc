// The screen of c2c report for two cache lines: `reader` loads both, `writer` stores to them.
#include "output/tui/access/sharing_screen.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "output/tui/screen/test_keys.h"
#include "output/tui/screen/test_screen.h"

namespace peregrine::tui {
namespace {

SharingRow row_of_code(u32 number, u64 code) {
  SharingRow row{.number = number, .offset = 8 * number, .pid = 7, .tid = 8, .code = code, .comm = "load"};
  row.counts.records = 3;
  return row;
}

// A line that `reader` found modified `hitm` times, and that `writer` wrote to.
SharedLine line_at(u64 address, u64 hitm) {
  SharedLine line{.address = address};
  SharingRow reader = row_of_code(0, 0x1000), writer = row_of_code(1, 0x2000);
  reader.counts.loads = reader.counts.local_hitm = hitm;
  reader.load.add(100);
  reader.cpus[0].local_hitm = hitm;
  writer.counts.stores = writer.counts.l1_stores = 4;
  writer.cpus[5].stores = 4;
  line.counts.records = 6;
  line.counts.loads = line.counts.local_hitm = hitm;
  line.counts.stores = line.counts.l1_stores = 4;
  line.rows = {reader, writer};
  return line;
}

class SharingScreenTest : public ::testing::Test {
 protected:
  SharingScreenTest() : lines_{line_at(0x7f0000001000, 20), line_at(0x7f0000002000, 1)} {
    for (const SharedLine& line : lines_) all_ += line.counts;
    function_.row = &lines_[0].rows[0];
    function_.cycles = 2100;
    function_.stores = 8;
    function_.writers = {{.row = &lines_[0].rows[1], .stores = 8, .lines = {{&lines_[0], 4}, {&lines_[1], 4}}}};
  }
  static SharingLook look() {
    SharingLook look;
    look.node_of_cpu = [](u32 cpu) { return static_cast<i32>(cpu / 4); };
    look.node_of_memory = [](u64) { return 0; };
    look.symbol = [](const SharingRow& row) { return row.code == 0x1000 ? "reader" : "writer"; };
    look.object = [](const SharingRow&) { return "prog"; };
    look.source = [](const SharingRow&) { return "main.c:1"; };
    return look;
  }
  // The pictures: one before each key and one after the last.
  std::vector<std::string> shown(std::initializer_list<Key> keys, bool functions_first = false,
                                 bool has_functions = true, unsigned width = 100) const {
    TestScreen screen(width, 16, keys);
    show_sharing(screen,
                 {.lines = lines_,
                  .all = all_,
                  .functions = std::span(&function_, has_functions ? 1 : 0),
                  .has_functions = has_functions,
                  .functions_first = functions_first},
                 look());
    return screen.pictures;
  }

  std::vector<SharedLine> lines_;
  AccessCounts all_;
  ContendedFunction function_;
};

TEST_F(SharingScreenTest, BeginsWithTheLines) {
  const std::string picture = shown({}).at(0);
  EXPECT_TRUE(picture.starts_with("2 shared cache lines, 21 loads of lines modified elsewhere (HITM)\n")) << picture;
  EXPECT_TRUE(picture.contains("0x7f0000001000") && picture.contains("0x7f0000002000")) << picture;
  EXPECT_TRUE(picture.ends_with("h: keys  Enter: accesses  Tab: functions  /: find  q: quit\n"));
}

TEST_F(SharingScreenTest, EnterShowsTheCodeThatTouchesALine) {
  const auto pictures = shown({of(Key::Code::Down), of(Key::Code::Enter), of(Key::Code::Escape)});
  ASSERT_EQ(pictures.size(), 4u);
  EXPECT_TRUE(pictures[2].starts_with("cache line 0x7f0000002000: 6 records\n")) << pictures[2];
  EXPECT_TRUE(pictures[3].starts_with("2 shared cache lines")) << "Escape goes back";
}

TEST_F(SharingScreenTest, NodesAreShownInThreeWays) {
  const auto pictures = shown({letter(U'd'), letter(U'n'), letter(U'n'), letter(U'n')}, false, true, 300);
  ASSERT_EQ(pictures.size(), 5u);
  EXPECT_NE(pictures[1], pictures[2]);
  EXPECT_NE(pictures[2], pictures[3]);
  EXPECT_NE(pictures[1], pictures[3]);
  EXPECT_EQ(pictures[1], pictures[4]);
}

TEST_F(SharingScreenTest, FunctionsOpenToWritersAndTheirLines) {
  const auto pictures = shown({of(Key::Code::Tab), of(Key::Code::Enter), of(Key::Code::Down), letter(U'+'),
                               of(Key::Code::Down), of(Key::Code::Enter)});
  ASSERT_EQ(pictures.size(), 7u);
  EXPECT_TRUE(pictures[1].starts_with("1 function that loads lines written by others, sorted by load cycles\n"))
      << pictures[1];
  EXPECT_TRUE(pictures[1].contains("reader") && !pictures[1].contains("writer")) << pictures[1];
  EXPECT_TRUE(pictures[2].contains("writer") && !pictures[2].contains("0x7f0000001000")) << pictures[2];
  EXPECT_TRUE(pictures[4].contains("0x7f0000001000") && pictures[4].contains("0x7f0000002000")) << pictures[4];
  EXPECT_TRUE(pictures[6].starts_with("cache line 0x7f0000001000: 6 records\n")) << pictures[6];
}

TEST_F(SharingScreenTest, OpenFunctionsClose) {
  const auto pictures = shown({of(Key::Code::Enter), of(Key::Code::Enter)}, true);
  ASSERT_EQ(pictures.size(), 3u);
  EXPECT_TRUE(pictures[1].contains("writer"));
  EXPECT_EQ(pictures[2], pictures[0]);
}

TEST_F(SharingScreenTest, TabGoesToTheOtherListAndBack) {
  const auto lines = shown({of(Key::Code::Tab), of(Key::Code::Tab)});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], lines[2]);
  const auto functions = shown({of(Key::Code::Tab), of(Key::Code::Tab), letter(U'q'), letter(U'x')}, true);
  ASSERT_EQ(functions.size(), 3u) << "q in the first list ends";
  EXPECT_TRUE(functions[1].starts_with("2 shared cache lines"));
  EXPECT_EQ(functions[0], functions[2]);
}

TEST_F(SharingScreenTest, SaysWhyThereAreNoFunctions) {
  const auto pictures = shown({of(Key::Code::Tab)}, false, false);
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_FALSE(pictures[0].contains("Tab: functions"));
  EXPECT_TRUE(pictures[1].contains("because -c omits the code address.")) << pictures[1];
}

TEST_F(SharingScreenTest, HelpIsThereInEveryList) {
  for (const auto& picture : {shown({letter(U'h')}).at(1), shown({letter(U'?')}, true).at(1),
                              shown({of(Key::Code::Enter), letter(U'h')}).at(2)})
    EXPECT_TRUE(picture.contains("show accesses to the line")) << picture;
}

TEST_F(SharingScreenTest, WithoutLinesThereIsNothingToOpen) {
  lines_.clear();
  all_ = {};
  const auto pictures = shown({of(Key::Code::Enter), of(Key::Code::Down), letter(U'd'), letter(U'q')}, false, false);
  ASSERT_EQ(pictures.size(), 4u);
  EXPECT_TRUE(pictures[3].starts_with("0 shared cache lines, 0 loads"));
}

}  // namespace
}  // namespace peregrine::tui
