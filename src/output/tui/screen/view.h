// View: one picture that answers to keys. Views lie on a stack (browser.h); the topmost gets the keys. A popup is drawn
// over the view below it.
#pragma once
#include <memory>
#include <string>

#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

class View;

// What a key led to.
struct Answer {
  enum class Kind : u8 {
    Stay,
    Back,   // this view is done with
    Open,   // `view` comes on top
    Swap,   // `view` comes in the place of this one
    Quit,   // out of the program
    Leave,  // out of the screen, with `word`: what the owner is to do
  };
  Kind kind = Kind::Stay;
  std::unique_ptr<View> view = {};
  std::string word = {};
};

class View {
 public:
  virtual ~View() = default;
  virtual void draw(Canvas& canvas) = 0;
  virtual Answer key(const Key& key) = 0;
  virtual bool popup() const { return false; }
  // What can be read when there is more to show; -1: nothing. The view is drawn again then.
  virtual int changed_fd() const { return -1; }
  // The profile is another one now.
  virtual void renew() {}
};

inline bool ends(const Key& key) { return key.is('q') || key.is(3); }
// The same in a view above others: q leads back to them, Ctrl-C out of the program.
inline Answer leave(const Key& key) { return {.kind = key.is('q') ? Answer::Kind::Back : Answer::Kind::Quit}; }

inline Answer open_view(std::unique_ptr<View> view) { return {.kind = Answer::Kind::Open, .view = std::move(view)}; }

}  // namespace peregrine::tui
