// Keys for the rows of a profile, with the three stacks of test_profile.h.
#include "output/tui/report/report_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/row/graph_options.h"
#include "base/result.h"
#include "output/tui/report/browser.h"
#include "output/tui/report/test_profile.h"
#include "output/tui/screen/test_keys.h"

namespace peregrine::tui {
namespace {

class ReportKeysTest : public ::testing::Test {
 protected:
  std::string picture(unsigned height = 14) { return picture_of(view_, 90, height, true); }
  bool shows(std::string_view text) { return picture(30).contains(text); }
  std::string status() {
    const std::string all = picture();
    return all.substr(all.rfind('\n', all.size() - 2) + 1);
  }
  // The symbols of the rows, from top to bottom.
  std::string symbols() {
    std::string names, all = picture();
    for (std::size_t at = all.find("[.] "); at != all.npos; at = all.find("[.] ", at + 1))
      names += (names.empty() ? "" : " ") + all.substr(at + 4, all.find_first_of(" \n", at + 4) - at - 4);
    return names;
  }
  Answer press(char32_t key) { return view_.key(letter(key)); }
  // Opens the view with this key, types into it, and presses the last key.
  void prompt(char32_t key, std::u32string_view typed, Key::Code end = Key::Code::Enter) {
    const Answer answer = press(key);
    ASSERT_EQ(answer.kind, Answer::Kind::Open);
    for (const char32_t each : typed) answer.view->key(letter(each));
    EXPECT_EQ(answer.view->key(of(end)).kind, Answer::Kind::Back);
  }
  // Puts the cursor on the first row of that symbol.
  void go_to(std::string_view symbol) {
    view_.key(of(Key::Code::Home));
    const std::string all = symbols() + " ";
    const std::size_t at = all.find(std::string(symbol) + " ");
    ASSERT_NE(at, all.npos) << all;
    for (auto left = std::ranges::count(all.substr(0, at), ' '); left > 0; --left) view_.key(of(Key::Code::Down));
  }

  Profile profile_;
  ReportSettings& settings_ = profile_.settings;
  ReportView view_{profile_.queries, settings_, 0};
};

TEST_F(ReportKeysTest, PartsOfTheTimeAreNamedAboveTheRows) {
  EXPECT_FALSE(shows("time:")) << "the whole recording";
  settings_.times = "0.28-0.30 s";
  EXPECT_TRUE(shows("\nall   time: 0.28-0.30 s\n")) << picture();
  go_to("work");
  press(U'Z');
  EXPECT_TRUE(shows("\nall > work   time: 0.28-0.30 s\n")) << picture();
}

TEST_F(ReportKeysTest, RowsAreSortedByChildren) {
  EXPECT_EQ(symbols(), "main run work copy main idle");
  EXPECT_TRUE(shows("Children")) << picture();
  EXPECT_EQ(status(), "? keys  Enter row menu  / find  a code  b callers  G flames  q quit\n");
}

TEST_F(ReportKeysTest, TitlesOfColumnsCanBeHidden) {
  press(U'H');
  EXPECT_FALSE(shows("Children"));
  press(U'H');
  EXPECT_TRUE(shows("Children"));
}

TEST_F(ReportKeysTest, ChainsOpenOneLevelAtATime) {
  press(U'+');  // main of bash
  EXPECT_TRUE(shows("\n-    70.00%"));
  EXPECT_TRUE(shows(" run\n")) << picture(30);
  EXPECT_FALSE(shows(" 60.00% work\n"));
  for (int i = 0; i < 2; ++i) view_.key(of(Key::Code::Down));  // over main, on the way to run
  press(U'+');
  EXPECT_TRUE(shows(" 60.00% work\n") && shows(" 10.00% idle\n")) << picture(30);
  press(U'+');
  EXPECT_FALSE(shows(" 60.00% work\n"));
}

TEST_F(ReportKeysTest, ARowOpensAsAWhole) {
  press(U'e');
  EXPECT_TRUE(shows(" 60.00% work\n"));
  view_.key(of(Key::Code::Down));
  press(U'c');
  EXPECT_FALSE(shows(" 60.00% work\n"));
  EXPECT_TRUE(shows("\n+    70.00%"));
  press(U'e');
  press(U'e');
  EXPECT_FALSE(shows(" 60.00% work\n")) << "e closes a row that is open";
}

TEST_F(ReportKeysTest, OpenChainsCanHaveLibraries) {
  press(U'e');
  EXPECT_FALSE(shows("idle (libc)"));
  press(U'V');
  EXPECT_TRUE(shows("10.00% idle (libc)") && shows("60.00% work (prog)")) << picture(30);
}

TEST_F(ReportKeysTest, SumsOfChainsCanBePeriodsOrSamples) {
  settings_.value = GraphValue::Period;
  press(U'e');
  EXPECT_TRUE(shows(" 60 work\n")) << picture(30);
  settings_.value = GraphValue::Count;
  EXPECT_TRUE(shows(" 1 work\n")) << picture(30);
}

TEST_F(ReportKeysTest, OpenChainsSurviveNewSamples) {
  press(U'e');
  profile_.add("bash", 11, {"prog:main", "prog:run", "prog:work"}, 100);
  profile_.queries.show(profile_.hists);
  view_.renew();
  EXPECT_TRUE(shows(" 80.00% work\n")) << picture(30);  // 160 of 200
}

TEST_F(ReportKeysTest, FindsRowsOrStacks) {
  prompt(U'/', U"cop");
  EXPECT_EQ(symbols(), "copy");
  EXPECT_TRUE(shows("\nall   with: cop\n"));
  EXPECT_EQ(view_.key(of(Key::Code::Escape)).kind, Answer::Kind::Stay);
  prompt(U'n', U"cop");
  EXPECT_EQ(symbols(), "copy main");
  EXPECT_TRUE(shows("\nall   in any frame: cop\n"));
}

TEST_F(ReportKeysTest, EscapeLeavesTheFormerSearchAlone) {
  prompt(U'/', U"cop");
  prompt(U'n', U"y", Key::Code::Escape);
  EXPECT_TRUE(shows("\nall   with: cop\n")) << picture();
  EXPECT_EQ(symbols(), "copy");
  press(U'u');
  EXPECT_EQ(symbols(), "main run work copy main idle") << "one step was made, and one is undone";
}

TEST_F(ReportKeysTest, TheSameTextCanBeSearchedInStacksNext) {
  prompt(U'/', U"cop");
  prompt(U'n', U"");
  EXPECT_EQ(symbols(), "copy main");
}

TEST_F(ReportKeysTest, SaysThatNoRowMatches) {
  prompt(U'/', U"xyz");
  EXPECT_TRUE(shows("No rows match: Esc goes back."));
  for (const char32_t key : std::u32string_view(U"+ecEdtSZabmV")) EXPECT_EQ(press(key).kind, Answer::Kind::Stay);
  EXPECT_EQ(view_.key(of(Key::Code::Enter)).kind, Answer::Kind::Stay);
  view_.key(of(Key::Code::Escape));
  EXPECT_EQ(symbols(), "main run work copy main idle");
}

TEST_F(ReportKeysTest, LimitsThePercentage) {
  prompt(U'L',
         U"\x15"
         U"30");  // ^U first, because the prompt contains the old limit
  EXPECT_EQ(symbols(), "main run work copy main");
  for (const char32_t* wrong : {U"\x15x",
                                U"\x15"
                                U"101",
                                U"\x15-1", U"\x15nan"}) {
    prompt(U'L', wrong);
    EXPECT_EQ(status(), "percentage must be between 0 and 100\n");
  }
  prompt(U'L',
         U"\x15"
         U"99",
         Key::Code::Escape);
  EXPECT_EQ(symbols(), "main run work copy main");
  prompt(U'L',
         U"\x15"
         U"0");
  EXPECT_EQ(symbols(), "main run work copy main idle");
}

TEST_F(ReportKeysTest, ZoomsAreStepsThatCanBeTakenBack) {
  go_to("idle");
  press(U'd');
  EXPECT_TRUE(shows("\nall > libc\n"));
  EXPECT_EQ(symbols(), "copy idle");
  go_to("copy");
  press(U'Z');
  EXPECT_TRUE(shows("\nall > libc > copy\n"));
  EXPECT_EQ(symbols(), "copy");
  view_.key(of(Key::Code::Left));
  EXPECT_TRUE(shows("\nall > libc\n"));
  press(U'd');  // zooms out of the same library
  EXPECT_EQ(symbols(), "main run work copy main idle");
  press(U'u');
  press(U'u');
  EXPECT_TRUE(shows("\nall > libc > copy\n")) << picture();
  for (int i = 0; i < 2; ++i) press(U'u');
  EXPECT_EQ(symbols(), "main run work copy main idle");
  press(U'u');
  EXPECT_EQ(status(), "nothing to undo\n");
}

TEST_F(ReportKeysTest, PercentagesAreOfAllOrOfTheZoom) {
  go_to("copy");
  press(U'd');
  EXPECT_TRUE(shows(" 30.00%     30.00%"));
  press(U'F');
  EXPECT_EQ(status(), "% of filtered samples\n");
  EXPECT_FALSE(shows(" 30.00%     30.00%")) << picture();
  press(U'F');
  EXPECT_EQ(status(), "% of all samples\n");
}

TEST_F(ReportKeysTest, ZoomsIntoOneThread) {
  go_to("copy");
  const Answer menu = press(U't');
  ASSERT_EQ(menu.kind, Answer::Kind::Open);
  EXPECT_TRUE(picture_of(*menu.view, 60, 5, true).contains("|  30.00%  cat (12)"))
      << picture_of(*menu.view, 60, 5, true);
  menu.view->key(of(Key::Code::Enter));
  EXPECT_TRUE(shows("\nall > cat (12)\n"));
  EXPECT_EQ(symbols(), "copy main");
  EXPECT_EQ(press(U't').kind, Answer::Kind::Stay) << "and out again";
  EXPECT_EQ(symbols(), "main run work copy main idle");
}

TEST_F(ReportKeysTest, ZoomsIntoTheThreadOfACaller) {
  EXPECT_EQ(press(U't').kind, Answer::Kind::Stay);  // main has no self samples
  EXPECT_TRUE(shows("\nall > bash (11)\n")) << picture();
  EXPECT_EQ(symbols(), "main run work idle");
  press(U't');
  profile_.add("bash", 13, {"prog:main", "prog:run", "prog:work"}, 5);
  profile_.queries.show(profile_.hists);
  view_.renew();
  press(U't');
  EXPECT_EQ(status(), "this row has samples of several threads\n");
  EXPECT_FALSE(shows("all >"));
}

TEST_F(ReportKeysTest, SaysWhyItCannotZoom) {
  go_to("copy");
  press(U'S');
  EXPECT_EQ(status(), "the processor sockets of this row's samples are unknown\n");
}

TEST_F(ReportKeysTest, StatusLinesOmitTheLeastImportantKeys) {
  const auto last_line = [this](unsigned width) {
    const std::string all = picture_of(view_, width, 14, true);
    return all.substr(all.rfind('\n', all.size() - 2) + 1);
  };
  EXPECT_EQ(last_line(50), "? keys  Enter row menu  / find  a code  q quit\n");
  EXPECT_EQ(last_line(20), "? keys  q quit\n");
}

TEST_F(ReportKeysTest, ZoomsIntoTheKernel) {
  press(U'k');
  EXPECT_TRUE(shows("\nall > the kernel\n"));
  EXPECT_TRUE(shows("No rows match"));
}

TEST_F(ReportKeysTest, WritesTheTable) {
  press(U'P');
  EXPECT_TRUE(status().starts_with("? keys")) << "nobody writes files here";
  std::vector<std::string> filters;
  settings_.print = []() -> Result<std::string> { return "perf.hist.0"; };
  settings_.export_rows = [&filters](const BrowseLook& look) -> Result<std::string> {
    filters.push_back(look.filter);
    return fail(ErrorKind::System, "the disk is full");
  };
  press(U'P');
  EXPECT_EQ(status(), "wrote perf.hist.0\n");
  prompt(U'/', U"cop");
  press(U'X');
  EXPECT_EQ(status(), "the disk is full\n");
  EXPECT_EQ(filters, std::vector<std::string>{"cop"});
}

TEST_F(ReportKeysTest, SwitchesToAnotherRecording) {
  press(U's');
  EXPECT_EQ(status(), "no other recording in this folder\n");
  settings_.files = [] { return std::vector<std::string>{"a.data", "b c.data"}; };
  const Answer menu = press(U's');
  ASSERT_EQ(menu.kind, Answer::Kind::Open);
  menu.view->key(of(Key::Code::Down));
  const Answer answer = menu.view->key(of(Key::Code::Enter));
  EXPECT_EQ(answer.kind, Answer::Kind::Leave);
  EXPECT_EQ(answer.word, "open b c.data");  // as accepted by parse_browse_step()
}

TEST_F(ReportKeysTest, OpensOtherViews) {
  profile_.queries.set_header([] { return "hostname : here"; });
  struct Case {
    char32_t key;
    const char* text;
  };
  for (const Case& test : {Case{U'h', "Moving"}, Case{U'?', "Moving"}, Case{U'i', "hostname : here"},
                           Case{U'G', "Flame graph: 100.00%"}, Case{U'T', "Samples over time"},
                           Case{U'b', "Callers and callees of main"}, Case{U'r', "No scripts available."}}) {
    const Answer answer = press(test.key);
    ASSERT_EQ(answer.kind, Answer::Kind::Open) << test.text;
    EXPECT_TRUE(picture_of(*answer.view, 90, 60, true).contains(test.text)) << picture_of(*answer.view, 90, 60, true);
  }
}

TEST_F(ReportKeysTest, SaysWhyThereIsNoCode) {
  const Answer missing = press(U'a');
  ASSERT_EQ(missing.kind, Answer::Kind::Open);
  profile_.queries.set_code([](const HistFrame&, const std::vector<u32>&) -> Result<AnnotatedCode> {
    return std::unexpected(Error{ErrorKind::NotFound, "prog is gone", "build it again"});
  });
  const Answer gone = press(U'a');
  ASSERT_EQ(gone.kind, Answer::Kind::Open);
  const std::string text = picture_of(*gone.view, 40, 8, true);
  EXPECT_TRUE(text.contains("| prog is gone   |") && text.contains("| build it again |")) << text;
}

TEST_F(ReportKeysTest, OneEventHasNoNextOne) {
  view_.key(of(Key::Code::Tab));
  EXPECT_EQ(status(), "there is only one event\n");
  press(U'y');
  EXPECT_EQ(status(), "press ? for keys\n");
}

TEST_F(ReportKeysTest, ClicksChooseFoldAndOpenTheMenu) {
  const auto click = [this](unsigned x, unsigned y) {
    picture();
    return view_.key({.code = Key::Code::Click, .x = x, .y = y}).kind;
  };
  EXPECT_EQ(click(40, 2), Answer::Kind::Open) << "the row that the cursor is at";
  EXPECT_EQ(click(40, 3), Answer::Kind::Stay);
  EXPECT_EQ(click(40, 3), Answer::Kind::Open);
  for (const unsigned y : {0u, 1u, 9u, 13u}) EXPECT_EQ(click(40, y), Answer::Kind::Stay) << y;
  EXPECT_EQ(click(0, 2), Answer::Kind::Stay);
  EXPECT_TRUE(shows("\n-    70.00%")) << picture();
}

// top: its keys take precedence, and the cursor stays on its row.
TEST(LiveReport, OwnersKeysComeFirst) {
  Profile profile;
  profile.settings.live = true;
  std::u32string pressed;
  profile.settings.live_key = [&](char32_t key, std::string& said) {
    if (key != U'z') return false;
    pressed += key;
    said = "reset at each refresh";
    return true;
  };
  ReportView view(profile.queries, profile.settings, 0);
  view.key(letter(U'z'));
  EXPECT_EQ(pressed, U"z");
  EXPECT_TRUE(picture_of(view, 80, 14, true).contains("\nreset at each refresh\n"));
  view.key(letter(U'r'));
  EXPECT_TRUE(picture_of(view, 80, 14, true).contains("\npress ? for keys\n")) << "no scripts run on a live profile";
  EXPECT_TRUE(help_text(true).contains("pause, resume sampling"));
  EXPECT_FALSE(help_text(false).contains("pause, resume sampling"));
}

TEST(LiveReport, CursorFollowsItsRow) {
  Profile profile;
  profile.settings.live = true;
  profile.settings.title = [](unsigned) { return std::string("PerfTop: 3 irqs"); };
  ReportView view(profile.queries, profile.settings, 0);
  const auto selected = [&] {
    Canvas canvas(80, 14, true);
    view.draw(canvas);
    for (unsigned y = 2; y < 13; ++y)
      if (canvas.at(0, y).style == Style::Selected) return y;
    return 0u;
  };
  EXPECT_TRUE(picture_of(view, 80, 14, true).starts_with("PerfTop: 3 irqs\n"));
  for (int i = 0; i < 3; ++i) view.key(of(Key::Code::Down));  // copy, the fourth row
  EXPECT_EQ(selected(), 5u);
  profile.add("cat", 12, {"prog:main", "libc:copy"}, 1000);
  profile.queries.show(profile.hists);
  view.renew();
  EXPECT_LT(selected(), 4u) << "copy is now one of the two largest";
}

}  // namespace
}  // namespace peregrine::tui
