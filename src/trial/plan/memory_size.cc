#include "trial/plan/memory_size.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

namespace peregrine {

Result<u64> parse_memory_size(std::string_view text) {
  u64 number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  for (char& c : unit) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  unsigned shift = 0;
  for (const std::string_view known : kUnits) {
    const bool same = unit == known || (unit.size() == 1 && unit[0] == known[0]) || (unit.empty() && known == "B");
    if (error == std::errc() && same && number > 0 && number <= (u64{1} << 50) >> shift) return number << shift;
    shift += 10;
  }
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("Invalid size:{}", text), "such as 64KB, 1MB, 2GB"});
}

}  // namespace peregrine
