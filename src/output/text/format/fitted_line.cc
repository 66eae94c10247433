#include "output/text/format/fitted_line.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "output/text/format/printable.h"

namespace peregrine {

std::vector<LinePart> fitted_parts(std::vector<LinePart> parts, std::size_t width, std::size_t gap) {
  std::erase_if(parts, [](const LinePart& part) { return part.text.empty(); });
  const auto used = [&] {
    std::size_t sum = parts.empty() ? 0 : gap * (parts.size() - 1);
    for (const LinePart& part : parts) sum += display_width(part.text);
    return sum;
  };
  while (used() > width) {
    const auto least = std::max_element(parts.rbegin(), parts.rend(),
                                        [](const LinePart& a, const LinePart& b) { return a.rank < b.rank; });
    if (least->rank == 0) break;
    parts.erase(std::prev(least.base()));
  }
  return parts;
}

std::string fitted_line(std::vector<LinePart> parts, std::size_t width, std::string_view gap) {
  std::string line;
  bool first = true;
  for (const LinePart& part : fitted_parts(std::move(parts), width, display_width(gap))) {
    if (!std::exchange(first, false)) line += gap;
    line += part.text;
  }
  return line;
}

}  // namespace peregrine
