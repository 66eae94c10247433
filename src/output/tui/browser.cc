#include "output/tui/browser.h"

#include <algorithm>

#include "output/text/report_table.h"
#include "output/tui/annotate_view.h"
#include "output/tui/popup.h"

namespace peregrine::tui {

namespace {

constexpr int kWait = 100;  // ms between two looks at what the owner does

}  // namespace

Browser::Browser(Screen& screen, Queries& queries, ReportSettings& settings, BrowserHooks hooks)
    : screen_(screen), queries_(queries), settings_(settings), hooks_(std::move(hooks)) {}

// Of several events with samples one is chosen first, the one with the most samples on top.
std::unique_ptr<View> Browser::choose_table() {
  const std::vector<TableLine> tables = queries_.tables();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (tables[i].samples != 0) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return tables[a].samples > tables[b].samples; });
  if (order.size() < 2) return std::make_unique<ReportView>(queries_, settings_, order.empty() ? 0 : order[0]);
  std::vector<std::string> lines;
  for (const std::size_t table : order)
    lines.push_back(fmt::format("{:>5}  {}", short_count(tables[table].samples), tables[table].name));
  return std::make_unique<MenuView>(" Available samples ", std::move(lines), [this, order](std::size_t chosen) {
    return Answer{.kind = Answer::Kind::Open, .view = std::make_unique<ReportView>(queries_, settings_, order[chosen])};
  });
}

void Browser::start() {
  views_.push_back(choose_table());
  if (!first_symbol_.empty()) {
    show_symbol();
    views_.front()->renew();  // another look was asked for in between
  }
}

void Browser::show_symbol() {
  const BrowsePage& page = queries_.page({});
  for (const u32 row : page.rows) {
    const FrameLook& look = page.table->frame_look(page.table->rows()[row]);
    if (!look.symbol.valid() || page.table->faces().text(look.symbol) != first_symbol_) continue;
    const HistFrameId frame = queries_.frame_of(row);
    auto code = queries_.annotate(frame, 0);
    if (code)
      views_.push_back(
          std::make_unique<AnnotateView>(std::move(*code), [this, frame] { return queries_.annotate(frame, 0); }));
    else
      views_.push_back(std::make_unique<TextView>(" No code ", code.error().message + "\n" + code.error().hint));
    return;
  }
  views_.push_back(std::make_unique<TextView>(
      " No code ", fmt::format("no sample is in a function named {} so far", first_symbol_)));
}

void Browser::draw() {
  Canvas canvas(screen_.width(), screen_.height(), screen_.ascii());
  std::size_t from = views_.size() - 1;
  while (from > 0 && views_[from]->popup()) --from;
  for (; from < views_.size(); ++from) views_[from]->draw(canvas);
  screen_.show(canvas);
}

void Browser::renew() {
  for (const auto& view : views_) view->renew();
}

bool Browser::obey(const Key& key) {
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

std::string Browser::run() {
  const auto locked = [&](const std::function<void()>& act) { hooks_.locked ? hooks_.locked(act) : act(); };
  locked([&] {
    start();
    draw();
  });
  for (bool goes_on = true; goes_on;) {
    const Key key = screen_.wait_key(kWait);
    if (hooks_.over && hooks_.over()) break;
    const bool changed = hooks_.changed && hooks_.changed();
    if (key.code == Key::Code::None && !changed) continue;
    locked([&] {
      if (changed) renew();
      goes_on = obey(key);
      if (goes_on) draw();
    });
  }
  return left_;
}

std::string picture_of(View& view, unsigned width, unsigned height, bool ascii) {
  Canvas canvas(width, height, ascii);
  view.draw(canvas);
  return canvas.text();
}

}  // namespace peregrine::tui
