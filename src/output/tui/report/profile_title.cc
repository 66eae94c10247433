#include "output/tui/report/profile_title.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "analysis/browse/queries.h"
#include "output/text/report/report_table.h"

namespace peregrine::tui {

void draw_profile_title(Canvas& canvas, Queries& queries, const ReportSettings& settings, const BrowsePage& page,
                        std::size_t table) {
  unsigned x = 0;
  if (settings.title) {
    x = canvas.put(0, 0, settings.title(), Style::Title);
  } else {
    const TableLine line = queries.tables()[table];
    x = canvas.put(0, 0,
                   fmt::format("Samples: {} of event{} '{}', Event count (approx.): {}", short_count(page.samples),
                               page.table->members() > 1 ? "s" : "", line.name, page.period),
                   Style::Title);
  }
  const Progress progress = queries.progress();
  if (progress.complete) return;
  const std::string text = fmt::format(" [partial: {:.0f}% read] ", 100 * progress.share);
  const auto width = static_cast<unsigned>(text.size());
  canvas.put(std::min(x + 1, canvas.width() > width ? canvas.width() - width : 0), 0, text, Style::Mark);
}

Style heat(double percent) {
  constexpr double kHot = 5, kWarm = 0.5;
  return percent >= kHot ? Style::Hot : percent >= kWarm ? Style::Warm : Style::Plain;
}

}  // namespace peregrine::tui
