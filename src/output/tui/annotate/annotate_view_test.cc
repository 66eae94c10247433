// The code of a small function on the screen:
//
//   0  push   %rbp
//   1  mov    (%rdi),%eax      10 % of the period, 50 of 100 samples      7 int work() {
//   7  add    $0x1,%eax        60 %, 30                                   8   for (;;)
//   9  jne    1                30 %, 20
//   b  call   2000 <copy>
//  10  ret
#include "output/tui/annotate/annotate_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/tui/report/browser.h"
#include "output/tui/screen/test_keys.h"

namespace peregrine::tui {
namespace {

constexpr u64 kWorkAddress = 0x1000;

ListingLine instruction_at(u64 offset, u32 size, std::string mnemonic, std::string operands) {
  ListingLine line;
  line.code = {
      .address = kWorkAddress + offset, .size = size, .mnemonic = std::move(mnemonic), .operands = std::move(operands)};
  line.offset = offset;
  return line;
}

AnnotatedCode code_of_work() {
  AnnotatedCode code;
  code.listing.symbol = "work";
  code.listing.code.address = kWorkAddress;
  code.listing.code.bytes.assign(0x11, std::byte{0x90});
  code.listing.lines = {instruction_at(0, 1, "push", "%rbp"),     instruction_at(1, 6, "mov", "(%rdi),%eax"),
                        instruction_at(7, 2, "add", "$0x1,%eax"), instruction_at(9, 2, "jne", "1001"),
                        instruction_at(0xb, 5, "call", "2000"),   instruction_at(0x10, 1, "ret", "")};
  ListingLine& mov = code.listing.lines[1];
  mov.place = "/src/work.c:8";
  mov.source = {{7, "int work() {"}, {8, "  for (;;)"}};
  ListingLine& jump = code.listing.lines[3];
  jump.code.target = kWorkAddress + 1;
  jump.target = "work+0x1";
  jump.inside = true;
  ListingLine& call = code.listing.lines[4];
  call.code.target = 0x2000;
  call.target = "copy";
  code.hits.events = {
      {.total = {100, 1000}, .offsets = {{1, {50, 100}}, {7, {30, 600}}, {9, {20, 300}}}},
  };
  code.totals = {{200, 4000}};
  code.events = {0};
  code.dso = "prog";
  return code;
}

class AnnotateViewTest : public ::testing::Test {
 protected:
  AnnotateView& view() {
    if (!view_)
      view_ = std::make_unique<AnnotateView>(
          std::move(code_), [this]() -> Result<AnnotatedCode> { return again_; }, settings_);
    return *view_;
  }
  std::string picture(unsigned width = 60, unsigned height = 13) { return picture_of(view(), width, height, true); }
  // The first line of the picture that contains this text.
  std::string line(std::string_view text) {
    const std::string all = picture();
    const std::size_t at = all.find(text);
    if (at == all.npos) return "no line has it";
    const std::size_t begin = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;
    return all.substr(begin, all.find('\n', at) - begin);
  }
  std::string status() {
    const std::string all = picture();
    return all.substr(all.rfind('\n', all.size() - 2) + 1, all.npos);
  }
  // The instruction under the cursor.
  std::string selected() {
    Canvas canvas(60, 13, true);
    view().draw(canvas);
    std::string text;
    for (unsigned y = 2; y < 12; ++y)
      for (unsigned x = 12; x < 59 && canvas.at(0, y).style == Style::Selected; ++x)
        append_utf8(text, canvas.at(x, y).glyph);
    text.erase(text.find_last_not_of(' ') + 1);
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
  }
  void type(std::u32string_view letters) {
    for (const char32_t each : letters) view().key(letter(each));
  }

  AnnotatedCode code_ = code_of_work();
  Result<AnnotatedCode> again_ = code_of_work();
  ReportSettings settings_;

 private:
  std::unique_ptr<AnnotateView> view_;
};

TEST_F(AnnotateViewTest, ShowsCostsLabelsOfTargetsAndSource) {
  EXPECT_EQ(picture(80, 12),
            "work  prog  100 samples\n"
            " Percent  local period\n"
            "                   push   %rbp\n"
            "                7 int work() {\n"
            "                8   for (;;)\n"
            "   10.00        1: mov    (%rdi),%eax\n"
            "   60.00           add    $0x1,%eax\n"
            "   30.00  ^        jne    <work+0x1>\n"
            "                   call   2000 <copy>\n"
            "                   ret\n"
            "\n"
            "h: keys  H: hottest  Tab: next hottest  /: find  s: source  q: back\n");
}

TEST_F(AnnotateViewTest, NarrowScreensOmitTheLeastImportantHints) {
  EXPECT_TRUE(picture(85, 12).ends_with("  s: source  t, p, b: columns  q: back\n"));
  EXPECT_TRUE(picture(60, 12).ends_with("\nh: keys  H: hottest  /: find  s: source  q: back\n"));
  EXPECT_TRUE(picture(12, 12).starts_with("work\n")) << "and the library and the number of samples";
}

TEST_F(AnnotateViewTest, WalksInstructionsByHeat) {
  EXPECT_EQ(selected(), "add    $0x1,%eax");
  view().key(of(Key::Code::Tab));
  EXPECT_EQ(selected(), "jne    <work+0x1>");
  view().key(of(Key::Code::Tab));
  EXPECT_EQ(selected(), "1: mov    (%rdi),%eax");
  view().key(of(Key::Code::Tab));
  EXPECT_EQ(selected(), "add    $0x1,%eax") << "after the coolest comes the hottest";
  view().key(of(Key::Code::BackTab));
  EXPECT_EQ(selected(), "1: mov    (%rdi),%eax");
  type(U"H");
  EXPECT_EQ(selected(), "add    $0x1,%eax");
}

TEST_F(AnnotateViewTest, HeatFollowsTheNumbersThatAreShown) {
  type(U"bH");  // sorted by samples
  EXPECT_EQ(selected(), "1: mov    (%rdi),%eax");
}

TEST_F(AnnotateViewTest, FollowsJumpsInsideOfTheFunction) {
  view().key(of(Key::Code::Tab));
  EXPECT_EQ(line("mov"), "   10.00  >     1: mov    (%rdi),%eax") << "the target of the jump at the cursor";
  view().key(of(Key::Code::Enter));
  EXPECT_EQ(selected(), "1: mov    (%rdi),%eax");
  view().key(of(Key::Code::Enter));
  EXPECT_EQ(status(), "not a jump within this function\n");
  view().go_to_offset(0xb);
  view().key(of(Key::Code::Right));
  EXPECT_EQ(status(), "not a jump within this function\n") << "a call leads elsewhere";
}

TEST_F(AnnotateViewTest, GoesToTheInstructionAtOrAfterAnOffset) {
  view().go_to_offset(0);
  EXPECT_EQ(selected(), "push   %rbp");
  view().go_to_offset(8);  // inside add
  EXPECT_EQ(selected(), "jne    <work+0x1>");
  view().go_to_offset(0x11);  // past the end of the function
  EXPECT_EQ(selected(), "jne    <work+0x1>");
}

TEST_F(AnnotateViewTest, KeysChangeTheNumbers) {
  struct Case {
    const char32_t* keys;
    const char *titles, *add;
  };
  for (const Case& test : {
           Case{U"", " Percent  local period", "   60.00           add    $0x1,%eax"},
           Case{U"p", " Percent  global period", "   15.00           add    $0x1,%eax"},
           Case{U"b", " Percent  global hits", "   15.00           add    $0x1,%eax"},
           Case{U"p", " Percent  local hits", "   30.00           add    $0x1,%eax"},
           Case{U"t", "  Period", "        600        add    $0x1,%eax"},
           Case{U"t", " Samples", "      30           add    $0x1,%eax"},
           Case{U"tb", " Percent  local period", "   60.00           add    $0x1,%eax"},
       }) {
    type(test.keys);
    EXPECT_TRUE(picture().contains(std::string(test.titles) + "\n")) << picture();
    EXPECT_EQ(line("add"), test.add);
  }
}

TEST_F(AnnotateViewTest, KeysChangeTheLabels) {
  struct Case {
    const char32_t* keys;
    const char *jump, *call;
  };
  for (const Case& test : {
           Case{U"O", "   30.00  ^        jne    <work+0x1>", "                b: call   2000 <copy>"},
           Case{U"O", "   30.00  ^     9: jne    <work+0x1>", "                b: call   2000 <copy>"},
           Case{U"f", "   30.00  ^      1009: jne    <work+0x1>", "                 100b: call   2000 <copy>"},
           Case{U"Oj", "   30.00               jne    <work+0x1>", "                       call   2000 <copy>"},
           Case{U"fJ", "   30.00               jne    <work+0x1>", "                       call   2000 <copy>"},
       }) {
    type(test.keys);
    EXPECT_EQ(line("jne"), test.jump);
    EXPECT_EQ(line("call"), test.call);
  }
  EXPECT_EQ(line("mov"), "   10.00      1     1: mov    (%rdi),%eax") << "one jump leads there";
}

TEST_F(AnnotateViewTest, ShowsAddressesAndBytes) {
  type(U"o");
  EXPECT_EQ(line("add"), "   60.00         1007: 90 90                   add    $0x1,");
  type(U"o");
  EXPECT_EQ(line("add"), "   60.00           add    $0x1,%eax");
}

TEST_F(AnnotateViewTest, KeysChangeTheSource) {
  type(U"k");
  EXPECT_EQ(line("int work"), "            int work() {");
  type(U"l");
  EXPECT_EQ(line("int work"), "            /src/work.c:7  int work() {");
  EXPECT_EQ(selected(), "add    $0x1,%eax");
  type(U"s");
  EXPECT_FALSE(picture().contains("int work"));
  EXPECT_EQ(selected(), "add    $0x1,%eax") << "the cursor stays at the instruction";
}

TEST_F(AnnotateViewTest, WideScreensHaveTheSourceBesideTheCode) {
  const std::string wide = picture(130, 9);
  EXPECT_TRUE(wide.contains("   10.00        1: mov    (%rdi),%eax                            |     8   for (;;)"))
      << wide;
  EXPECT_TRUE(picture(129, 9).contains("\n                8   for (;;)\n"));
}

TEST_F(AnnotateViewTest, FindsWhileTyping) {
  Answer prompt = view().key(letter(U'/'));
  ASSERT_EQ(prompt.kind, Answer::Kind::Open);
  for (const char32_t each : std::u32string_view(U"COPY")) prompt.view->key(letter(each));
  EXPECT_EQ(selected(), "call   2000 <copy>");
  EXPECT_EQ(line("call"), "           *       call   2000 <copy>");
  EXPECT_EQ(prompt.view->key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
  EXPECT_EQ(selected(), "add    $0x1,%eax") << "Escape goes back to where the search began";
  EXPECT_EQ(line("call"), "                   call   2000 <copy>");
}

TEST_F(AnnotateViewTest, RepeatsTheSearchInBothDirections) {
  Answer prompt = view().key(letter(U'/'));
  ASSERT_EQ(prompt.kind, Answer::Kind::Open);
  for (const char32_t each : std::u32string_view(U"%e")) prompt.view->key(letter(each));
  prompt.view->key(of(Key::Code::Enter));
  const std::string first = selected();
  type(U"N");
  EXPECT_EQ(selected(), "1: mov    (%rdi),%eax");
  type(U"N");
  EXPECT_EQ(status(), "not found above\n");
  type(U"nn");
  EXPECT_EQ(selected(), first);
  type(U"nnnn");
  EXPECT_EQ(status(), "not found below\n");
}

TEST_F(AnnotateViewTest, QuestionMarkShowsTheKeys) {
  EXPECT_EQ(view().key(letter(U'?')).kind, Answer::Kind::Open);
  EXPECT_EQ(view().key(letter(U'h')).kind, Answer::Kind::Open);
}

TEST_F(AnnotateViewTest, ClicksChooseLinesOnly) {
  view().key({.code = Key::Code::Click, .x = 20, .y = 2});
  EXPECT_EQ(selected(), "push   %rbp");
  for (const unsigned y : {0u, 1u, 12u}) {  // headings and hint
    view().key({.code = Key::Code::Click, .x = 20, .y = y});
    EXPECT_EQ(selected(), "push   %rbp") << y;
  }
}

TEST_F(AnnotateViewTest, TypesOfDataAreFoundWhenTheyAreWanted) {
  unsigned asked = 0;
  code_.add_types = [&asked](Listing& listing) {
    ++asked;
    listing.lines[1].data_type = "struct node +0x8 (next)";
  };
  view();
  EXPECT_EQ(asked, 0u);
  type(U"T");
  EXPECT_EQ(line("mov"), "   10.00        1: mov    (%rdi),%eax   # data-type: struct");
  type(U"TT");
  EXPECT_EQ(asked, 1u) << "they are known already";
}

TEST_F(AnnotateViewTest, SaysThatNoTypesAreKnown) {
  type(U"T");
  EXPECT_EQ(status(), "no data types: only for x86-64 or arm64 code built with -g\n");
}

TEST_F(AnnotateViewTest, SaysWhatItCannotDo) {
  type(U"c");
  EXPECT_EQ(status(), "no branch cycles recorded for this code\n");
  type(U"r");  // scripts are not available here
  EXPECT_EQ(status(), "press ? for keys\n");
  type(U"y");
  EXPECT_EQ(status(), "press ? for keys\n");
}

TEST_F(AnnotateViewTest, WritesTheCode) {
  type(U"P");
  EXPECT_TRUE(status().starts_with("h: keys")) << "nobody writes it here";
  settings_.print_code = [](const AnnotatedCode& code) -> Result<std::string> {
    return code.listing.symbol + ".annotation";
  };
  type(U"P");
  EXPECT_EQ(status(), "wrote work.annotation\n");
  settings_.print_code = [](const AnnotatedCode&) -> Result<std::string> {
    return fail(ErrorKind::Denied, "no space");
  };
  type(U"P");
  EXPECT_EQ(status(), "no space\n");
}

TEST_F(AnnotateViewTest, ShowsCyclesWhereBranchesHaveThem) {
  // The loop ran 10 times: 3 instructions in 60 cycles in total, 4 to 9 cycles per run.
  code_.hits.runs = {
      {.begin = 1, .end = 9, .count = 10, .predicted = 9, .timed = 10, .cycles = 60, .least = 4, .most = 9}};
  EXPECT_TRUE(picture(80).starts_with("work  prog  100 samples  IPC 0.50, coverage 50.0%\n")) << picture();
  EXPECT_EQ(line("jne"), "   30.00     0.50      6 ^        jne    <work+0x1>");
  EXPECT_EQ(line("add"), "   60.00     0.50                 add    $0x1,%eax");
  EXPECT_EQ(line("call"), "                                  call   2000 <copy>");
  type(U"c");
  EXPECT_TRUE(line("jne").starts_with("   30.00     0.50      6 (4/9)")) << line("jne");
  EXPECT_TRUE(line("IPC  Cycle").contains(" (min/max)")) << line("IPC  Cycle");
}

TEST_F(AnnotateViewTest, NewSamplesKeepTheCursorAndErrorsTheCode) {
  view().go_to_offset(0xb);
  again_->hits.events[0] = {.total = {1, 10}, .offsets = {{0xb, {1, 10}}}};
  view().renew();
  EXPECT_EQ(line("call"), "  100.00           call   2000 <copy>");
  EXPECT_EQ(selected(), "call   2000 <copy>");
  again_ = fail(ErrorKind::NotFound, "the file is gone");
  view().renew();
  EXPECT_EQ(line("call"), "  100.00           call   2000 <copy>");
}

TEST_F(AnnotateViewTest, ShowsCodeWithoutSamplesOrLines) {
  code_.hits.events[0] = {};
  view().key(of(Key::Code::Tab));
  view().key(of(Key::Code::BackTab));
  EXPECT_EQ(selected(), "push   %rbp");
  again_->listing.lines.clear();
  view().renew();
  for (const Key::Code code : {Key::Code::Enter, Key::Code::Down, Key::Code::End, Key::Code::Tab}) view().key(of(code));
  type(U"sHnP");
  EXPECT_TRUE(picture().starts_with("work  prog  100 samples\n Percent  local period\n\n"));
  EXPECT_TRUE(picture(200, 3).starts_with("work  prog"));
}

TEST_F(AnnotateViewTest, KeysThatLeave) {
  for (const Key& key : {letter(U'q'), of(Key::Code::Escape), of(Key::Code::Left), of(Key::Code::Backspace)})
    EXPECT_EQ(view().key(key).kind, Answer::Kind::Back);
  EXPECT_EQ(view().key(letter(3)).kind, Answer::Kind::Quit);
  EXPECT_EQ(view().key(letter(U'h')).kind, Answer::Kind::Open);
  EXPECT_EQ(view().key({}).kind, Answer::Kind::Stay);
}

}  // namespace
}  // namespace peregrine::tui
