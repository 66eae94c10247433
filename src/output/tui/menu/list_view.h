// ListView: a scrollable list of preformatted lines with a cursor, below a head.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "output/tui/screen/canvas.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

struct ListText {
  std::string title;
  std::vector<std::string> head, lines;
  std::string hint;  // the last row of the screen
};

class ListView : public View {
 public:
  // Calls `text` initially and after each key that `other` handles. `other` returns the answer, or nothing if the list
  // should handle the key.
  using Text = std::function<ListText()>;
  using Other = std::function<std::optional<Answer>(const Key& key, std::size_t line)>;
  ListView(Text text, Other other);
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;

 private:
  Answer search();
  bool search_from(std::size_t line);
  void scroll(const Key& key);

  Text ask_;
  Other other_;
  ListText text_;
  ListCursor cursor_;
  std::size_t height_ = 1, left_ = 0;
  std::string wanted_, status_;
};

}  // namespace peregrine::tui
