// Parses the places where tasks of the NUMA trial run, and measures how far they have converged.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "trial/numa_memory.h"

namespace peregrine {

namespace {

constexpr unsigned kMost = 4096;  // limit for CPUs, nodes, and tasks per place

// Takes a number from the front of `text`.
std::optional<unsigned> take_count(std::string_view& text) {
  const auto value = take_number<unsigned>(text);
  return value && *value <= kMost ? value : std::nullopt;
}

struct PlaceRange {
  unsigned first = 0, last = 0, step = 1, length = 1, times = 1;
};

// Parses a range such as "2-3%1#2x4".
std::optional<PlaceRange> parse_range(std::string_view text) {
  PlaceRange range;
  const auto first = take_count(text);
  if (!first) return std::nullopt;
  range.first = range.last = *first;
  while (!text.empty()) {
    const char sign = text.front();
    text.remove_prefix(1);
    const auto number = take_count(text);
    if (!number || (sign != '-' && *number == 0)) return std::nullopt;
    if (sign == '-')
      range.last = *number;
    else if (sign == '%')
      range.step = *number;
    else if (sign == '#')
      range.length = *number;
    else if (sign == 'x')
      range.times = *number;
    else
      return std::nullopt;
  }
  return range.last < range.first ? std::nullopt : std::optional(range);
}

Result<std::vector<PlaceRange>> parse_ranges(std::string_view text) {
  std::vector<PlaceRange> ranges;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    const auto range = parse_range(text.substr(at, end - at));
    if (!range)
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid list '{}'", text.substr(at, end - at)),
                                   "such as 0, 0-3, 0-7%2, 0#4 or 1x8, separated by commas"});
    ranges.push_back(*range);
    at = end + 1;
  }
  return ranges;
}

}  // namespace

Result<std::vector<std::vector<int>>> parse_task_cpus(std::string_view text) {
  const auto ranges = parse_ranges(text);
  if (!ranges) return std::unexpected(ranges.error());
  std::vector<std::vector<int>> tasks;
  for (const PlaceRange& range : *ranges) {
    for (unsigned time = 0; time < range.times; ++time) {
      for (unsigned first = range.first; first <= range.last && tasks.size() < kMost; first += range.step) {
        auto& cpus = tasks.emplace_back();
        for (unsigned i = 0; i < range.length; ++i) cpus.push_back(static_cast<int>(first + i));
      }
    }
  }
  return tasks;
}

Result<std::vector<int>> parse_task_nodes(std::string_view text) {
  const auto ranges = parse_ranges(text);
  if (!ranges) return std::unexpected(ranges.error());
  std::vector<int> tasks;
  for (const PlaceRange& range : *ranges) {
    if (range.length != 1)
      return std::unexpected(Error{ErrorKind::Usage,
                                   fmt::format("'#{}' in '{}': a task can have only one node", range.length, text),
                                   "'#' is for CPUs; for nodes write 0, 0-3, 0-7%2 or 1x8, separated by commas"});
    for (unsigned time = 0; time < range.times; ++time)
      for (unsigned node = range.first; node <= range.last && tasks.size() < kMost; node += range.step)
        tasks.push_back(static_cast<int>(node));
  }
  return tasks;
}

unsigned stray_nodes(const NumaPlan& plan, const std::vector<NumaTask>& tasks) {
  std::size_t stray = 0;
  for (unsigned process = 0; process < plan.processes; ++process) {
    std::set<int> nodes;
    for (unsigned thread = 0; thread < plan.threads; ++thread) {
      const int node = tasks[process * plan.threads + thread].node;
      if (node < 0) return plan.tasks();  // some tasks do not run yet
      nodes.insert(node);
    }
    stray += nodes.size() - 1;
  }
  return static_cast<unsigned>(stray);
}

}  // namespace peregrine
