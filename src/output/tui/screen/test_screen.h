// TestScreen: a screen in memory, for tests of views that wait for keys.
#pragma once
#include <deque>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

// Delivers the keys one after another, then Gone, as if the terminal was closed.
class TestScreen : public Screen {
 public:
  TestScreen(unsigned width, unsigned height, std::initializer_list<Key> keys)
      : width_(width), height_(height), keys_(keys) {}

  unsigned width() const override { return width_; }
  unsigned height() const override { return height_; }
  bool ascii() const override { return true; }
  void show(const Canvas& canvas) override { pictures.push_back(canvas.text()); }
  Key wait_key(int milliseconds, std::span<const int> also) override {
    waits.emplace_back(milliseconds, std::vector<int>(also.begin(), also.end()));
    if (before_key) before_key();
    if (keys_.empty()) return {.code = Key::Code::Gone};
    const Key key = keys_.front();
    keys_.pop_front();
    return key;
  }
  const std::string& last() const { return pictures.back(); }

  std::vector<std::string> pictures;                    // everything that was shown
  std::vector<std::pair<int, std::vector<int>>> waits;  // timeout and descriptors of each wait
  std::function<void()> before_key;                     // called while the screen waits

 private:
  unsigned width_, height_;
  std::deque<Key> keys_;
};

}  // namespace peregrine::tui
