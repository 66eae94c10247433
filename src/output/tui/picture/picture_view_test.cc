// The flame graph, the time line, and the butterfly view, as pictures of text.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"
#include "output/tui/picture/butterfly_view.h"
#include "output/tui/picture/flame_view.h"
#include "output/tui/picture/timeline_view.h"
#include "output/tui/report/browser.h"
#include "output/tui/report/test_profile.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/test_keys.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {
namespace {

// all (100) → main (100) → copy (30), run (70) → idle (10), work (60)
FlameTree flames_of_three_stacks() {
  FlameTree tree;
  tree.boxes = {
      {.name = "all", .period = 100, .samples = 10, .offset = 0, .depth = 0, .parent = 0},
      {.name = "main", .period = 100, .samples = 10, .offset = 0, .depth = 1, .parent = 0},
      {.name = "copy", .period = 30, .samples = 3, .offset = 0, .depth = 2, .parent = 1},
      {.name = "run", .period = 70, .samples = 7, .offset = 30, .depth = 2, .parent = 1},
      {.name = "idle", .kind = CodeKind::Kernel, .period = 10, .samples = 1, .offset = 30, .depth = 3, .parent = 3},
      {.name = "work", .period = 60, .samples = 6, .offset = 40, .depth = 3, .parent = 3},
  };
  tree.depth = 4;
  return tree;
}

std::string title_line(View& view, unsigned width = 50, unsigned height = 8) {
  const std::string picture = picture_of(view, width, height, true);
  return picture.substr(0, picture.find('\n'));
}

TEST(FlameScreen, BoxesAreAsWideAsTheirShare) {
  FlameView view(flames_of_three_stacks());
  EXPECT_EQ(picture_of(view, 50, 8, true),
            "Flame graph: 100.00%  10 samples  all\n"
            "\n"
            "\n"
            "               [idl][work                        ]\n"
            "[copy         ][run                              ]\n"
            "[main                                            ]\n"
            "[all                                             ]\n"
            "Enter: zoom in  Esc: zoom out, back  q: back\n");
}

TEST(FlameScreen, NarrowBoxesAreLinesOrNothing) {
  FlameView view(flames_of_three_stacks());
  EXPECT_TRUE(picture_of(view, 10, 8, true).contains("\n   |[work]\n[c][run  ]\n"));
  EXPECT_TRUE(picture_of(view, 4, 8, true).contains("\n |[]\n|[r]\n")) << picture_of(view, 4, 8, true);
}

TEST(FlameScreen, KernelCodeHasAColourOfItsKind) {
  FlameView view(flames_of_three_stacks());
  Canvas canvas(50, 8, true);
  view.draw(canvas);
  EXPECT_EQ(canvas.at(16, 3).style, Style::Kernel);
  EXPECT_EQ(canvas.at(20, 3).style, Style::Plain);
  EXPECT_EQ(canvas.at(0, 6).style, Style::Selected);
}

TEST(FlameScreen, ArrowsWalkThroughBoxes) {
  FlameView view(flames_of_three_stacks());
  struct Case {
    Key::Code code;
    const char* title;
  };
  for (const Case& test : {
           Case{Key::Code::Up, "Flame graph: 100.00%  10 samples  main"},
           Case{Key::Code::Up, "Flame graph: 70.00%  7 samples  run"},  // above the middle of main
           Case{Key::Code::Left, "Flame graph: 30.00%  3 samples  copy"},
           Case{Key::Code::Left, "Flame graph: 30.00%  3 samples  copy"},
           Case{Key::Code::Up, "Flame graph: 30.00%  3 samples  copy"},
           Case{Key::Code::Right, "Flame graph: 70.00%  7 samples  run"},
           Case{Key::Code::Right, "Flame graph: 70.00%  7 samples  run"},
           Case{Key::Code::Up, "Flame graph: 60.00%  6 samples  work"},
           Case{Key::Code::Left, "Flame graph: 10.00%  1 sample  idle"},
           Case{Key::Code::Down, "Flame graph: 70.00%  7 samples  run"},
           Case{Key::Code::Resize, "Flame graph: 70.00%  7 samples  run"},
       }) {
    picture_of(view, 50, 8, true);
    EXPECT_EQ(view.key(of(test.code)).kind, Answer::Kind::Stay);
    EXPECT_EQ(title_line(view), test.title);
  }
}

TEST(FlameScreen, ZoomsIntoABoxAndOutAgain) {
  FlameView view(flames_of_three_stacks());
  picture_of(view, 50, 8, true);
  view.key(of(Key::Code::Up));
  view.key(of(Key::Code::Up));
  view.key(of(Key::Code::Enter));  // run
  EXPECT_TRUE(picture_of(view, 50, 8, true)
                  .contains("[idle ][work                                     ]\n"
                            "[run                                             ]\n"
                            "[main                                            ]\n"
                            "[all                                             ]\n"))
      << picture_of(view, 50, 8, true);
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Stay);
  EXPECT_TRUE(picture_of(view, 50, 8, true).contains("[copy         ][run"));
  EXPECT_EQ(view.key(of(Key::Code::Backspace)).kind, Answer::Kind::Stay);
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
}

TEST(FlameScreen, ClicksChooseABoxAndZoomIntoTheChosen) {
  FlameView view(flames_of_three_stacks());
  const auto click = [&](unsigned x, unsigned y) {
    picture_of(view, 50, 8, true);
    view.key({.code = Key::Code::Click, .x = x, .y = y});
    return title_line(view);
  };
  EXPECT_EQ(click(25, 3), "Flame graph: 60.00%  6 samples  work");
  EXPECT_EQ(click(3, 3), "Flame graph: 60.00%  6 samples  work") << "no box is there";
  EXPECT_EQ(click(2, 4), "Flame graph: 30.00%  3 samples  copy");
  click(2, 4);
  EXPECT_TRUE(picture_of(view, 50, 8, true).contains("\n[copy                                            ]\n"));
}

TEST(FlameScreen, ClicksOnTheTitleAndTheHintChooseNothing) {
  FlameView view(flames_of_three_stacks());
  picture_of(view, 50, 5, true);  // two levels are visible
  view.key(of(Key::Code::Up));
  for (const unsigned y : {0u, 1u, 4u}) {
    view.key({.code = Key::Code::Click, .x = 40, .y = y});
    EXPECT_EQ(title_line(view, 50, 5), "Flame graph: 100.00%  10 samples  main") << y;
  }
}

TEST(FlameScreen, LowScreensFollowTheChosenBox) {
  FlameView view(flames_of_three_stacks());
  picture_of(view, 50, 5, true);
  for (int i = 0; i < 3; ++i) view.key(of(Key::Code::Up));
  EXPECT_TRUE(picture_of(view, 50, 5, true).contains("\n               [idl][work                        ]\n[copy"));
  for (int i = 0; i < 3; ++i) view.key(of(Key::Code::Down));
  EXPECT_TRUE(picture_of(view, 50, 5, true).contains("]\n[all                                             ]\n"));
}

TEST(FlameScreen, SaysHowManyBranchesAreHidden) {
  FlameTree tree = flames_of_three_stacks();
  tree.pruned = 1;
  FlameView one(tree);
  EXPECT_TRUE(picture_of(one, 120, 8, true).contains("4 levels  1 narrow branch hidden  q: back\n"));
  tree.pruned = 12;
  FlameView many(tree);
  EXPECT_TRUE(picture_of(many, 120, 8, true).contains("4 levels  12 narrow branches hidden  q: back\n"));
}

// Types text into the prompt that a key opened.
void answer(Answer prompt, std::u32string_view text) {
  ASSERT_EQ(prompt.kind, Answer::Kind::Open);
  for (const char32_t each : text) prompt.view->key(letter(each));
  prompt.view->key(of(Key::Code::Enter));
}

TEST(FlameScreen, SearchesMarkAndSumMatches) {
  FlameView view(flames_of_three_stacks());
  picture_of(view, 80, 8, true);
  answer(view.key(letter(U'/')), U"O");  // copy and work
  EXPECT_EQ(title_line(view), "Flame graph: 30.00%  3 samples  copy");
  EXPECT_TRUE(picture_of(view, 80, 8, true).ends_with("\nstacks with 'O': 90.00%   n, N: next, previous match\n"));
  view.key(letter(U'n'));
  EXPECT_EQ(title_line(view), "Flame graph: 60.00%  6 samples  work");
  view.key(letter(U'n'));
  EXPECT_EQ(title_line(view), "Flame graph: 30.00%  3 samples  copy") << "from the beginning again";
  view.key(letter(U'N'));
  EXPECT_EQ(title_line(view), "Flame graph: 60.00%  6 samples  work");
  answer(view.key(letter(U'/')), U"x");
  EXPECT_TRUE(picture_of(view, 80, 8, true).ends_with("\nnot found: Ox\n"));
}

TEST(FlameScreen, QuestionMarkShowsTheKeys) {
  FlameView view(flames_of_three_stacks());
  EXPECT_EQ(view.key(letter(U'?')).kind, Answer::Kind::Open);
  EXPECT_EQ(view.key(letter(U'h')).kind, Answer::Kind::Open);
}

TEST(FlameScreen, AProfileWithoutSamplesIsEmpty) {
  FlameView view(FlameTree{.boxes = {{.name = "all"}}, .depth = 1});
  EXPECT_TRUE(picture_of(view, 60, 6, true).starts_with("Flame graph: 0.00%  0 samples  all\n\n\n\n\nEnter: zoom in"));
  for (const Key::Code code : {Key::Code::Up, Key::Code::Down, Key::Code::Left, Key::Code::Right, Key::Code::Enter})
    EXPECT_EQ(view.key(of(code)).kind, Answer::Kind::Stay);
  EXPECT_EQ(view.key(letter(U'q')).kind, Answer::Kind::Back);
  EXPECT_EQ(view.key(letter(3)).kind, Answer::Kind::Quit);
}

TEST(FlameScreen, HintsFitIntoEightyColumns) {
  FlameTree tree = flames_of_three_stacks();
  tree.pruned = 27;
  FlameView view(tree);
  EXPECT_TRUE(picture_of(view, 80, 24, true)
                  .ends_with("\nEnter: zoom in  Esc: zoom out, back  ?: keys  27 narrow branches hidden  q: back\n"))
      << picture_of(view, 80, 24, true);
}

// 0, 1, 2 … samples in each part of ten seconds.
struct TimedProfile : Profile {
  TimedProfile() {
    queries.set_activity(
        [](std::size_t parts) {
          std::vector<u64> sums(parts);
          for (std::size_t i = 0; i < parts; ++i) sums[i] = i;
          return sums;
        },
        [this] { return time; });
  }
  ActivityTime time{.start = 0, .length = 10'000'000'000};
};

TEST(TimelineScreen, BarsAreAsHighAsTheirPart) {
  TimedProfile profile;
  TimelineView view(profile.queries);
  // A bar has 4 lines of 8 steps, so one sample of nine gives 4 steps; a partial step counts as one.
  EXPECT_EQ(picture_of(view, 12, 11, true),
            "Samples over\n"
            "\n"
            "\n"
            "        .=#\n"
            "      .+###\n"
            "    _*#####\n"
            "  -########\n"
            " ^\n"
            "\n"
            " 0.00-1.00 s\n"
            "Space: start\n");
}

TEST(TimelineScreen, EnterAnswersWithTheRange) {
  TimedProfile profile;
  TimelineView view(profile.queries);
  picture_of(view, 12, 12, true);
  struct Case {
    Key key;
    const char* word;  // pressing Enter
  };
  for (const Case& test : {
           Case{letter(U' '), "time 0.000000000%-10.000000000%"},
           Case{of(Key::Code::Right), "time 0.000000000%-20.000000000%"},
           Case{of(Key::Code::End), "time 0.000000000%-100.000000000%"},
           Case{letter(U' '), "time 90.000000000%-100.000000000%"},
           Case{of(Key::Code::Left), "time 80.000000000%-100.000000000%"},
           Case{of(Key::Code::Home), "time 0.000000000%-100.000000000%"},
           Case{of(Key::Code::PageDown), "time 90.000000000%-100.000000000%"},
           Case{of(Key::Code::PageUp), "time 0.000000000%-100.000000000%"},
           Case{{.code = Key::Code::Click, .x = 6, .y = 4}, "time 50.000000000%-100.000000000%"},
           Case{{.code = Key::Code::Click, .x = 0, .y = 4}, "time 0.000000000%-100.000000000%"},
           Case{{.code = Key::Code::Click, .x = 99, .y = 4}, "time 90.000000000%-100.000000000%"},
       }) {
    EXPECT_EQ(view.key(test.key).kind, Answer::Kind::Stay);
    const Answer answer = view.key(of(Key::Code::Enter));
    EXPECT_EQ(answer.kind, Answer::Kind::Leave);
    EXPECT_EQ(answer.word, test.word);
  }
}

TEST(TimelineScreen, SaysHowManySamplesAreInTheRange) {
  TimedProfile profile;
  TimelineView view(profile.queries);
  picture_of(view, 52, 12, true);  // fifty parts
  for (int i = 0; i < 9; ++i) view.key(of(Key::Code::Right));
  EXPECT_TRUE(picture_of(view, 52, 12, true).contains("\n 1.80-2.00 s: 9 samples\n"));
  view.key(letter(U' '));
  view.key(of(Key::Code::Left));
  EXPECT_TRUE(picture_of(view, 52, 12, true).contains("\n 1.60-2.00 s: 17 samples\n"));
  EXPECT_TRUE(picture_of(view, 52, 12, true).contains("\n         ^-\n")) << "the range is marked";
  EXPECT_TRUE(picture_of(view, 52, 12, false).contains("\n 1.60–2.00 s: 17 samples\n"));
  // The text of the same range of a view that is opened then.
  const auto reopened = [&] {
    TimelineView again(profile.queries);
    picture_of(again, 52, 12, true);
    for (int i = 0; i < 9; ++i) again.key(of(Key::Code::Right));
    again.key(letter(U' '));
    again.key(of(Key::Code::Left));
    return picture_of(again, 52, 12, true);
  };
  profile.time.length = 100'000'000;
  EXPECT_TRUE(reopened().contains("\n 0.016-0.020 s: 17 samples\n")) << "steps of 2 ms";
  profile.time = {.start = 280'000'000, .length = 20'000'000};
  EXPECT_TRUE(reopened().contains("\n 0.2832-0.2840 s: 17 samples\n")) << "part of the recording";
  profile.time = {};
  EXPECT_TRUE(reopened().contains("\n 16.0-20.0%: 17 samples\n")) << "the length is unknown";
}

TEST(TimelineScreen, HintsFitIntoEightyColumns) {
  TimedProfile profile;
  TimelineView view(profile.queries);
  EXPECT_TRUE(picture_of(view, 80, 24, true)
                  .contains("\narrows: move  Space: start range  a: show all  ?: keys  Esc, q: back\n"));
  view.key(letter(U' '));
  EXPECT_TRUE(picture_of(view, 80, 24, true)
                  .contains("\narrows: extend  Enter: show only this range  Space: restart  Esc: cancel\n"));
  EXPECT_TRUE(picture_of(view, 60, 24, true).contains("\narrows: extend  Enter: show only this range  Esc: cancel\n"));
}

TEST(TimelineScreen, EscapeDropsTheRangeFirst) {
  TimedProfile profile;
  TimelineView view(profile.queries);
  picture_of(view, 12, 12, true);
  view.key(letter(U' '));
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Stay);
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
  EXPECT_EQ(view.key(of(Key::Code::Enter)).kind, Answer::Kind::Back) << "there is no range";
  EXPECT_EQ(view.key(letter(U'a')).word, "time ") << "all of it";
}

TEST(TimelineScreen, NarrowerScreensKeepTheRangeInside) {
  TimedProfile profile;
  TimelineView view(profile.queries);
  picture_of(view, 102, 12, true);
  view.key(of(Key::Code::End));
  view.key(letter(U' '));
  picture_of(view, 12, 12, true);
  EXPECT_EQ(view.key(of(Key::Code::Enter)).word, "time 90.000000000%-100.000000000%");
}

TEST(TimelineScreen, AnyKeyLeavesWhereTimesAreUnknown) {
  Profile profile;
  profile.queries.set_activity(nullptr);
  TimelineView view(profile.queries);
  EXPECT_TRUE(picture_of(view, 70, 12, true).contains("Sample times are unknown"));
  EXPECT_EQ(view.key(of(Key::Code::Resize)).kind, Answer::Kind::Stay);
  EXPECT_EQ(view.key({}).kind, Answer::Kind::Stay);
  EXPECT_EQ(view.key(of(Key::Code::Up)).kind, Answer::Kind::Back);
}

TEST(ButterflyScreen, HasCallersAboveAndCalleesBelow) {
  Profile profile;
  ButterflyView view(profile.queries, {}, "run");
  EXPECT_EQ(picture_of(view, 60, 11, true),
            "Callers and callees of run\n"
            "Callers (1), % of this function\n"
            "   100.00%  main\n"
            " run: total 70.00%, self 0.00%\n"
            "Callees (2), % of this function\n"
            "    85.71%  work\n"
            "    14.29%  idle\n"
            "\n"
            "\n"
            "\n"
            "Enter: go to the function  Esc: back  q: back to the rows\n");
}

TEST(ButterflyScreen, SaysWhereChainsBeginAndEnd) {
  Profile profile;
  ButterflyView main(profile.queries, {}, "main");
  EXPECT_TRUE(
      picture_of(main, 60, 11, true).contains("Callers (0), % of this function\n  no callers recorded\n main:"));
  ButterflyView copy(profile.queries, {}, "copy");
  EXPECT_TRUE(picture_of(copy, 60, 11, true).contains("Callees (0), % of this function\n  no callees recorded\n"));
}

TEST(ButterflyScreen, NamesCannotControlTheTerminal) {
  Profile profile;
  profile.add("bash", 11, {"prog:main", "prog:a\x1b[2Jb"}, 10);
  profile.queries.show(profile.hists);
  ButterflyView view(profile.queries, {}, "a\x1b[2Jb");
  Canvas canvas(60, 11, false);
  view.draw(canvas);
  EXPECT_FALSE(canvas.text().contains('\x1b'));
  EXPECT_TRUE(canvas.text().starts_with("Callers and callees of a?[2Jb\n")) << canvas.text();
}

TEST(ButterflyScreen, LowScreensFollowTheCursor) {
  Profile profile;
  for (const char* callee : {"libc:f1", "libc:f2", "libc:f3", "libc:f4", "libc:f5"})
    profile.add("bash", 11, {"prog:main", "prog:hub", callee}, 10);
  profile.queries.show(profile.hists);
  ButterflyView view(profile.queries, {}, "hub");
  EXPECT_FALSE(picture_of(view, 60, 10, true).contains("f5"));
  for (int i = 0; i < 5; ++i) view.key(of(Key::Code::Down));
  const std::string low = picture_of(view, 60, 10, true);
  EXPECT_TRUE(low.contains("f5") && !low.contains("f1")) << low;
  view.key(of(Key::Code::Enter));
  EXPECT_TRUE(picture_of(view, 60, 10, true).starts_with("Callers and callees of f5\n"));
}

TEST(ButterflyScreen, GoesBackTheWayItCame) {
  Profile profile;
  ButterflyView view(profile.queries, {}, "run");
  view.key(of(Key::Code::Right));  // its caller
  view.key(of(Key::Code::Right));  // run again: the only callee that is not in the first row
  EXPECT_TRUE(picture_of(view, 60, 11, true).starts_with("Callers and callees of run\n"));
  for (const Key::Code code : {Key::Code::Left, Key::Code::Backspace}) {
    EXPECT_EQ(view.key(of(code)).kind, Answer::Kind::Stay);
  }
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
}

}  // namespace
}  // namespace peregrine::tui
