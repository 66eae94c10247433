// OutputView: shows a text on the whole screen while it is being written, e.g. a script's output.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class OutputView : public View {
 public:
  OutputView(std::string title, std::unique_ptr<TextSource> source)
      : title_(std::move(title)), source_(std::move(source)) {}
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  int changed_fd() const override { return source_ ? source_->fd() : -1; }

 private:
  void read();
  Answer search();
  bool search_from(std::size_t line);

  std::string title_;
  std::unique_ptr<TextSource> source_;  // null: it has ended
  std::vector<std::string> lines_;
  std::string rest_;  // incomplete last line
  std::size_t first_ = 0, height_ = 20, left_ = 0;
  bool cut_ = false;
  std::string wanted_, status_;
};

}  // namespace peregrine::tui
