// View: a screen that reacts to keys. Views are stacked (browser.h); the topmost gets the keys. Popups are drawn over
// the view below.
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

class View;

// The result of a key.
struct Answer {
  enum class Kind : u8 {
    Stay,
    Back,   // close this view
    Open,   // put `view` on top
    Swap,   // replace this view by `view`
    Quit,   // exit the program
    Leave,  // leave the screen; `word` is the request to the owner
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
  // A descriptor that is readable when the view should be redrawn; -1: none.
  virtual int changed_fd() const { return -1; }
  // The profile has changed.
  virtual void renew() {}
};

inline bool ends(const Key& key) { return key.is('q') || key.is(3); }
// The same in a view above others: q goes back to them, Ctrl-C exits the program.
inline Answer leave(const Key& key) { return {.kind = key.is('q') ? Answer::Kind::Back : Answer::Kind::Quit}; }

inline Answer open_view(std::unique_ptr<View> view) { return {.kind = Answer::Kind::Open, .view = std::move(view)}; }

}  // namespace peregrine::tui
