#include "output/tui/screen/view_stack.h"

#include <cstddef>
#include <utility>

#include "output/tui/screen/canvas.h"

namespace peregrine::tui {

void ViewStack::draw() {
  Canvas canvas(screen_.width(), screen_.height(), screen_.ascii());
  std::size_t from = views_.size() - 1;
  while (from > 0 && views_[from]->popup()) --from;
  for (; from < views_.size(); ++from) views_[from]->draw(canvas);
  screen_.show(canvas);
}

void ViewStack::renew() {
  for (const auto& view : views_) view->renew();
}

bool ViewStack::obey(const Key& key) {
  if (key.code == Key::Code::Gone) return false;
  Answer answer = views_.back()->key(key);
  switch (answer.kind) {
    case Answer::Kind::Stay:
      return true;
    case Answer::Kind::Back:
      views_.pop_back();
      return !views_.empty();
    case Answer::Kind::Swap:
      views_.pop_back();
      views_.push_back(std::move(answer.view));
      return true;
    case Answer::Kind::Open:
      views_.push_back(std::move(answer.view));
      return true;
    case Answer::Kind::Leave:
      left_ = std::move(answer.word);
      return false;
    case Answer::Kind::Quit:
      return false;
  }
  return true;
}

Key ViewStack::wait_key(int milliseconds, int changed_fd) {
  std::vector<int> also;
  for (const int fd : {changed_fd, views_.back()->changed_fd()})
    if (fd >= 0) also.push_back(fd);
  return screen_.wait_key(milliseconds, also);
}

void show_views(Screen& screen, std::unique_ptr<View> first) {
  ViewStack views(screen);
  views.open(std::move(first));
  do {
    views.draw();
  } while (views.obey(views.wait_key(-1, -1)));
}

}  // namespace peregrine::tui
