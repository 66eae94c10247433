#include "output/tui/report/profile_title.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/browse/queries.h"
#include "output/text/format/fitted_line.h"
#include "output/text/format/printable.h"
#include "output/text/report/report_table.h"

namespace peregrine::tui {

void draw_profile_title(Canvas& canvas, Queries& queries, const ReportSettings& settings, const BrowsePage& page,
                        std::size_t table) {
  const Progress progress = queries.progress();
  std::string partial;
  if (!progress.complete) partial = fmt::format(" [partial: {:.0f}% read] ", 100 * progress.share);
  const auto width = static_cast<unsigned>(partial.size());
  const unsigned room = canvas.width() > width ? canvas.width() - width : 0;
  std::string title;
  if (settings.title) {
    title = settings.title(room);
  } else {
    const std::string_view plural = page.table->members() > 1 ? "s" : "";
    title = fitted_line({{fmt::format("Samples: {} of event{} '{}'", short_count(page.samples), plural,
                                      printable(queries.tables()[table].name))},
                         {fmt::format(", Event count (approx.): {}", page.period), 1}},
                        room, "");
  }
  const unsigned x = canvas.put(0, 0, title, Style::Title);
  if (!partial.empty()) canvas.put(std::min(x + 1, room), 0, partial, Style::Mark);
}

std::string why_no_rows(Queries& queries, const ReportSettings& settings, const BrowseLook& look) {
  if (queries.tables()[look.table].samples == 0) {
    if (settings.live) return "No samples yet.";
    if (!queries.progress().complete) return {};
    return settings.recording.empty() ? "The recording has no samples!"
                                      : fmt::format("The {} data has no samples!", printable(settings.recording));
  }
  if (look.trail.empty() && look.filter.empty() && look.percent_limit > 0)
    return fmt::format("No row has {:g}% or more: L changes the minimum.", look.percent_limit);
  return "No rows match: Esc goes back.";
}

Style heat(double percent) {
  constexpr double kHot = 5, kWarm = 0.5;
  return percent >= kHot ? Style::Hot : percent >= kWarm ? Style::Warm : Style::Plain;
}

}  // namespace peregrine::tui
