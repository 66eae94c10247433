#include "output/tui/report/tree_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "analysis/browse/queries.h"
#include "analysis/flat_index.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/number/real_number.h"
#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/report/key_look.h"
#include "output/text/report/row_cells.h"
#include "output/tui/menu/popup.h"
#include "output/tui/report/profile_title.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

constexpr unsigned kShareWidth = 9, kTreeViewIndent = 3, kTop = 2;
constexpr std::string_view kTreeHelp =
    "Up Down PgUp PgDn Home End   lines\n"
    "Enter, +                     expand or collapse a line\n"
    "e, c                         expand, collapse everything below it\n"
    "E, C                         expand, collapse everything\n"
    "Tab, Shift-Tab               next, previous event\n"
    "/                            show only rows that contain text, as you type\n"
    "L                            minimum percentage\n"
    "i                            recording info\n"
    "q, Esc                       quit\n";

u64 hash_text(u64 hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mix_bits(hash);
}

}  // namespace

TreeView::TreeView(Queries& queries, ReportSettings& settings, std::size_t table)
    : queries_(queries), settings_(settings), limit_(settings.percent_limit) {
  look_.table = table;
  look_.filter = settings.filter;
  ask();
}

void TreeView::ask() {
  page_ = &queries_.page(look_);
  tree_ = &queries_.tree();
  make_lines();
}

std::string TreeView::text_of(const RowNode& node) const {
  const RowCells cells(tree_->table(), "", false);
  const Row& row = tree_->table().rows()[node.row];
  std::string text;
  for (const SortKey key : tree_->levels()[node.level]) {
    std::string cell = cells.text(row, key, static_cast<unsigned>(cells.width(row, key)));
    cell.erase(cell.find_last_not_of(' ') + 1);
    text += (text.empty() ? "" : "  ") + cell.substr(std::min(cell.find_first_not_of(' '), cell.size()));
  }
  return text;
}

// Open lines are remembered by the texts on their path, not by node: nodes have other numbers after every query.
u64 TreeView::path_of(u64 parent, const RowNode& node) const { return hash_text(parent + node.level, text_of(node)); }

double TreeView::share(u32 node) const { return percent_of(tree_->weight(node), page_->total); }

void TreeView::make_lines() {
  lines_.clear();
  add_lines(tree_->roots(), 0);
  cursor_.settle(lines_.size(), height_);
}

void TreeView::add_lines(std::span<const u32> nodes, u64 path) {
  for (const u32 id : nodes) {
    if (share(id) < limit_) continue;
    const RowNode& node = tree_->node(id);
    lines_.push_back({.node = id, .path = path_of(path, node)});
    if (is_open(lines_.back())) add_lines(node.children, lines_.back().path);
  }
}

std::string TreeView::titles() const { return levels_title(tree_->table().request().columns, tree_->levels()); }

void TreeView::draw(Canvas& canvas) {
  height_ = canvas.height() > kTop + 1 ? canvas.height() - kTop - 1 : 1;
  cursor_.settle(lines_.size(), height_);
  draw_profile_title(canvas, queries_, settings_, *page_, look_.table);
  canvas.put(2, 1, fmt::format("{:>{}}  {}", "Overhead", kShareWidth, titles()), Style::Header);
  for (std::size_t at = 0; at < height_ && cursor_.first + at < lines_.size(); ++at) {
    const Line& line = lines_[cursor_.first + at];
    const RowNode& node = tree_->node(line.node);
    const unsigned y = kTop + static_cast<unsigned>(at);
    unsigned x = kTreeViewIndent * node.level;
    if (!node.children.empty()) canvas.put(x, y, is_open(line) ? U'-' : U'+', Style::Key);
    const double part = share(line.node);
    x = canvas.put(x + 2, y, fmt::format("{:>{}.2f}%", part, kShareWidth - 1), heat(part));
    const bool kernel = node.children.empty() && tree_->table().rows()[node.row].level == 'k';
    canvas.put(x + 2, y, printable(text_of(node)), kernel ? Style::Kernel : Style::Plain);
    if (cursor_.first + at == cursor_.at) canvas.paint(0, y, canvas.width() - 1, Style::Selected);
  }
  if (lines_.empty()) {
    BrowseLook look = look_;
    look.percent_limit = limit_;
    canvas.put(4, kTop, why_no_rows(queries_, settings_, look), Style::Dim);
  }
  canvas.scroll_bar(kTop, static_cast<unsigned>(height_), cursor_.first, height_, lines_.size());
  canvas.put(0, canvas.height() - 1,
             status_.empty() ? "?: keys  Enter: expand or collapse  E, C: all  /: find  q: quit" : status_,
             status_.empty() ? Style::Dim : Style::Key);
}

void TreeView::open_below(u32 id, u64 path) {
  const RowNode& node = tree_->node(id);
  if (node.children.empty()) return;
  open_.insert(path);
  for (const u32 child : node.children) open_below(child, path_of(path, tree_->node(child)));
}

void TreeView::close_below(u32 id, u64 path) {
  open_.erase(path);
  for (const u32 child : tree_->node(id).children) close_below(child, path_of(path, tree_->node(child)));
}

void TreeView::toggle() {
  if (lines_.empty()) return;
  const u64 path = lines_[cursor_.at].path;
  if (open_.erase(path) == 0) open_.insert(path);
  make_lines();
}

Answer TreeView::key(const Key& key) {
  if (key.code == Key::Code::None || key.code == Key::Code::Resize) return {};
  status_.clear();
  if (cursor_.move(key, lines_.size(), height_)) return {};
  switch (key.code) {
    case Key::Code::Enter:
    case Key::Code::Right:
      toggle();
      return {};
    case Key::Code::Escape:
    case Key::Code::Left:
      return {.kind = Answer::Kind::Open, .view = ask_to_quit()};
    case Key::Code::Tab:
      return switch_table(1);
    case Key::Code::BackTab:
      return switch_table(-1);
    case Key::Code::Click:
      if (key.y < kTop || key.y >= kTop + height_ || cursor_.first + key.y - kTop >= lines_.size()) return {};
      cursor_.at = cursor_.first + key.y - kTop;
      toggle();
      return {};
    case Key::Code::Char:
      return letter(key.glyph);
    default:
      return {};
  }
}

Answer TreeView::letter(char32_t letter) {
  if (settings_.live_key && settings_.live_key(letter, status_)) return {};
  switch (letter) {
    case 'q':
    case 3:
      return {.kind = Answer::Kind::Quit};
    case 'h':
    case '?':
      return show_keys(kTreeHelp);
    case 'i':
      return {.kind = Answer::Kind::Open, .view = std::make_unique<TextView>(" Recording info ", queries_.header())};
    case '+':
      toggle();
      return {};
    case 'e':
      if (!lines_.empty()) open_below(lines_[cursor_.at].node, lines_[cursor_.at].path);
      break;
    case 'c':
      if (!lines_.empty()) close_below(lines_[cursor_.at].node, lines_[cursor_.at].path);
      break;
    case 'E':
      for (const u32 root : tree_->roots()) open_below(root, path_of(0, tree_->node(root)));
      break;
    case 'C':
      open_.clear();
      break;
    case '/':
      return find();
    case 'L':
      return set_limit();
    default:
      status_ = "press ? for keys";
      return {};
  }
  make_lines();
  return {};
}

Answer TreeView::find() {
  return {.kind = Answer::Kind::Open,
          .view = std::make_unique<PromptView>(
              "rows with:", look_.filter,
              [this](const std::string& text) {
                look_.filter = text;
                ask();
              },
              [this, was = look_.filter](const std::string&, bool accepted) {
                if (!accepted) {
                  look_.filter = was;
                  ask();
                }
                return Answer{.kind = Answer::Kind::Back};
              })};
}

Answer TreeView::set_limit() {
  return {.kind = Answer::Kind::Open,
          .view = std::make_unique<PromptView>(
              "minimum percentage:", fmt::format("{:g}", limit_), [](const std::string&) {},
              [this](const std::string& text, bool accepted) {
                const auto limit = parse_percent(text);
                const bool valid = limit && *limit <= 100;
                if (accepted && valid) limit_ = *limit;
                if (accepted && !valid) status_ = "percentage must be between 0 and 100";
                make_lines();
                return Answer{.kind = Answer::Kind::Back};
              })};
}

Answer TreeView::switch_table(int step) {
  const std::vector<TableLine> tables = queries_.tables();
  for (std::size_t tried = 0; tried < tables.size(); ++tried) {
    look_.table = (look_.table + (step > 0 ? 1 : tables.size() - 1)) % tables.size();
    if (tables[look_.table].samples != 0) break;
  }
  cursor_ = {};
  ask();
  return {};
}

}  // namespace peregrine::tui
