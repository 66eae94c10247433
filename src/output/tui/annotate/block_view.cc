#include "output/tui/annotate/block_view.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "analysis/browse/queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/tui/annotate/annotate_view.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kBlockHelp =
    "arrows, Page Up, Page Down, Home, End   move\n"
    "Enter, a                                show the code of the block\n"
    "/, n                                    search, search again\n"
    "i                                       recording info\n"
    "q, Ctrl-C                               quit\n";

}  // namespace

BlockView::BlockView(Queries& queries, const ReportSettings& settings, std::size_t table)
    : queries_(queries), settings_(settings), table_(table) {
  ask();
}

void BlockView::ask() {
  const BrowsePage& page = queries_.page({.table = table_});
  std::vector<BlockRow> blocks = block_rows(*page.table);
  lines_.clear();
  runs_ = 0;
  for (const u32 row : page.rows) {
    runs_ += blocks[row].runs;
    if (blocks[row].share >= settings_.percent_limit) lines_.push_back({std::move(blocks[row]), row});
  }
  cursor_.settle(lines_.size(), height_);
}

void BlockView::draw(Canvas& canvas) {
  height_ = canvas.height() > 3 ? canvas.height() - 3 : 1;
  cursor_.settle(lines_.size(), height_);
  canvas.put(0, 0,
             fmt::format("{}, {} of {}", counted(lines_.size(), "block of code", "blocks of code"),
                         counted(runs_, "run"), queries_.tables()[table_].name),
             Style::Title);
  canvas.put(0, 1, fmt::format("{:>8} {:>12} {:>8} {:>10}  {}", "Cycles%", "Cycles", "Avg%", "Avg", "Block"),
             Style::Header);
  for (std::size_t at = 0; at < height_ && cursor_.first + at < lines_.size(); ++at) {
    const BlockRow& block = lines_[cursor_.first + at].block;
    const unsigned y = 2 + static_cast<unsigned>(at);
    const unsigned x =
        canvas.put(0, y, fmt::format("{:>7.2f}%", block.share), block.share >= 5 ? Style::Hot : Style::Warm);
    canvas.put(x, y,
               fmt::format(" {:>12} {:>7.2f}% {:>10}  {} -> {}  {}", block.cycles, block.mean_share, block.mean,
                           printable(block.start), printable(block.end), printable(block.dso)));
    if (cursor_.first + at == cursor_.at) canvas.paint(0, y, canvas.width(), Style::Selected);
  }
  if (lines_.empty()) canvas.put(2, 2, "no branches with cycles recorded", Style::Dim);
  canvas.put(0, canvas.height() - 1, status_.empty() ? "h: keys  Enter: code  /: find  q: quit" : status_,
             status_.empty() ? Style::Dim : Style::Key);
}

Answer BlockView::open_code() {
  if (lines_.empty()) return {};
  const u32 row = lines_[cursor_.at].row;
  const RowTable& table = *queries_.page({.table = table_}).table;
  const FrameLook start = table.data_look(table.rows()[row], SortKey::AddressFrom);
  const HistFrame frame = queries_.frame(table.data_frame(table.rows()[row], SortKey::AddressFrom));
  auto code = queries_.annotate(frame, table_);
  if (!code)
    return {.kind = Answer::Kind::Open,
            .view = std::make_unique<TextView>(" No code ", code.error().message + "\n\n" + code.error().hint)};
  auto view = std::make_unique<AnnotateView>(
      std::move(*code), [this, frame] { return queries_.annotate(frame, table_); }, settings_);
  view->go_to_offset(start.address - start.start);
  return {.kind = Answer::Kind::Open, .view = std::move(view)};
}

bool BlockView::search_from(std::size_t start) {
  for (std::size_t step = 0; step < lines_.size(); ++step) {
    const std::size_t at = (start + step) % lines_.size();
    const BlockRow& block = lines_[at].block;
    if (!contains_any_case(block.start, wanted_) && !contains_any_case(block.end, wanted_) &&
        !contains_any_case(block.dso, wanted_))
      continue;
    cursor_.at = at;
    return true;
  }
  return false;
}

Answer BlockView::search() {
  return ask_what_to_find(wanted_, status_, [this] { return search_from(cursor_.at); });
}

Answer BlockView::key(const Key& key) {
  status_.clear();
  if (ends(key)) return {.kind = Answer::Kind::Quit};
  if (key.code == Key::Code::Enter || key.code == Key::Code::Right || key.is('a')) return open_code();
  if (key.is('/')) return search();
  if (key.is('n') && !wanted_.empty()) search_from(cursor_.at + 1);
  if (key.is('i'))
    return {.kind = Answer::Kind::Open, .view = std::make_unique<TextView>(" Recording info ", queries_.header())};
  if (asks_for_keys(key)) return show_keys(kBlockHelp);
  cursor_.move(key, lines_.size(), height_);
  return {};
}

}  // namespace peregrine::tui
