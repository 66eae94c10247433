#include "event/syntax/kernel_symbol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/number/parse_number.h"

namespace peregrine {

namespace {

// The kernel has about 200,000 symbols, so suggestions are limited to those that share a prefix of this length.
constexpr std::size_t kAlike = 3;

struct Line {
  std::string_view address, name;
};

// Parses "ffffffff82605000 D jiffies" and "ffffffffc0201000 d counter\t[ext4]".
std::optional<Line> parse_line(std::string_view line) {
  const auto space = line.find(' ');
  if (space == std::string_view::npos || space + 3 >= line.size()) return std::nullopt;
  const auto name = line.substr(space + 3);
  return Line{line.substr(0, space), name.substr(0, name.find('\t'))};
}

Error unknown(std::string_view name, const std::vector<std::string_view>& alike) {
  Error error{ErrorKind::NotFound, fmt::format("no kernel symbol '{}'", name)};
  if (const auto near = nearest(name, alike))
    error.hint = fmt::format("did you mean '{}'?", *near);
  else
    error.hint = "pass an address, or a symbol from /proc/kallsyms";
  return error;
}

}  // namespace

Result<NamedPlace> parse_named_place(std::string_view text) {
  const auto plus = text.find('+');
  const auto offset = plus == std::string_view::npos ? 0 : to_number(text.substr(plus + 1));
  if (!offset) return fail(ErrorKind::Usage, "invalid offset '{}'", text.substr(plus + 1));
  return NamedPlace{text.substr(0, plus), *offset};
}

Result<u64> kernel_symbol_address(const Root& root, std::string_view text) {
  const auto place = parse_named_place(text);
  if (!place) return std::unexpected(place.error());
  const auto wanted = place->symbol;
  const auto list = root.read("/proc/kallsyms");
  if (!list) return std::unexpected(list.error());
  std::vector<std::string_view> alike;
  for (std::string_view rest = *list; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = parse_line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line) continue;
    if (line->name != wanted) {
      if (wanted.size() >= kAlike && line->name.starts_with(wanted.substr(0, kAlike))) alike.push_back(line->name);
      continue;
    }
    const u64 address = to_number("0x" + std::string(line->address)).value_or(0);
    if (address != 0) return address + place->offset;
    Error error{ErrorKind::Denied, fmt::format("the kernel hides the address of '{}'", wanted)};
    error.hint = "run as root, or set kernel.kptr_restrict to 0";
    return std::unexpected(std::move(error));
  }
  return std::unexpected(unknown(wanted, alike));
}

}  // namespace peregrine
