#include "analysis/function/graph_line.h"

#include <algorithm>
#include <cstddef>

#include "base/number/parse_number.h"

namespace peregrine {
namespace {

// Parses "65.918" as thousandths.
std::optional<u64> thousandths(std::string_view text) {
  const auto whole = take_number<u64>(text);
  if (!whole || *whole > ~u64{0} / 1000 - 1 || text.size() != 4 || text.front() != '.') return std::nullopt;
  const auto part = parse_number<u64>(text.substr(1));
  return part ? std::optional(*whole * 1000 + *part) : std::nullopt;
}

}  // namespace

std::optional<GraphLine> parse_graph_line(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) return std::nullopt;
  const std::size_t unit = line.rfind(" us", bar);
  if (unit == std::string_view::npos || unit == 0) return std::nullopt;
  const std::size_t before = line.find_last_of(" )", unit - 1);
  const auto duration = thousandths(line.substr(before + 1, unit - before - 1));
  if (!duration) return std::nullopt;
  GraphLine parsed{.duration = *duration};
  std::string_view call = line.substr(bar + 1);
  call.remove_prefix(std::min(call.find_first_not_of(' '), call.size()));
  if (call.starts_with('}')) {
    const std::size_t open = call.find("/* "), close = call.find(" */");
    if (open != std::string_view::npos && close != std::string_view::npos && close > open)
      parsed.function = call.substr(open + 3, close - open - 3);
  } else {
    parsed.function = call.substr(0, call.find('('));
  }
  // Strip a module ("vfs_read [xfs]") and anything that ftrace options append to the name.
  parsed.function = parsed.function.substr(0, parsed.function.find(' '));
  return parsed;
}

u64 lost_events(std::string_view line) {
  constexpr std::string_view kLost = "[LOST ";
  const std::size_t at = line.find(kLost);
  if (!line.starts_with("CPU:") || at == std::string_view::npos) return 0;
  line.remove_prefix(at + kLost.size());
  return take_number<u64>(line).value_or(0);
}

}  // namespace peregrine
