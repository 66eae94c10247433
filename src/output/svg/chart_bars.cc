#include "output/svg/chart_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "output/svg/flame_graph.h"
#include "output/svg/latency_heat_map.h"

namespace peregrine {

void ChartBars::join(const Bar& bar) {
  group_.span.until = std::max(group_.span.until, bar.span.until);
  const double bottom = std::max(group_.top + group_.height, bar.top + bar.height);
  group_.top = std::min(group_.top, bar.top);
  group_.height = bottom - group_.top;
  const auto found = std::ranges::find(sums_, bar.look, &Sum::look);
  if (found == sums_.end())
    sums_.push_back({bar.look, bar.span.length()});
  else
    found->length += bar.span.length();
}

void ChartBars::flush() {
  if (count_ == 1) {
    print(group_, lone_);
  } else if (count_ > 1) {
    std::ranges::stable_sort(sums_, std::greater<>(), &Sum::length);
    group_.look = sums_.front().look;
    std::string title = fmt::format("{} bars within {}, from {}:", count_, short_duration(group_.span.length()),
                                    short_duration(scale_.since_start(group_.span.from)));
    for (const Sum& sum : sums_) title += fmt::format(" {} {}", sum.look->word, short_duration(sum.length));
    print(group_, title);
  }
  count_ = 0;
  sums_.clear();
}

void ChartBars::print(const Bar& bar, std::string_view title) {
  const double from = scale_.x(bar.span.from);
  const double until = std::min(scale_.x(std::max(bar.span.until, bar.span.from + least_)), ChartScale::kUnits);
  out_.format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:.3g}\"><title>{}</title></rect>\n",
      bar.look->style, from, bar.top, until - from, bar.height, xml_text(title));
}

}  // namespace peregrine
