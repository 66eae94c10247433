#include "output/tui/screen/view_stack.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/test_keys.h"
#include "output/tui/screen/test_screen.h"
#include "support/temporary_folder.h"

namespace peregrine::tui {
namespace {

// A view that draws a letter at its position and gives the same answer to every key.
class LetterView : public View {
 public:
  LetterView(unsigned x, char letter, bool popup = false, int fd = -1)
      : x_(x), letter_(letter), popup_(popup), fd_(fd) {}
  void draw(Canvas& canvas) override { canvas.put(x_, 0, std::string(1, letter_)); }
  Answer key(const Key&) override { return std::move(next); }
  bool popup() const override { return popup_; }
  int changed_fd() const override { return fd_; }
  void renew() override { letter_ = static_cast<char>(letter_ + 1); }
  Answer next;

 private:
  unsigned x_;
  char letter_;
  bool popup_;
  int fd_;
};

std::unique_ptr<LetterView> answering(char letter, Answer answer) {
  auto view = std::make_unique<LetterView>(0, letter);
  view->next = std::move(answer);
  return view;
}

TEST(ViewStack, DrawsPopupsOverTheViewBelow) {
  TestScreen screen(4, 1, {});
  ViewStack views(screen);
  views.open(std::make_unique<LetterView>(0, 'a'));
  EXPECT_TRUE(views.is_flat());
  views.open(std::make_unique<LetterView>(1, 'b'));
  views.open(std::make_unique<LetterView>(2, 'c', true));
  views.open(std::make_unique<LetterView>(3, 'd', true));
  EXPECT_FALSE(views.is_flat());
  views.draw();
  EXPECT_EQ(screen.last(), " bcd\n") << "a is hidden by b, which fills the screen";
}

TEST(ViewStack, AProfileThatChangesRenewsAllViews) {
  TestScreen screen(4, 1, {});
  ViewStack views(screen);
  views.open(std::make_unique<LetterView>(0, 'a'));
  views.open(std::make_unique<LetterView>(1, 'x', true));
  views.renew();
  views.draw();
  EXPECT_EQ(screen.last(), "by\n");
  views.replace_bottom(std::make_unique<LetterView>(0, 'k'));
  views.draw();
  EXPECT_EQ(screen.last(), "ky\n");
}

TEST(ViewStack, ObeysTheAnswerOfTheTopmostView) {
  struct Case {
    Answer::Kind kind;
    bool goes_on;
    const char* shown;  // after the view was closed
  };
  for (const Case& test : {Case{Answer::Kind::Stay, true, "b\n"}, Case{Answer::Kind::Back, true, "a\n"},
                           Case{Answer::Kind::Swap, true, "n\n"}, Case{Answer::Kind::Open, true, "n\n"},
                           Case{Answer::Kind::Quit, false, "b\n"}, Case{Answer::Kind::Leave, false, "b\n"}}) {
    TestScreen screen(4, 1, {});
    ViewStack views(screen);
    views.open(std::make_unique<LetterView>(0, 'a'));
    Answer answer{.kind = test.kind, .word = "open x"};
    if (test.kind == Answer::Kind::Swap || test.kind == Answer::Kind::Open)
      answer.view = std::make_unique<LetterView>(0, 'n');
    views.open(answering('b', std::move(answer)));
    EXPECT_EQ(views.obey(letter(U'x')), test.goes_on);
    EXPECT_EQ(views.left(), test.kind == Answer::Kind::Leave ? "open x" : "");
    views.draw();
    EXPECT_EQ(screen.last(), test.shown);
    EXPECT_EQ(views.is_flat(), test.kind == Answer::Kind::Back);
  }
}

TEST(ViewStack, EndsWithTheLastViewAndWithTheTerminal) {
  TestScreen screen(4, 1, {});
  ViewStack views(screen);
  views.open(answering('a', {.kind = Answer::Kind::Back}));
  EXPECT_FALSE(ViewStack(screen).obey(of(Key::Code::Gone)));
  EXPECT_FALSE(views.obey(letter(U'q')));
}

TEST(ViewStack, WaitsForTheOwnersAndTheTopmostViewsDescriptors) {
  TestScreen screen(4, 1, {});
  ViewStack views(screen);
  views.open(std::make_unique<LetterView>(0, 'a', false, 3));
  views.wait_key(10, -1);
  views.wait_key(-1, 7);
  views.open(std::make_unique<LetterView>(0, 'b'));
  views.wait_key(0, -1);
  using Fds = std::vector<int>;
  EXPECT_EQ(screen.waits, (std::vector{std::pair{10, Fds{3}}, std::pair{-1, Fds{7, 3}}, std::pair{0, Fds{}}}));
}

TEST(ViewStack, ShowsAViewUntilTheUserLeaves) {
  TestScreen screen(4, 1, {letter(U'x'), letter(U'x')});
  show_views(screen,
             answering('a', {.kind = Answer::Kind::Open, .view = answering('b', {.kind = Answer::Kind::Quit})}));
  EXPECT_EQ(screen.pictures, (std::vector<std::string>{"a\n", "b\n"}));
}

TEST(ScreenPlugIn, MissingFilesHaveAHint) {
  const TemporaryFolder folder;
  const auto screen = open_screen(folder.path(), {});
  ASSERT_FALSE(screen);
  EXPECT_EQ(screen.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(screen.error().message,
            "this build has no interactive screens: " + folder.path("screen_ncurses.so") + " not found");
  EXPECT_EQ(screen.error().hint,
            "build with -DPEREGRINE_NCURSES=ON, or install the complete package; --stdio shows text");
}

TEST(ScreenPlugIn, FilesThatAreNoLibraryHaveAHint) {
  const TemporaryFolder folder;
  const std::string file = folder.write("screen_ncurses.so", "no library");
  const auto screen = open_screen(folder.path(), {});
  ASSERT_FALSE(screen);
  EXPECT_EQ(screen.error().kind, ErrorKind::Unsupported);
  EXPECT_TRUE(screen.error().message.starts_with("cannot load " + file)) << screen.error().message;
  EXPECT_TRUE(screen.error().hint.contains("--stdio shows text"));
}

bool window_changes_are_held() {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, SIGWINCH) == 1;
}

TEST(ResizeHold, HoldsTheSignalAndRestoresTheMask) {
  ASSERT_FALSE(window_changes_are_held());
  {
    const ResizeHold outer;
    EXPECT_TRUE(window_changes_are_held());
    {
      const ResizeHold inner;
    }
    EXPECT_TRUE(window_changes_are_held()) << "the outer one still holds it";
  }
  EXPECT_FALSE(window_changes_are_held());
}

}  // namespace
}  // namespace peregrine::tui
