// The menus of scripts and of single samples, and the text written by a script.
#include "output/tui/menu/script_menu.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/entry/kept_samples.h"
#include "base/result.h"
#include "output/tui/menu/output_view.h"
#include "output/tui/menu/sample_menu.h"
#include "output/tui/report/browser.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/test_keys.h"

namespace peregrine::tui {
namespace {

// Delivers a complete text at once and then ends, or delivers more later.
class WrittenText : public TextSource {
 public:
  explicit WrittenText(std::string text, bool ends = true) : text_(std::move(text)), ends_(ends) {}
  int fd() const override { return 5; }
  bool read(std::string& text) override {
    text += std::exchange(text_, {});
    return !ends_;
  }

 private:
  std::string text_;
  bool ends_;
};

class ScriptMenuTest : public ::testing::Test {
 protected:
  ScriptMenuTest() {
    settings_.run_script = [this](const std::vector<std::string>& words,
                                  const ScriptSamples& of) -> Result<std::unique_ptr<TextSource>> {
      ran_ = of.comm + "/" + of.symbol;
      for (const std::string& word : words) ran_ += " " + word;
      if (refuses_) return std::unexpected(Error{ErrorKind::NotFound, "no python", "install it"});
      return std::make_unique<WrittenText>("done\n");
    };
  }
  static std::string shown(View& view) { return picture_of(view, 70, 9, true); }

  ReportSettings settings_;
  std::string ran_;
  bool refuses_ = false;
};

TEST_F(ScriptMenuTest, SaysThatThereAreNoScripts) {
  EXPECT_TRUE(shown(*choose_script(settings_, {}).view).contains("No scripts available."));
  settings_.scripts = [] { return std::vector<ScriptChoice>(); };
  EXPECT_TRUE(shown(*choose_script(settings_, {}).view).contains("No scripts available."));
}

TEST_F(ScriptMenuTest, TitleSaysWhichSamples) {
  settings_.scripts = [] { return std::vector<ScriptChoice>{{.title = "plain", .words = {}}}; };
  const auto title = [&](ScriptSamples of) { return shown(*choose_script(settings_, std::move(of)).view); };
  EXPECT_TRUE(title({}).contains("- Scripts for all samples -"));
  EXPECT_TRUE(title({.comm = {}, .symbol = "main"}).contains("- Scripts for samples of main -"));
  EXPECT_TRUE(title({.comm = "bash", .symbol = {}}).contains("- Scripts for samples of bash -"));
}

TEST_F(ScriptMenuTest, RunsTheChosenScriptOverTheSamples) {
  settings_.scripts = [] {
    return std::vector<ScriptChoice>{{.title = "plain", .words = {}}, {.title = "times", .words = {"-F", "time"}}};
  };
  const Answer menu = choose_script(settings_, {.comm = "bash", .symbol = {}});
  menu.view->key(of(Key::Code::Down));
  const Answer output = menu.view->key(of(Key::Code::Enter));
  EXPECT_EQ(output.kind, Answer::Kind::Swap);
  EXPECT_EQ(ran_, "bash/ -F time");
  output.view->key({});
  EXPECT_TRUE(shown(*output.view).starts_with("script -F time  1 line\ndone\n")) << shown(*output.view);
}

TEST_F(ScriptMenuTest, ShowsWhyAScriptDoesNotRun) {
  refuses_ = true;
  const Answer answer = run_script(settings_, {"x.py"}, {});
  EXPECT_EQ(answer.kind, Answer::Kind::Swap);
  EXPECT_TRUE(shown(*answer.view).contains("| no python  |\n"));
  EXPECT_TRUE(shown(*answer.view).contains("| install it |\n"));
}

TEST_F(ScriptMenuTest, NothingRunsIfTheWordsAreNotGiven) {
  settings_.scripts = [] { return std::vector<ScriptChoice>{{.title = "asks", .words = {}, .asks = true}}; };
  const Answer prompt = choose_script(settings_, {}).view->key(of(Key::Code::Enter));
  EXPECT_EQ(prompt.kind, Answer::Kind::Swap);
  EXPECT_EQ(prompt.view->key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
  EXPECT_EQ(ran_, "");
}

TEST_F(ScriptMenuTest, ListsSamplesByTime) {
  const Answer menu = choose_sample(
      settings_, {{.time = 1'000'000'005, .tid = 7, .cpu = 3}, {.time = 2'500'000'000, .tid = 0xffffffff, .cpu = -1}});
  EXPECT_EQ(menu.kind, Answer::Kind::Swap);
  EXPECT_TRUE(shown(*menu.view).contains("| 1.000000005  thread 7  CPU 3 |"));
  EXPECT_TRUE(shown(*menu.view).contains("| 2.500000000  thread -1       |")) << "a sample of no thread on no CPU";
}

TEST_F(ScriptMenuTest, ShowsTenMillisecondsAroundASample) {
  struct Case {
    KeptSample sample;
    unsigned line;
    const char* ran;
  };
  for (const Case& test : {
           Case{{.time = 1'000'000'005, .tid = 7, .cpu = 3}, 0, "/ --time 0.990000005,1.010000005 --tid 7"},
           Case{{.time = 1'000'000'005, .tid = 7, .cpu = 3}, 1, "/ --time 0.990000005,1.010000005 -C 3"},
           Case{{.time = 1'000'000'005, .tid = 7, .cpu = 3}, 2, "/ --time 0.990000005,1.010000005"},
           Case{{.time = 4'000'000, .tid = 7, .cpu = -1}, 1, "/ --time 0.000000000,0.014000000"},
       }) {
    const Answer around = choose_sample(settings_, {test.sample}).view->key(of(Key::Code::Enter));
    EXPECT_EQ(around.kind, Answer::Kind::Swap);
    for (unsigned i = 0; i < test.line; ++i) around.view->key(of(Key::Code::Down));
    EXPECT_EQ(around.view->key(of(Key::Code::Enter)).kind, Answer::Kind::Swap);
    EXPECT_EQ(ran_, test.ran);
  }
}

// The lines 0 to 9; the last has no newline.
OutputView ten_lines() {
  std::string text;
  for (int i = 0; i < 10; ++i) text += fmt::format("{}line {}", i == 0 ? "" : "\n", i);
  return {"script", std::make_unique<WrittenText>(text)};
}

std::string first_line_of(OutputView& view) {
  const std::string picture = picture_of(view, 40, 6, true);
  const std::size_t begin = picture.find('\n') + 1;
  return picture.substr(begin, picture.find_first_of("\n:#", begin) - begin).substr(0, 6);
}

TEST(ScriptOutput, ScrollsByLinesAndPages) {
  OutputView view = ten_lines();
  struct Case {
    Key key;
    const char* first;
  };
  for (const Case& test :
       {Case{{}, "line 0"}, Case{of(Key::Code::Up), "line 0"}, Case{of(Key::Code::Down), "line 1"},
        Case{of(Key::Code::PageDown), "line 5"}, Case{of(Key::Code::PageDown), "line 6"},
        Case{of(Key::Code::Down), "line 6"}, Case{of(Key::Code::PageUp), "line 2"},
        Case{of(Key::Code::WheelDown), "line 5"}, Case{of(Key::Code::WheelUp), "line 2"}, Case{letter(U' '), "line 6"},
        Case{of(Key::Code::Home), "line 0"}, Case{of(Key::Code::End), "line 6"}}) {
    EXPECT_EQ(view.key(test.key).kind, Answer::Kind::Stay);
    EXPECT_EQ(first_line_of(view), test.first);
  }
}

TEST(ScriptOutput, FindsTextsBelow) {
  OutputView view = ten_lines();
  view.key({});
  view.key(letter(U'n'));
  EXPECT_EQ(first_line_of(view), "line 0") << "nothing is wanted yet";
  Answer prompt = view.key(letter(U'/'));
  ASSERT_EQ(prompt.kind, Answer::Kind::Open);
  for (const char32_t each : std::u32string_view(U"LINE 4")) prompt.view->key(letter(each));
  prompt.view->key(of(Key::Code::Enter));
  EXPECT_EQ(first_line_of(view), "line 4");
  view.key(letter(U'n'));
  EXPECT_EQ(first_line_of(view), "line 4");
  EXPECT_TRUE(picture_of(view, 40, 6, true).contains("not found below"));
}

TEST(ScriptOutput, WideLinesMoveToTheSide) {
  OutputView view("script", std::make_unique<WrittenText>("0123456789abcdef→rest\n\x1b[2J\n"));
  view.key({});
  EXPECT_TRUE(picture_of(view, 12, 5, false).contains("\n0123456789a\n\\x1b[2J\n"));
  view.key(of(Key::Code::Right));
  EXPECT_TRUE(picture_of(view, 12, 5, false).contains("\n→rest\n\n"));
  view.key(of(Key::Code::Left));
  view.key(of(Key::Code::Left));
  EXPECT_TRUE(picture_of(view, 12, 5, false).contains("\n0123456789a\n"));
}

TEST(ScriptOutput, StopsReadingWhatNobodyCanReadThrough) {
  std::string text;
  for (int i = 0; i < 100'001; ++i) text += "x\n";
  OutputView view("script", std::make_unique<WrittenText>(text, false));
  view.key({});
  EXPECT_EQ(view.changed_fd(), -1) << "the script was stopped";
  EXPECT_TRUE(picture_of(view, 90, 5, true).starts_with("script  100000 lines  truncated; a shell shows all lines"));
}

TEST(ScriptOutput, KeysThatLeaveIt) {
  OutputView view("script", std::make_unique<WrittenText>(""));
  for (const Key& key : {of(Key::Code::Escape), of(Key::Code::Backspace), letter(U'q')})
    EXPECT_EQ(view.key(key).kind, Answer::Kind::Back);
  EXPECT_EQ(view.key(letter(3)).kind, Answer::Kind::Quit);
}

}  // namespace
}  // namespace peregrine::tui
