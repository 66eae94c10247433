#include "output/tui/report/browser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_table.h"
#include "base/types.h"
#include "output/text/report/report_table.h"
#include "output/tui/annotate/annotate_view.h"
#include "output/tui/annotate/block_view.h"
#include "output/tui/menu/popup.h"
#include "output/tui/report/report_view.h"
#include "output/tui/report/tree_view.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

Browser::Browser(Screen& screen, Queries& queries, ReportSettings& settings, BrowserHooks hooks)
    : views_(screen), queries_(queries), settings_(settings), hooks_(std::move(hooks)) {}

std::unique_ptr<View> Browser::rows_of(std::size_t table) const {
  if (settings_.blocks) return std::make_unique<BlockView>(queries_, settings_, table);
  if (settings_.tree) return std::make_unique<TreeView>(queries_, settings_, table);
  return std::make_unique<ReportView>(queries_, settings_, table);
}

// The table with the most samples comes first.
std::vector<std::size_t> Browser::tables_with_samples() const {
  const std::vector<TableLine> tables = queries_.tables();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (tables[i].samples != 0) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return tables[a].samples > tables[b].samples; });
  return order;
}

// A live profile starts without samples. Switch to the first event that gets some.
void Browser::leave_empty_table() {
  if (!waits_for_samples_) return;
  const std::vector<std::size_t> order = tables_with_samples();
  if (order.empty()) return;
  waits_for_samples_ = false;
  if (queries_.tables()[0].samples == 0 && views_.is_flat()) views_.replace_bottom(rows_of(order[0]));
}

// If several events have samples, the user chooses one.
std::unique_ptr<View> Browser::choose_table() {
  const std::vector<TableLine> tables = queries_.tables();
  const std::vector<std::size_t> order = tables_with_samples();
  waits_for_samples_ = order.empty();
  if (order.size() < 2) return rows_of(order.empty() ? 0 : order[0]);
  std::vector<std::string> lines;
  for (const std::size_t table : order)
    lines.push_back(fmt::format("{:>5}  {}", short_count(tables[table].samples), tables[table].name));
  return std::make_unique<MenuView>(" Available samples ", std::move(lines), [this, order](std::size_t chosen) {
    return Answer{.kind = Answer::Kind::Open, .view = rows_of(order[chosen])};
  });
}

void Browser::start() {
  views_.open(choose_table());
  if (!first_symbol_.empty()) {
    show_symbol();
    views_.bottom().renew();  // show_symbol() requested another look
  }
}

void Browser::show_symbol() {
  const BrowsePage& page = queries_.page({});
  for (const u32 row : page.rows) {
    const FrameLook& look = page.table->frame_look(page.table->rows()[row]);
    if (!look.symbol.valid() || page.table->faces().text(look.symbol) != first_symbol_) continue;
    const HistFrame frame = queries_.frame(queries_.frame_of(row));
    auto code = queries_.annotate(frame, 0);
    if (code)
      views_.open(std::make_unique<AnnotateView>(
          std::move(*code), [this, frame] { return queries_.annotate(frame, 0); }, settings_));
    else
      views_.open(std::make_unique<TextView>(" No code ", code.error().message + "\n" + code.error().hint));
    return;
  }
  views_.open(std::make_unique<TextView>(" No code ", fmt::format("no samples in '{}' so far", first_symbol_)));
}

std::string Browser::run() {
  const auto locked = [&](const std::function<void()>& act) { hooks_.locked ? hooks_.locked(act) : act(); };
  locked([&] {
    start();
    views_.draw();
  });
  for (bool goes_on = true; goes_on;) {
    const Key key = views_.wait_key(hooks_.calm ? hooks_.calm() : -1, hooks_.changed_fd);
    if (hooks_.over && hooks_.over()) break;
    const bool changed = hooks_.changed && hooks_.changed();
    if (key.code == Key::Code::None && !changed && views_.top().changed_fd() < 0) continue;
    locked([&] {
      if (changed) {
        views_.renew();
        leave_empty_table();
      }
      goes_on = views_.obey(key);
      if (goes_on) views_.draw();
    });
  }
  return views_.left();
}

std::string picture_of(View& view, unsigned width, unsigned height, bool ascii) {
  Canvas canvas(width, height, ascii);
  view.draw(canvas);
  return canvas.text();
}

}  // namespace peregrine::tui
