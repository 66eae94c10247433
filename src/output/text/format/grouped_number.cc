#include "output/text/format/grouped_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace peregrine {

std::string grouped_number(std::string number, const std::string& thousands) {
  if (thousands.empty()) return number;
  std::size_t at = std::min(number.find('.'), number.size());
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  while (at > first + 3) {
    at -= 3;
    number.insert(at, thousands);
  }
  return number;
}

std::string grouped_number(u64 number) { return grouped_number(fmt::format("{}", number), ","); }

std::string grouped_count(u64 number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", grouped_number(number), one)
                      : fmt::format("{} {}", grouped_number(number), many);
}

}  // namespace peregrine
