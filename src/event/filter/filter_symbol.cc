#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/filter/filter_text.h"

namespace peregrine {
namespace {

// A number as written in print formats, "0x10" or "(16UL)"; nullopt for expressions.
std::optional<u64> plain_number(std::string_view text) {
  text = trim(text);
  while (text.size() > 1 && text.front() == '(' && text.back() == ')') text = trim(text.substr(1, text.size() - 2));
  while (!text.empty() && (text.back() == 'U' || text.back() == 'L')) text.remove_suffix(1);
  return to_number(text);
}

// Looks up the value of one name in "{ 1, "A" }, { 2, "B" })…".
std::optional<u64> value_in_table(std::string_view table, std::string_view name) {
  while (true) {
    const auto open = table.find_first_of("{)");
    if (open == table.npos || table[open] == ')') return std::nullopt;
    const auto comma = table.find(',', open), quote = table.find('"', open);
    if (comma == table.npos || quote == table.npos || quote < comma) return std::nullopt;
    const auto end = table.find('"', quote + 1);
    const auto close = end == table.npos ? end : table.find('}', end);
    if (close == table.npos) return std::nullopt;
    if (table.substr(quote + 1, end - quote - 1) == name) return plain_number(table.substr(open + 1, comma - open - 1));
    table.remove_prefix(close + 1);
  }
}

std::optional<u64> value_of_enumerator(const TraceField& field, std::string_view name) {
  const auto found = std::ranges::find(field.enumerators, name, &Enumerator::name);
  if (found == field.enumerators.end()) return std::nullopt;
  const auto value = static_cast<u64>(found->value);
  return field.size < 8 ? value & ((u64{1} << 8 * field.size) - 1) : value;
}

std::optional<u64> value_of_one(const TraceFormat& format, std::string_view field, std::string_view name) {
  if (const TraceField* declared = format.find(field))
    if (const auto value = value_of_enumerator(*declared, name)) return value;
  const std::string_view text = format.print_fmt;
  const std::string use = fmt::format("REC->{}", field);
  for (const std::string_view call : {"__print_symbolic(", "__print_flags("}) {
    for (auto at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
      const auto first = trim(text.substr(at + call.size(), text.find(',', at) - at - call.size()));
      if (!first.starts_with(use) || (first.size() > use.size() && first[use.size()] != ' ')) continue;
      const auto table = text.find('{', at);
      if (table == text.npos) continue;
      if (const auto value = value_in_table(text.substr(table), name)) return value;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<u64> symbol_value(const TraceFormat& format, std::string_view field, std::string_view name) {
  u64 all = 0;
  for (std::size_t at = 0; at <= name.size();) {
    const auto end = std::min(name.find('|', at), name.size());
    const auto value = value_of_one(format, field, name.substr(at, end - at));
    if (!value) return std::nullopt;
    all |= *value;
    at = end + 1;
  }
  return all;
}

}  // namespace peregrine
