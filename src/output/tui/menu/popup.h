// Popups: a menu, a text, an input line. The opener passes a function that handles the result and returns the next
// answer; the popup is already gone then.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/tui/screen/canvas.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class MenuView : public View {
 public:
  using Choose = std::function<Answer(std::size_t chosen)>;
  MenuView(std::string title, std::vector<std::string> lines, Choose choose)
      : title_(std::move(title)), lines_(std::move(lines)), choose_(std::move(choose)) {}
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  bool popup() const override { return true; }

 private:
  std::string title_;
  std::vector<std::string> lines_;
  Choose choose_;
  ListCursor cursor_;
  std::size_t height_ = 1;
  unsigned x_ = 0, y_ = 0, width_ = 0;
};

// Lines that are too wide for the screen are wrapped between words.
class TextView : public View {
 public:
  TextView(std::string title, std::string_view text);
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  bool popup() const override { return true; }

 private:
  std::string title_;
  std::vector<std::string> lines_, wrapped_;  // as given; as shown
  std::size_t first_ = 0, height_ = 1;
};

// ? and h show the keys of a view.
inline bool asks_for_keys(const Key& key) { return key.is('?') || key.is('h'); }
inline Answer show_keys(std::string_view keys) { return open_view(std::make_unique<TextView>(" Keys ", keys)); }

// Calls `change` for every letter, `done` at the end: true for Enter, false for Escape.
class PromptView : public View {
 public:
  using Change = std::function<void(const std::string& text)>;
  using Done = std::function<Answer(const std::string& text, bool accepted)>;
  PromptView(std::string question, std::string text, Change change, Done done)
      : question_(std::move(question)), text_(std::move(text)), change_(std::move(change)), done_(std::move(done)) {}
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  bool popup() const override { return true; }

 private:
  std::string question_, text_;
  Change change_;
  Done done_;
};

// Prompts for a search text; on Enter `found` searches from the cursor. `wanted` (last search text) and `status`
// (message if not found) must outlive the prompt.
Answer ask_what_to_find(std::string& wanted, std::string& status, std::function<bool()> found);

// "Quit?": Enter confirms.
std::unique_ptr<View> ask_to_quit();

}  // namespace peregrine::tui
