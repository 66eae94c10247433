#include "output/tui/report/report_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/fitted_line.h"
#include "output/text/format/printable.h"
#include "output/text/report/metric_cell.h"
#include "output/text/report/report_graph.h"
#include "output/text/report/row_cells.h"
#include "output/tui/report/profile_title.h"
#include "output/tui/screen/canvas.h"

namespace peregrine::tui {

namespace {

constexpr unsigned kMetricWidth = 9, kSumWidth = 13, kSign = 2, kGap = 2;
constexpr std::size_t kMeasured = 1000;  // rows that determine the widths of columns
constexpr unsigned kLeastSymbol = 24;    // width reserved for the last column before others shrink

std::string title_of(const RowTable& table, const Column& column) {
  std::string title = column_title(table, column);
  title.erase(0, title.find_first_not_of(' '));
  return title;
}

unsigned metric_cell_width(Metric metric) { return spec_of(metric).percent ? kMetricWidth : kSumWidth; }

}  // namespace

ReportView::ReportView(Queries& queries, ReportSettings& settings, std::size_t table)
    : queries_(queries), settings_(settings) {
  look_.table = table;
  look_.percent_limit = settings.percent_limit;
  look_.filter = settings.filter;
  ask_page();
}

// The trail and the filter share one extra line, if there are any.
bool ReportView::has_trail() const { return !look_.trail.empty() || !look_.filter.empty() || !settings_.times.empty(); }

unsigned ReportView::head_rows() const { return 1 + (has_trail() ? 1 : 0) + (headers_ ? 1 : 0); }

void ReportView::measure(unsigned width) {
  if (measured_for_ == width) return;
  measured_for_ = width;
  const RowTable& table = *page_->table;
  const RowCells cells(table, "", false);
  widths_.clear();
  unsigned used = kSign;
  std::vector<std::size_t> keys;
  for (const Column& column : table.request().columns.shown) {
    unsigned wide = static_cast<unsigned>(title_of(table, column).size());
    if (column.is_metric) {
      wide = std::max(wide, metric_cell_width(column.metric) * static_cast<unsigned>(table.members()));
    } else {
      keys.push_back(widths_.size());
      for (std::size_t at = 0; at < std::min(page_->rows.size(), kMeasured); ++at)
        wide = std::max(wide, static_cast<unsigned>(cells.width(table.rows()[page_->rows[at]], column.key)));
    }
    widths_.push_back(wide);
    used += wide + kGap;
  }
  if (keys.size() < 2) return;
  // Too wide: shrink the widest column other than the last, one by one, down to a readable minimum.
  constexpr unsigned kNarrow = 60;
  const unsigned least = width < kNarrow ? 4 : 10;
  const unsigned last = widths_[keys.back()];
  used -= last - std::min(last, kLeastSymbol);
  while (used > width) {
    const auto widest = *std::max_element(keys.begin(), keys.end() - 1,
                                          [&](std::size_t a, std::size_t b) { return widths_[a] < widths_[b]; });
    if (widths_[widest] <= least) break;
    --widths_[widest];
    --used;
  }
}

void ReportView::draw(Canvas& canvas) {
  measure(canvas.width() - 1);
  top_ = head_rows();
  height_ = canvas.height() > top_ + 1 ? canvas.height() - top_ - 1 : 1;
  cursor_.settle(lines_.size(), height_);
  draw_profile_title(canvas, queries_, settings_, *page_, look_.table);
  unsigned y = 1;
  if (has_trail()) draw_trail(canvas, y++);
  if (headers_) draw_header(canvas, y);
  for (std::size_t at = 0; at < height_ && cursor_.first + at < lines_.size(); ++at) {
    const unsigned row = top_ + static_cast<unsigned>(at);
    draw_line(canvas, row, lines_[cursor_.first + at]);
    if (cursor_.first + at == cursor_.at) canvas.paint(0, row, canvas.width() - 1, Style::Selected);
  }
  if (lines_.empty()) canvas.put(4, top_, why_no_rows(queries_, settings_, look_), Style::Dim);
  canvas.scroll_bar(top_, static_cast<unsigned>(height_), cursor_.first, height_, lines_.size());
  draw_status(canvas);
}

void ReportView::draw_trail(Canvas& canvas, unsigned y) {
  unsigned x = canvas.put(0, y, "all", Style::Dim);
  for (const Zoom& zoom : look_.trail) x = canvas.put(canvas.put(x, y, " > ", Style::Dim), y, zoom.name, Style::Key);
  if (!settings_.times.empty())
    x = canvas.put(canvas.put(x, y, "   time: ", Style::Dim), y, settings_.times, Style::Mark);
  if (look_.filter.empty()) return;
  x = canvas.put(x, y, look_.search_chains ? "   in any frame: " : "   with: ", Style::Dim);
  canvas.put(x, y, look_.filter, Style::Mark);
}

void ReportView::draw_header(Canvas& canvas, unsigned y) const {
  unsigned x = kSign;
  const auto& shown = page_->table->request().columns.shown;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string title = title_of(*page_->table, shown[i]);
    const unsigned lead =
        shown[i].is_metric && widths_[i] > title.size() ? widths_[i] - static_cast<unsigned>(title.size()) : 0;
    canvas.put(x + lead, y, title, Style::Header);
    x += widths_[i] + kGap;
  }
}

void ReportView::draw_status(Canvas& canvas) const {
  const unsigned y = canvas.height() - 1;
  if (!status_.empty()) {
    canvas.put(0, y, status_, Style::Key);
    return;
  }
  constexpr unsigned kHintGap = 2;
  const std::vector<LinePart> hints = fitted_parts(
      {{"? keys"}, {"Enter row menu", 1}, {"/ find", 2}, {"a code", 3}, {"b callers", 5}, {"G flames", 4}, {"q quit"}},
      canvas.width(), kHintGap);
  unsigned x = 0;
  for (const LinePart& hint : hints) {
    const std::size_t key = hint.text.find(' ');
    x = canvas.put(x, y, hint.text.substr(0, key), Style::Key);
    x = canvas.put(x, y, hint.text.substr(key), Style::Dim) + kHintGap;
  }
}

void ReportView::draw_line(Canvas& canvas, unsigned y, const Line& line) const {
  if (line.node == 0)
    draw_row(canvas, y, line);
  else
    draw_node(canvas, y, line);
}

void ReportView::draw_row(Canvas& canvas, unsigned y, const Line& line) const {
  const RowTable& table = *page_->table;
  const Row& row = table.rows()[page_->rows[line.row]];
  const RowCells cells(table, "", false);
  if (can_open(line)) canvas.put(0, y, is_open(line) ? U'-' : U'+', Style::Key);
  unsigned x = kSign;
  const auto& shown = table.request().columns.shown;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const unsigned width = widths_[i];
    if (shown[i].is_metric) {
      for (std::size_t member = 0; member < table.members(); ++member) {
        const u64 value = table.value(row, shown[i].metric, member);
        const bool percent = spec_of(shown[i].metric).percent;
        const double share = percent_of(value, member == 0 ? page_->total : table.total_period(member));
        const unsigned one = metric_cell_width(shown[i].metric);
        const std::string text = percent ? fmt::format("{:>{}.2f}%", share, one - 1)
                                         : fmt::format("{:>{}}", sum_text(shown[i].metric, value), one);
        const auto behind = static_cast<unsigned>(table.members() - member);
        canvas.put(x + width - one * behind, y, text, percent ? heat(share) : Style::Plain);
      }
    } else {
      const bool last = i + 1 == shown.size();
      const SortKey key = shown[i].key;
      const bool kernel = key->kind == KeyKind::Symbol && row.level == 'k';
      canvas.put(x, y, cells.text(row, key, width), kernel ? Style::Kernel : Style::Plain, last ? ~0u : width);
    }
    x += width + kGap;
  }
}

void ReportView::draw_node(Canvas& canvas, unsigned y, const Line& line) const {
  const CallGraph& graph = opened_at(line.row)->graph;
  const CallNode& node = graph.nodes[line.node];
  const Row& row = page_->table->rows()[page_->rows[line.row]];
  unsigned x = 3 + 3 * line.depth;
  if (can_open(line)) canvas.put(x, y, is_open(line) ? U'-' : U'+', Style::Key);
  x += 2;
  // A branch that contains the whole row needs no share.
  if (line.frame == 0 && node.total != page_->table->weight(row)) {
    if (settings_.value == GraphValue::Percent) {
      const double share = percent_of(node.total, page_->total);
      x = canvas.put(x, y, fmt::format("{:.2f}%", share), heat(share)) + 1;
    } else {
      const u64 sum = settings_.value == GraphValue::Period ? node.total : node.total_samples;
      x = canvas.put(x, y, fmt::format("{}", sum), Style::Warm) + 1;
    }
  }
  const HistFrameId frame = graph.frames[node.first_frame + line.frame];
  const FrameLook& look = page_->table->faces().look(frame);
  std::string name = frame_text(page_->table->faces(), GraphKey::Function, frame);
  const Style style = look.inlined ? Style::Added : look.level == 'k' ? Style::Kernel : Style::Plain;
  x = canvas.put(x, y, name, style);
  if (verbose_ && look.dso.valid())
    canvas.put(x + 1, y, fmt::format("({})", printable(page_->table->faces().text(look.dso))), Style::Dim);
}

}  // namespace peregrine::tui
