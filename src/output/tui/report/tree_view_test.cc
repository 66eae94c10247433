// The profile of test_profile.h as a tree: commands, then libraries, then functions.
#include "output/tui/report/tree_view.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/browse/hist_queries.h"
#include "analysis/hist/key/columns.h"
#include "output/tui/report/browser.h"
#include "output/tui/report/test_profile.h"
#include "output/tui/screen/test_keys.h"

namespace peregrine::tui {
namespace {

class TreeViewTest : public ::testing::Test {
 protected:
  TreeViewTest() { queries_.show(profile_.hists); }
  static BrowseOptions options() {
    BrowseOptions options = Profile::options();
    options.columns = *parse_columns({});
    options.children = options.graphs = false;
    return options;
  }
  TreeView& view() {
    if (!view_) view_.emplace(queries_, profile_.settings, 0);
    return *view_;
  }
  // The lines of the tree, without heading and hint.
  std::string tree(unsigned height = 20) {
    std::string all = picture_of(view(), 60, height, true);
    all.erase(0, all.find('\n', all.find('\n') + 1) + 1);
    return all.substr(0, all.find("\n\n") + 1);
  }
  std::string status() {
    const std::string all = picture_of(view(), 60, 10, true);
    return all.substr(all.rfind('\n', all.size() - 2) + 1);
  }
  void press(std::u32string_view keys) {
    for (const char32_t each : keys) view().key(letter(each));
  }
  void prompt(char32_t key, std::u32string_view typed, Key::Code end = Key::Code::Enter) {
    const Answer answer = view().key(letter(key));
    ASSERT_EQ(answer.kind, Answer::Kind::Open);
    for (const char32_t each : typed) answer.view->key(letter(each));
    EXPECT_EQ(answer.view->key(of(end)).kind, Answer::Kind::Back);
  }

  Profile profile_;
  HistQueries queries_{options(), profile_.words};

 private:
  std::optional<TreeView> view_;
};

constexpr std::string_view kClosed =
    "+    70.00%  bash\n"
    "+    30.00%  cat\n";
constexpr std::string_view kOpen =
    "-    70.00%  bash\n"
    "   -    60.00%  prog\n"
    "           60.00%  [.] work\n"
    "   -    10.00%  libc\n"
    "           10.00%  [.] idle\n"
    "-    30.00%  cat\n"
    "   -    30.00%  libc\n"
    "           30.00%  [.] copy\n";

TEST_F(TreeViewTest, BeginsWithTheRootsClosed) {
  EXPECT_EQ(picture_of(view(), 60, 6, true),
            "Samples: 3  of event 'cpu-clock', Event count (approx.): 100\n"
            "   Overhead  Command / Shared Object / Symbol\n"
            "+    70.00%  bash\n"
            "+    30.00%  cat\n"
            "\n"
            "?: keys  Enter: expand or collapse  E, C: all  /: find  q: q\n");
}

TEST_F(TreeViewTest, OpensAndClosesLines) {
  view().key(of(Key::Code::Enter));
  EXPECT_EQ(tree(),
            "-    70.00%  bash\n"
            "   +    60.00%  prog\n"
            "   +    10.00%  libc\n"
            "+    30.00%  cat\n");
  view().key(of(Key::Code::Right));
  EXPECT_EQ(tree(), kClosed);
  press(U"+");
  view().key(of(Key::Code::Down));
  press(U"+");
  EXPECT_TRUE(tree().contains("[.] work"));
}

TEST_F(TreeViewTest, OpensAndClosesEverything) {
  press(U"E");
  EXPECT_EQ(tree(), kOpen);
  press(U"C");
  EXPECT_EQ(tree(), kClosed);
}

TEST_F(TreeViewTest, OpensAndClosesEverythingBelowALine) {
  press(U"e");
  EXPECT_EQ(tree(),
            "-    70.00%  bash\n"
            "   -    60.00%  prog\n"
            "           60.00%  [.] work\n"
            "   -    10.00%  libc\n"
            "           10.00%  [.] idle\n"
            "+    30.00%  cat\n");
  press(U"c");
  EXPECT_EQ(tree(), kClosed);
  press(U"+");
  EXPECT_FALSE(tree().contains("[.] work")) << "what is below was closed as well";
}

TEST_F(TreeViewTest, OpenLinesStayOpenWhenSamplesCome) {
  press(U"e");
  profile_.add("cat", 12, {"prog:main", "libc:copy"}, 300);
  queries_.show(profile_.hists);
  view().renew();
  EXPECT_EQ(tree(),
            "+    82.50%  cat\n"
            "-    17.50%  bash\n"
            "   -    15.00%  prog\n"
            "           15.00%  [.] work\n"
            "   -     2.50%  libc\n"
            "            2.50%  [.] idle\n");
}

TEST_F(TreeViewTest, SmallLinesCountInTheirParents) {
  press(U"E");
  prompt(U'L',
         U"\x15"
         U"11");
  EXPECT_EQ(tree(),
            "-    70.00%  bash\n"
            "   -    60.00%  prog\n"
            "           60.00%  [.] work\n"
            "-    30.00%  cat\n"
            "   -    30.00%  libc\n"
            "           30.00%  [.] copy\n");
  prompt(U'L', U"\x15much");
  EXPECT_EQ(status(), "percentage must be between 0 and 100\n");
  prompt(U'L',
         U"\x15"
         U"0",
         Key::Code::Escape);
  EXPECT_FALSE(tree().contains("idle"));
  prompt(U'L',
         U"\x15"
         U"0");
  EXPECT_EQ(tree(), kOpen);
}

TEST_F(TreeViewTest, ShowsRowsThatContainAText) {
  press(U"E");
  prompt(U'/', U"LIBC");
  EXPECT_EQ(tree(),
            "-    30.00%  cat\n"
            "   -    30.00%  libc\n"
            "           30.00%  [.] copy\n"
            "-    10.00%  bash\n"
            "   -    10.00%  libc\n"
            "           10.00%  [.] idle\n");
  prompt(U'/', U"x", Key::Code::Escape);
  EXPECT_TRUE(tree().contains("copy")) << "Escape restores the former text";
  prompt(U'/', U"\x15nowhere");
  for (const char32_t key : std::u32string_view(U"+ecEC")) press({&key, 1});
  view().key(of(Key::Code::Enter));
  EXPECT_EQ(tree(), "    No rows match: Esc goes back.\n");
}

TEST_F(TreeViewTest, ClicksFoldTheLinesThatAreSeen) {
  const auto click = [this](unsigned y) {
    picture_of(view(), 60, 4, true);  // space for only one line
    view().key({.code = Key::Code::Click, .x = 5, .y = y});
  };
  for (const unsigned y : {0u, 1u, 3u}) click(y);
  EXPECT_EQ(tree(), kClosed) << "the head and the hint are no lines";
  click(2);
  EXPECT_TRUE(tree().contains("prog"));
}

TEST_F(TreeViewTest, OpensTextsAndLeaves) {
  queries_.set_header([] { return "hostname : here"; });
  for (const auto& [key, text] : {std::pair{U'h', "expand or collapse a line"}, std::pair{U'?', "minimum percentage"},
                                  std::pair{U'i', "hostname : here"}}) {
    const Answer answer = view().key(letter(key));
    ASSERT_EQ(answer.kind, Answer::Kind::Open);
    EXPECT_TRUE(picture_of(*answer.view, 80, 20, true).contains(text));
  }
  EXPECT_EQ(view().key(of(Key::Code::Escape)).kind, Answer::Kind::Open) << "asks whether to leave";
  EXPECT_EQ(view().key(letter(U'q')).kind, Answer::Kind::Quit);
  EXPECT_EQ(view().key(letter(3)).kind, Answer::Kind::Quit);
  press(U"y");
  EXPECT_EQ(status(), "press ? for keys\n");
}

TEST_F(TreeViewTest, OwnersKeysComeFirst) {
  profile_.settings.live_key = [](char32_t key, std::string& said) {
    said = "paused";
    return key == U'f';
  };
  press(U"f");
  EXPECT_EQ(status(), "paused\n");
}

}  // namespace
}  // namespace peregrine::tui
