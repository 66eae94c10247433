#include "output/tui/menu/list_view.h"

#include <gtest/gtest.h>

#include "output/tui/report/browser.h"
#include "output/tui/screen/test_keys.h"

namespace peregrine::tui {
namespace {

TEST(ListView, WalksScrollsAndLetsItsOwnerAnswer) {
  int asked = 0;
  std::size_t chosen = ~std::size_t{0};
  ListView view(
      [&asked] {
        ++asked;
        return ListText{.title = "three",
                        .head = {"Name          Value"},
                        .lines = {"alpha             1", "beta              2", "gamma             3"},
                        .hint = "q: end"};
      },
      [&chosen](const Key& key, std::size_t line) -> std::optional<Answer> {
        if (key.code != Key::Code::Enter) return std::nullopt;
        chosen = line;
        return Answer{};
      });
  EXPECT_EQ(picture_of(view, 20, 6, true),
            "three\nName          Value\nalpha             1\nbeta              2\ngamma             3\nq: end\n");
  view.key(of(Key::Code::Down));
  EXPECT_EQ(asked, 1);
  view.key(of(Key::Code::Enter));
  EXPECT_EQ(chosen, 1u);
  EXPECT_EQ(asked, 2);
  view.key(of(Key::Code::Right));
  EXPECT_EQ(picture_of(view, 20, 6, true), "three\n    Value\n        1\n        2\n        3\nq: end\n");
  view.key(of(Key::Code::Right));  // there is nothing further to the right
  EXPECT_TRUE(picture_of(view, 20, 6, true).contains("Value"));
  EXPECT_EQ(view.key(letter('/')).kind, Answer::Kind::Open);
  EXPECT_EQ(view.key(of(Key::Code::Escape)).kind, Answer::Kind::Back);
  EXPECT_EQ(view.key(letter(3)).kind, Answer::Kind::Quit);
}

}  // namespace
}  // namespace peregrine::tui
