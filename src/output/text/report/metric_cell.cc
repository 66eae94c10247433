#include "output/text/report/metric_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/types.h"
#include "output/text/report/key_look.h"

namespace peregrine {
namespace {

// By index of the breakdown, then of the part.
constexpr std::array<std::string_view, kBreakdowns> kBreakdownTitles{"Mem Op", "Cache", "Memory", "Snoop", "D-TLB"};
constexpr std::array<std::string_view, kAccessParts> kPartTitles{
    "Load",   "Store",  "Ld+St",  "Pfetch", "Exec",   "Other",            // Mem Op
    "L1",     "L2",     "L3",     "L4",     "L1-buf", "L2-buf", "Other",  // Cache
    "RAM",    "MSC",    "Uncach", "CXL",    "I/O",    "PMEM",   "Other",  // Memory
    "Hit",    "HitM",   "Miss",   "Other",                                // Snoop
    "L1-Hit", "L2-Hit", "L?-Hit", "Miss",   "Other",                      // D-TLB
};

}  // namespace

std::string metric_title(Metric metric) {
  switch (metric) {
    case Metric::Overhead:
      return "Overhead";
    case Metric::OverheadSys:
      return "sys";
    case Metric::OverheadUser:
      return "usr";
    case Metric::OverheadGuestSys:
      return "guest sys";
    case Metric::OverheadGuestUser:
      return "guest usr";
    case Metric::OverheadChildren:
      return "Children";
    case Metric::Samples:
      return "Samples";
    case Metric::Period:
      return "Period";
    case Metric::Latency:
      return "Latency";
    case Metric::Weight1:
      return "Weight1";
    case Metric::Weight2:
      return "Weight2";
    case Metric::Weight3:
      return "Weight3";
    case Metric::FirstAccessPart:
      break;
  }
  return fmt::format("{} {}", breakdown_title(*breakdown_of(metric)), part_title(metric));
}

std::string_view part_title(Metric part) { return kPartTitles[access_part_index(part)]; }

std::string_view breakdown_title(const Breakdown& breakdown) {
  return kBreakdownTitles[static_cast<std::size_t>(&breakdown - all_breakdowns().data())];
}

unsigned metric_width(Metric metric) {
  if (is_access_part(metric)) return 7;
  switch (metric) {
    case Metric::Samples:
    case Metric::Period:
      return 12;
    case Metric::OverheadGuestSys:
    case Metric::OverheadGuestUser:
      return 9;
    default:
      return 8;
  }
}

std::string column_title(const RowTable& table, const Column& column) {
  if (!column.is_metric) return title_of(table.request().columns, column.key);
  const std::vector<Column>& shown = table.request().columns.shown;
  const bool beside_children = std::ranges::find(shown, column_of(Metric::OverheadChildren)) != shown.end();
  if (column.metric == Metric::Overhead && table.request().children && beside_children) return "Self";
  return metric_title(column.metric);
}

std::string sum_text(Metric metric, u64 value) {
  return spec_of(metric).mean ? fmt::format("{}.{}", value / 10, value % 10) : fmt::format("{}", value);
}

std::string colored_percentage(std::string text, double percent) {
  if (percent < 0.5) return text;
  return fmt::format("{}{}\033[m", percent >= 5 ? "\033[31m" : "\033[32m", text);
}

std::string metric_text(const RowTable& table, Metric metric, std::span<const u64> values, unsigned width,
                        MetricLook look) {
  const bool plain = look.plain;
  const bool percent = spec_of(metric).percent;
  const unsigned each = width / std::max(1u, static_cast<unsigned>(values.size()));
  const auto room = [&](unsigned taken) { return each > taken ? each - taken : 0; };
  std::string text;
  for (std::size_t member = 0; member < values.size(); ++member) {
    const u64 value = values[member];
    if (metric == Metric::OverheadChildren && !table.request().children) {
      text += plain ? fmt::format("{:>{}}", "N/A", width) : " N/A";
    } else if (percent) {
      const u64 total = table.total(metric, member);
      const double share = total == 0 ? 0.0 : 100.0 * static_cast<double>(value) / static_cast<double>(total);
      const int digits = is_access_part(metric) && plain ? 1 : 2;
      std::string cell = fmt::format(" {:>{}.{}f}%", share, plain ? room(2) : 0, digits);
      text += look.colors ? colored_percentage(std::move(cell), share) : cell;
    } else {
      text += fmt::format(" {:>{}}", sum_text(metric, value), plain ? room(1) : 0);
    }
  }
  return text;
}

}  // namespace peregrine
