#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "support/perf_data_builder.h"

namespace peregrine::support {
namespace {

std::uint64_t parse_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
    throw std::invalid_argument("not a number: '" + std::string(text) + "'");
  return negative ? 0 - value : value;
}

}  // namespace

std::uint64_t Value::number() const {
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) return *number;
  return parse_number(text());
}

const std::string& Value::text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  throw std::invalid_argument("text is wanted, not a number");
}

std::vector<std::uint64_t> Value::list() const {
  if (const auto* list = std::get_if<std::vector<std::uint64_t>>(&value_)) return *list;
  if (std::holds_alternative<std::uint64_t>(value_)) return {number()};
  std::vector<std::uint64_t> result;
  std::string_view rest = text();
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    result.push_back(parse_number(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return result;
}

std::vector<std::byte> from_hex(std::string_view hex) {
  const auto digit = [&](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    throw std::invalid_argument("not hex: '" + std::string(hex) + "'");
  };
  if (hex.size() % 2 != 0) throw std::invalid_argument("hex of odd length");
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  return bytes;
}

}  // namespace peregrine::support
