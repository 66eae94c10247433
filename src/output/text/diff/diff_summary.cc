#include "output/text/diff/diff_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "analysis/diff/change.h"
#include "base/types.h"
#include "output/text/format/grouped_number.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

constexpr double kAsFactor = 2;  // above it, "2.3 times" is easier to read than "130% more"
constexpr std::size_t kNamedBuilds = 5;

// What the event counts, and the word for a smaller amount.
struct Quantity {
  std::string name;
  std::string_view less;
};
Quantity quantity_of(std::string_view event, bool in_ns) {
  if (event.contains("cpu-clock") || event.contains("task-clock")) return {"CPU time", "less"};
  if (in_ns) return {"time", "less"};
  const std::string_view name = event.substr(0, event.find(':'));
  if (name == "cycles" || name == "cpu-cycles") return {"CPU cycles", "fewer"};
  if (name == "instructions") return {"instructions", "fewer"};
  return {"events", "fewer"};
}

// Formats times in milliseconds if the larger of the two is less than 0.1 s.
std::string amount(u64 period, u64 larger, bool in_ns) {
  constexpr u64 kTenth = 100'000'000;
  if (!in_ns) return grouped_number(period);
  if (larger < kTenth) return fmt::format("{:.3f} ms", static_cast<double>(period) / 1e6);
  return fmt::format("{} s", grouped_number(fmt::format("{:.3f}", static_cast<double>(period) / 1e9), ","));
}

std::string percent(double ratio) {
  const double change = 100 * std::abs(ratio - 1);
  return change < 9.95 ? fmt::format("{:.1f}%", change) : fmt::format("{:.0f}%", change);
}

// Formats "34% less", "12% more" or "2.3 times".
std::string change_text(double ratio, std::string_view less) {
  if (ratio > kAsFactor) return fmt::format("{:.1f} times", ratio);
  return fmt::format("{} {}", percent(ratio), ratio < 1 ? less : std::string_view("more"));
}

std::string interval_text(const Interval& interval, std::string_view less) {
  const bool both_less = interval.high<1, factors = interval.low> kAsFactor;
  if (factors) return fmt::format("{:.1f} to {:.1f} times", interval.low, interval.high);
  if (both_less) return fmt::format("{} to {} {}", percent(interval.high), percent(interval.low), less);
  if (interval.low > 1 && interval.high <= kAsFactor)
    return fmt::format("{} to {} more", percent(interval.low), percent(interval.high));
  return fmt::format("{} to {}", change_text(interval.low, less), change_text(interval.high, less));
}

void print_total(Sink& out, const Quantity& quantity, bool in_ns, const DiffTotal& total) {
  const TotalChange& change = total.change;
  const u64 larger = std::max(change.is, change.was);
  const std::string is = amount(change.is, larger, in_ns), was = amount(change.was, larger, in_ns);
  const std::string interval = interval_text(change.interval, quantity.less);
  const std::string file = printable(total.is), baseline = printable(total.was);
  if (!change.real())
    out.format("# {}: no significant change in {} from {}: {}, was {} (95% confidence: {})\n", file, quantity.name,
               baseline, is, was, interval);
  else if (change.ratio > kAsFactor)
    out.format("# {}: {:.1f} times the {} of {}: {}, was {} (95% confidence: {})\n", file, change.ratio, quantity.name,
               baseline, is, was, interval);
  else
    out.format("# {}: {} {} than {}: {}, was {} (95% confidence: {})\n", file, change_text(change.ratio, quantity.less),
               quantity.name, baseline, is, was, interval);
}

}  // namespace

void print_diff_totals(Sink& out, std::string_view event, bool in_ns, std::span<const DiffTotal> totals) {
  const Quantity quantity = quantity_of(event, in_ns);
  for (const DiffTotal& total : totals) print_total(out, quantity, in_ns, total);
  if (!totals.empty()) out.append("#\n");
}

void print_build_pairs(Sink& out, std::span<const BuildPair> pairs) {
  std::string rebuilt;
  std::size_t count = 0;
  for (const BuildPair& pair : pairs) {
    if (pair.renamed()) {
      out.format("# Compared as one program: {} and {}\n", printable(pair.was), printable(pair.is));
    } else if (++count <= kNamedBuilds) {
      rebuilt += fmt::format("{}{}", rebuilt.empty() ? "" : ", ", printable(pair.was));
    }
  }
  if (count > kNamedBuilds) rebuilt += fmt::format(" and {} more", count - kNamedBuilds);
  if (count > 0) out.format("# Different builds, compared by function name: {}\n", rebuilt);
  if (!pairs.empty()) out.append("#\n");
}

}  // namespace peregrine
