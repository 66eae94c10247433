#include "output/svg/latency_heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/round_step.h"
#include "base/types.h"
#include "output/svg/flame_graph.h"
#include "output/text/format/grouped_number.h"
#include "output/text/format/scaled.h"

namespace peregrine {
namespace {

constexpr unsigned kHeatLeft = 84, kHeatTop = 66, kHeatBand = 16, kHeatGap = 6, kHeatRow = 9, kHeatPlot = 1040,
                   kHeatWidth = kHeatLeft + kHeatPlot + 76;

constexpr std::string_view kStyle = R"css(
svg { width: 100%; max-width: 1200px; height: auto; font-family: Verdana, "DejaVu Sans", Helvetica, sans-serif; font-size: 11px; }
.back { fill: #fff; } .field { fill: #f3f4f6; } text { fill: #16181d; }
#title { font-size: 16px; font-weight: bold; } #subtitle, .axis { fill: #5c6470; }
#cells rect:hover { stroke: #000; stroke-width: 1; }
.line { fill: none; stroke-width: 1.5; } .label { font-weight: bold; }
.p50 { stroke: #0072b2; } .p95 { stroke: #009e73; stroke-dasharray: 6 3; } .p99 { stroke: #5b2a86; stroke-dasharray: 2 2; }
text.p50 { fill: #0072b2; stroke: none; } text.p95 { fill: #007a5a; stroke: none; } text.p99 { fill: #5b2a86; stroke: none; }
@media (prefers-color-scheme: dark) {
  .back { fill: #14161a; } .field { fill: #1d2026; } text { fill: #e6e8ec; } #subtitle, .axis { fill: #9aa3b0; }
  .p50, text.p50 { stroke: #56b4e9; } .p95, text.p95 { stroke: #35c79d; } .p99, text.p99 { stroke: #c79bf2; }
  text.p50 { fill: #56b4e9; stroke: none; } text.p95 { fill: #35c79d; stroke: none; } text.p99 { fill: #c79bf2; stroke: none; }
}
)css";

// From light yellow (0) to dark red (1).
std::string heat_color(double strength) {
  return fmt::format("hsl({:.0f},90%,{:.0f}%)", 48 - 44 * strength, 82 - 46 * strength);
}

// "512 B", "4 KiB", "1.5 MiB".
std::string short_size(u64 bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  const auto [value, unit] = scaled(bytes, 1024, kUnits.size() - 1);
  return fmt::format("{:.{}f} {}", value, value < 9.95 && value != std::round(value) ? 1 : 0, kUnits[unit]);
}

class HeatMapPrinter {
 public:
  HeatMapPrinter(Sink& out, const LatencyMap& map, const HeatMapText& text)
      : out_(out), map_(map), text_(text), bottom_(kHeatTop + kHeatBand + kHeatGap + map.rows * kHeatRow) {
    for (const u64 count : map.counts) most_ = std::max(most_, count);
    for (const u64 count : map.outliers) most_ = std::max(most_, count);
  }
  void print();

 private:
  double x(u32 column) const {
    return kHeatLeft + static_cast<double>(column) * kHeatPlot / std::max(map_.columns, 1u);
  }
  double y(u64 took) const;
  std::string value_text(u64 value) const { return text_.bytes ? short_size(value) : short_duration(value); }
  void print_cell(u32 column, double top, double height, u64 count, const std::string& range, u64 up_to);
  void print_cells();
  std::vector<u64> ticks() const;
  void print_axes();
  void print_lines();
  void print_scale();

  Sink& out_;
  const LatencyMap& map_;
  const HeatMapText& text_;
  unsigned bottom_;
  u64 most_ = 1;
};

double HeatMapPrinter::y(u64 took) const {
  const auto above = std::ranges::upper_bound(map_.bounds, took);
  if (above == map_.bounds.end()) return kHeatTop + kHeatBand / 2.0;
  const auto row = static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - map_.bounds.begin(), 1) - 1);
  const double low = static_cast<double>(map_.bounds[row]), high = static_cast<double>(map_.bounds[row + 1]);
  const double part = high > low ? std::clamp((static_cast<double>(took) - low) / (high - low), 0.0, 1.0) : 0;
  return bottom_ - (static_cast<double>(row) + part) * kHeatRow;
}

void HeatMapPrinter::print_cell(u32 column, double top, double height, u64 count, const std::string& range, u64 up_to) {
  if (count == 0) return;
  // The square root keeps rare cells visible next to the most frequent one.
  const double strength = std::sqrt(static_cast<double>(count) / static_cast<double>(most_));
  const double share = 100.0 / static_cast<double>(map_.pairs);
  out_.format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"><title>", x(column), top,
              x(column + 1) - x(column), height, heat_color(strength));
  out_.format("{} to {}, {}: {}, {:.2f}% of all; {:.2f}% {}</title></rect>\n", short_duration(column * map_.step),
              short_duration((column + 1) * map_.step), range, grouped_count(count, text_.thing),
              static_cast<double>(count) * share, static_cast<double>(up_to) * share,
              text_.bytes ? "were no larger" : "took no longer");
}

void HeatMapPrinter::print_cells() {
  std::vector<u64> up_to(map_.rows);
  for (u32 row = 0; row < map_.rows; ++row) {
    if (row > 0) up_to[row] = up_to[row - 1];
    for (u32 column = 0; column < map_.columns; ++column) up_to[row] += map_.count(column, row);
  }
  out_.append("<g id=\"cells\">\n");
  for (u32 column = 0; column < map_.columns; ++column) {
    for (u32 row = 0; row < map_.rows; ++row)
      print_cell(column, bottom_ - (row + 1.0) * kHeatRow, kHeatRow, map_.count(column, row),
                 fmt::format("{} to {}", value_text(map_.bounds[row]), value_text(map_.bounds[row + 1])), up_to[row]);
    print_cell(column, kHeatTop, kHeatBand, map_.outliers[column],
               fmt::format("{} to {}", value_text(map_.bounds.back()), value_text(map_.most)), map_.pairs);
  }
  out_.append("</g>\n");
}

void HeatMapPrinter::print_axes() {
  for (const u64 tick : ticks())
    out_.format("<text class=\"axis\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kHeatLeft - 6,
                y(tick) + 4, value_text(tick));
  out_.format("<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kHeatLeft - 6, kHeatTop - 6,
              text_.bytes ? "size" : "latency");
  out_.format("<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">time since the first {}</text>\n",
              kHeatLeft + kHeatPlot / 2, bottom_ + 32, text_.thing);
  out_.format("<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kHeatLeft - 6,
              kHeatTop + kHeatBand - 4, text_.bytes ? "larger" : "longer");
  const u32 every = std::max(1u, (map_.columns + 9) / 10);
  for (u32 column = 0; column < map_.columns; column += every)
    out_.format("<text class=\"axis\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", x(column), bottom_ + 16,
                short_duration(column * map_.step));
}

// From light to dark: the number in a cell.
void HeatMapPrinter::print_scale() {
  constexpr unsigned kSwatches = 5, kSwatch = 22;
  const unsigned right = kHeatLeft + kHeatPlot, left = right - kSwatches * kSwatch;
  out_.format("<g id=\"scale\"><text class=\"axis\" x=\"{}\" y=\"24\" text-anchor=\"end\">{}s in a cell: 1</text>\n",
              left - 6, text_.thing);
  for (unsigned i = 0; i < kSwatches; ++i)
    out_.format("<rect x=\"{}\" y=\"14\" width=\"{}\" height=\"12\" fill=\"{}\"/>\n", left + i * kSwatch, kSwatch,
                heat_color(static_cast<double>(i) / (kSwatches - 1)));
  out_.format("<text class=\"axis\" x=\"{}\" y=\"24\">{}</text></g>\n", right + 6, grouped_number(most_));
}

// Round values below the highest, which belongs to the band above: on a linear scale at most eight steps; on a
// logarithmic one the powers of ten, and 2 and 5 times these if there are few. Sizes have powers of two and of four.
std::vector<u64> HeatMapPrinter::ticks() const {
  constexpr u64 kSteps = 8, kFewDecades = 1'000, kLargest = 1'000'000'000'000'000'000;
  const u64 low = map_.bounds.front(), high = map_.bounds.back();
  std::vector<u64> values;
  if (!map_.logarithmic) {
    u64 step = 1;
    if (text_.bytes) {
      while (high / step > kSteps) step *= 2;
    } else {
      step = std::min(round_step(high / (kSteps + 1) + 1), kLargest / 2);
    }
    for (u64 value = low; value < high && values.size() <= kSteps; value += step) values.push_back(value);
    return values;
  }
  if (text_.bytes) {
    for (u64 power = 1; power < high && power < kLargest; power *= 4)
      if (power >= low) values.push_back(power);
    return values;
  }
  const bool many = high / std::max<u64>(low, 1) > kFewDecades;
  for (u64 power = 1; power < high && power < kLargest; power *= 10)
    for (const u64 digit : {1u, 2u, 5u})
      if ((digit == 1 || !many) && digit * power >= low && digit * power < high) values.push_back(digit * power);
  return values;
}

void HeatMapPrinter::print_lines() {
  constexpr double kLabelHeight = 12;
  std::vector<std::pair<double, unsigned>> labels;  // where each line ends
  for (const LatencyMap::Line& line : map_.lines) {
    std::string points;
    double last = bottom_;
    for (u32 column = 0; column < map_.columns; ++column) {
      if (line.by_column[column] == 0) continue;
      last = y(line.by_column[column]);
      points += fmt::format("{:.1f},{:.1f} ", (x(column) + x(column + 1)) / 2, last);
    }
    out_.format("<polyline class=\"line p{}\" points=\"{}\"/>\n", line.percent, points);
    labels.emplace_back(last + 4, line.percent);
  }
  // From the lowest to the highest, without overlap.
  double above = bottom_ + kLabelHeight;
  for (const auto& [end, percent] : labels) {
    above = std::min(end, above - kLabelHeight);
    out_.format("<text class=\"label p{}\" x=\"{}\" y=\"{:.1f}\">{}%</text>\n", percent, kHeatLeft + kHeatPlot + 6,
                above, percent);
  }
}

void HeatMapPrinter::print() {
  const unsigned height = bottom_ + (map_.pairs > 0 ? 42 : 10);
  out_.format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
      "width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\">\n",
      kHeatWidth, height, kHeatWidth, height);
  out_.append("<style>").append(kStyle).append("</style>\n");
  out_.format("<rect class=\"back\" width=\"{}\" height=\"{}\"/>\n", kHeatWidth, height);
  out_.format("<text id=\"title\" x=\"{}\" y=\"24\">{}</text>\n", kHeatLeft, xml_text(text_.title));
  std::string summary = grouped_count(map_.pairs, text_.thing);
  for (const LatencyMap::Line& line : map_.lines)
    summary += fmt::format(", {}% within {}", line.percent, value_text(line.whole));
  if (map_.pairs > 0) summary += fmt::format(", the {} {}", text_.bytes ? "largest" : "longest", value_text(map_.most));
  out_.format("<text id=\"subtitle\" x=\"{}\" y=\"44\">{}{}{}</text>\n", kHeatLeft, xml_text(text_.subtitle),
              text_.subtitle.empty() ? "" : " — ", summary);
  if (map_.pairs > 0) {
    out_.format("<rect class=\"field\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", kHeatLeft, kHeatTop,
                kHeatPlot, kHeatBand);
    out_.format("<rect class=\"field\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", kHeatLeft,
                kHeatTop + kHeatBand + kHeatGap, kHeatPlot, map_.rows * kHeatRow);
    print_cells();
    print_axes();
    print_lines();
    print_scale();
  } else {
    out_.format("<text id=\"empty\" x=\"{}\" y=\"76\">{}</text>\n", kHeatLeft,
                text_.bytes ? "No request was issued." : "No pair of these events has the same key.");
  }
  out_.append("</svg>\n");
}

}  // namespace

std::string short_duration(u64 nanoseconds) {
  const double value = static_cast<double>(nanoseconds);
  // Values that would round to 1000 of a unit use the next larger unit.
  if (nanoseconds >= 999'500'000'000) return fmt::format("{:.0f} s", value / 1e9);
  if (nanoseconds >= 999'500'000) return fmt::format("{:.3g} s", value / 1e9);
  if (nanoseconds >= 999'500) return fmt::format("{:.3g} ms", value / 1e6);
  if (nanoseconds >= 1'000) return fmt::format("{:.3g} µs", value / 1e3);
  return fmt::format("{} ns", nanoseconds);
}

void print_latency_heat_map(Sink& out, const LatencyMap& map, const HeatMapText& text) {
  HeatMapPrinter(out, map, text).print();
}

}  // namespace peregrine
