#include "output/tui/menu/popup.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "output/tui/report/browser.h"
#include "output/tui/screen/test_keys.h"

namespace peregrine::tui {
namespace {

// A menu that remembers the choice.
struct ChosenMenu {
  explicit ChosenMenu(std::vector<std::string> lines)
      : view("Which", std::move(lines), [this](std::size_t at) {
          chosen.push_back(at);
          return Answer{.kind = Answer::Kind::Back};
        }) {}
  std::vector<std::size_t> chosen;
  MenuView view;
};

TEST(MenuPopup, IsABoxInTheMiddle) {
  ChosenMenu menu({"one", "two"});
  EXPECT_EQ(picture_of(menu.view, 21, 6, true),
            "\n"
            "     +-Which---+\n"
            "     | one     |\n"
            "     | two     |\n"
            "     +---------+\n"
            "\n");
  EXPECT_TRUE(menu.view.popup());
}

TEST(MenuPopup, ScrollsWhereTheScreenIsTooLow) {
  ChosenMenu menu({"one", "two", "three", "four"});
  menu.view.key(of(Key::Code::End));
  EXPECT_EQ(picture_of(menu.view, 11, 4, true), "+-Which---+\n| three   |\n| four    |\n+---------+\n");
  menu.view.key(of(Key::Code::Up));
  menu.view.key(of(Key::Code::Enter));
  menu.view.key({.code = Key::Code::Click, .x = 3, .y = 2});
  EXPECT_EQ(menu.chosen, (std::vector<std::size_t>{2, 3}));
}

TEST(MenuPopup, IsDrawnOnScreensOfAnySize) {
  ChosenMenu menu({"one", "two"});
  for (const unsigned width : {1u, 2u, 3u, 4u})
    for (const unsigned height : {1u, 2u, 3u}) EXPECT_EQ(picture_of(menu.view, width, height, true).back(), '\n');
  menu.view.key(of(Key::Code::Enter));
  EXPECT_EQ(menu.chosen, std::vector<std::size_t>{0});
}

TEST(MenuPopup, ClicksOutsideCloseIt) {
  ChosenMenu menu({"one", "two"});
  picture_of(menu.view, 21, 6, true);
  for (const auto [x, y] : {std::pair{4u, 2u}, std::pair{16u, 2u}, std::pair{8u, 1u}, std::pair{8u, 4u}})
    EXPECT_EQ(menu.view.key({.code = Key::Code::Click, .x = x, .y = y}).kind, Answer::Kind::Back) << x << " " << y;
  EXPECT_TRUE(menu.chosen.empty());
  menu.view.key({.code = Key::Code::DoubleClick, .x = 8, .y = 3});
  EXPECT_EQ(menu.chosen, std::vector<std::size_t>{1});
}

TEST(MenuPopup, ClosesWithoutAChoice) {
  for (const Key& key : {of(Key::Code::Escape), of(Key::Code::Left), letter(U'q')}) {
    ChosenMenu menu({"one"});
    EXPECT_EQ(menu.view.key(key).kind, Answer::Kind::Back);
    EXPECT_TRUE(menu.chosen.empty());
  }
}

TEST(MenuPopup, CtrlCExitsTheProgram) {
  ChosenMenu menu({"one"});
  EXPECT_EQ(menu.view.key(letter(3)).kind, Answer::Kind::Quit);
  TextView text(" Keys ", "a\n");
  EXPECT_EQ(text.key(letter(3)).kind, Answer::Kind::Quit);
}

TEST(TextPopup, ShowsWhichPartIsSeen) {
  TextView view(" Keys ", "a\n\nlong line\nd\n");
  EXPECT_EQ(picture_of(view, 24, 4, true),
            "     +- Keys ----+\n"
            "     | a         |\n"
            "     |           |\n"
            "     + 1-2 of 4 -+\n");
  view.key(of(Key::Code::Down));
  EXPECT_TRUE(picture_of(view, 24, 4, true).contains("|           |\n     | long line |\n     + 2-3 of 4 -+"));
}

TEST(TextPopup, StopsAtBothEnds) {
  TextView view("T", "1\n2\n3\n4\n5\n6");
  const auto first_after = [&](Key key) {
    picture_of(view, 12, 5, true);
    EXPECT_EQ(view.key(key).kind, Answer::Kind::Stay);
    const std::string picture = picture_of(view, 12, 5, true);
    return picture[picture.find('\n') + 5];
  };
  EXPECT_EQ(first_after(of(Key::Code::Up)), '1');
  EXPECT_EQ(first_after(letter(U' ')), '4');
  EXPECT_EQ(first_after(of(Key::Code::PageDown)), '4');
  EXPECT_EQ(first_after(of(Key::Code::WheelUp)), '3');
  EXPECT_EQ(first_after(of(Key::Code::PageUp)), '1');
  EXPECT_EQ(first_after(of(Key::Code::End)), '4');
  EXPECT_EQ(first_after(of(Key::Code::Home)), '1');
  EXPECT_EQ(first_after(of(Key::Code::Resize)), '1');
  EXPECT_EQ(view.key(letter(U'x')).kind, Answer::Kind::Back) << "any other key closes it";
}

TEST(TextPopup, WrapsLongLinesBetweenWords) {
  TextView view("T", "no code of this function is known\n  indented lines stay indented\nshort\n");
  EXPECT_EQ(picture_of(view, 20, 9, true),
            "+-T----------------+\n"
            "| no code of this  |\n"
            "| function is      |\n"
            "| known            |\n"
            "|   indented lines |\n"
            "|   stay indented  |\n"
            "| short            |\n"
            "+------------------+\n"
            "\n");
  EXPECT_TRUE(picture_of(view, 80, 9, true).contains("| no code of this function is known |"))
      << "a wider screen shows whole lines again";
}

TEST(TextPopup, BreaksWordsThatAreWiderThanTheScreen) {
  TextView view("", "/usr/lib/debug/x86 ünïcödé-wörds\n");
  EXPECT_EQ(picture_of(view, 14, 6, false).substr(picture_of(view, 14, 6, false).find('\n') + 1),
            "│ /usr/lib/d │\n"
            "│ ebug/x86   │\n"
            "│ ünïcödé-wö │\n"
            "│ rds        │\n"
            "└────────────┘\n");
}

TEST(TextPopup, ScrollsWrappedLines) {
  TextView view("T", "alpha beta gamma delta epsilon zeta eta theta\n");
  picture_of(view, 24, 4, true);
  view.key(of(Key::Code::End));
  EXPECT_EQ(picture_of(view, 24, 4, true),
            " +-T------------------+\n"
            " | delta epsilon zeta |\n"
            " | eta theta          |\n"
            " +--------- 2-3 of 3 -+\n");
}

TEST(TextPopup, HasNoPartsWhereAllIsSeen) {
  TextView view("T", "one\ntwo");
  EXPECT_EQ(picture_of(view, 9, 4, true), " +-T---+\n | one |\n | two |\n +-----+\n");
  TextView empty("", "");
  EXPECT_EQ(picture_of(empty, 6, 2, true), "+----+\n+----+\n");
}

// A prompt that records each change and how it ended.
struct KeptPrompt {
  explicit KeptPrompt(std::string text)
      : view(
            "find:", std::move(text), [this](const std::string& now) { changes.push_back(now); },
            [this](const std::string& now, bool accepted) {
              end = (accepted ? "accepted " : "dropped ") + now;
              return Answer{.kind = Answer::Kind::Back};
            }) {}
  std::vector<std::string> changes;
  std::string end;
  PromptView view;
};

TEST(PromptPopup, ReportsEachChange) {
  KeptPrompt prompt("a");
  for (const Key& key : {letter(U'→'), letter(U'b'), of(Key::Code::Backspace), of(Key::Code::Backspace),
                         of(Key::Code::Backspace), of(Key::Code::Backspace), letter(U'x'), letter(21)})
    prompt.view.key(key);
  EXPECT_EQ(prompt.changes, (std::vector<std::string>{"a→", "a→b", "a→", "a", "", "", "x", ""}))
      << "Backspace removes characters, not bytes, and ^U all of them";
  EXPECT_EQ(prompt.view.key(of(Key::Code::Down)).kind, Answer::Kind::Stay);
  EXPECT_EQ(prompt.changes.size(), 8u);
}

TEST(PromptPopup, EndsWithEnterOrWithout) {
  for (const auto& [key, end] :
       {std::pair{of(Key::Code::Enter), "accepted text"}, std::pair{of(Key::Code::Escape), "dropped text"},
        std::pair{letter(3), "dropped text"}}) {
    KeptPrompt prompt("text");
    EXPECT_EQ(prompt.view.key(key).kind, Answer::Kind::Back);
    EXPECT_EQ(prompt.end, end);
    EXPECT_TRUE(prompt.changes.empty());
  }
}

TEST(PromptPopup, ShowsTheEndOfLongTexts) {
  KeptPrompt prompt("0123456789");
  EXPECT_EQ(picture_of(prompt.view, 20, 2, true), "\nfind: 0123456789\n");
  EXPECT_EQ(picture_of(prompt.view, 12, 1, true), "find: 56789\n");
  EXPECT_EQ(picture_of(prompt.view, 4, 1, true), "find\n");
}

TEST(AskWhatToFind, RemembersTheTextAndSaysWhatWasNotFound) {
  std::string wanted = "old", status;
  bool found = false;
  const auto ask = [&](std::u32string_view typed, Key::Code end) {
    Answer prompt = ask_what_to_find(wanted, status, [&] { return found; });
    EXPECT_EQ(prompt.kind, Answer::Kind::Open);
    for (const char32_t each : typed) prompt.view->key(letter(each));
    EXPECT_EQ(prompt.view->key(of(end)).kind, Answer::Kind::Back);
  };
  ask(U"er", Key::Code::Escape);
  EXPECT_EQ(wanted + status, "old");
  ask(U"er", Key::Code::Enter);
  EXPECT_EQ(wanted, "older") << "the prompt begins with the last text";
  EXPECT_EQ(status, "not found: older");
  status.clear();
  found = true;
  ask(U"", Key::Code::Enter);
  EXPECT_EQ(status, "");
}

TEST(AskToQuit, QuitsAfterYes) {
  const auto view = ask_to_quit();
  EXPECT_TRUE(picture_of(*view, 30, 6, true).contains("Quit?"));
  EXPECT_EQ(view->key(of(Key::Code::Enter)).kind, Answer::Kind::Quit);
  view->key(of(Key::Code::Down));
  EXPECT_EQ(view->key(of(Key::Code::Enter)).kind, Answer::Kind::Back);
}

}  // namespace
}  // namespace peregrine::tui
