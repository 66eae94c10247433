#include "session/daemon/recorder_failure.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/text/trim.h"

namespace peregrine {
namespace {

constexpr std::string_view kHint = "hint:";

// The lines that say something, without those about the usage.
std::vector<std::string_view> telling_lines(std::string_view output) {
  std::vector<std::string_view> lines;
  while (!output.empty()) {
    const std::size_t end = output.find('\n');
    const std::string_view line = trim(output.substr(0, end));
    output.remove_prefix(end == output.npos ? output.size() : end + 1);
    if (line.starts_with("Usage:")) break;
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string_view without(std::string_view start, std::string_view line) {
  return line.starts_with(start) ? trim(line.substr(start.size())) : line;
}

bool is_error_line(std::string_view line) {
  return line.starts_with("Error:") || line.find(" error:") != std::string_view::npos;
}

}  // namespace

RecorderFailure failure_in(std::string_view output, std::string_view program) {
  const std::vector<std::string_view> lines = telling_lines(output);
  auto found = std::ranges::find_if(lines, is_error_line);
  // Without such a line, the last one: warnings come before.
  if (found == lines.end()) {
    const auto last =
        std::find_if(lines.rbegin(), lines.rend(), [](std::string_view line) { return !line.starts_with(kHint); });
    if (last == lines.rend()) return {};
    found = last.base() - 1;
  }
  std::string_view reason = without("Error:", *found);
  if (reason.empty() && found + 1 != lines.end()) reason = *++found;
  RecorderFailure failure{.reason = std::string(without(std::string(program) + ": ", reason)), .hint = {}};
  // A syntax error has an arrow with its explanation below.
  constexpr std::string_view kArrow = "\\___";
  if (found + 1 != lines.end() && (found + 1)->starts_with(kArrow))
    failure.reason.append(": ").append(without(kArrow, *(found + 1)));
  const auto hint = std::find_if(found, lines.end(), [](std::string_view line) { return line.starts_with(kHint); });
  if (hint != lines.end()) failure.hint = without(kHint, *hint);
  return failure;
}

}  // namespace peregrine
