#include "event/print/print_number.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/types.h"
#include "event/field/trace_value.h"

namespace peregrine {

namespace {

bool is_signed(char conversion) { return conversion == 'd' || conversion == 'i'; }

u64 cut(u64 value, u8 bytes) { return bytes >= 8 ? value : value & ((u64{1} << (8 * bytes)) - 1); }

// The prefix of a number: "-", "+", " ", "0x" or nothing.
std::string_view sign_of(const PrintSpec& spec, bool negative, u64 magnitude) {
  if (is_signed(spec.conversion)) {
    if (negative) return "-";
    if (spec.plus) return "+";
    return spec.blank ? " " : "";
  }
  if (!spec.alternate || magnitude == 0) return "";
  if (spec.conversion == 'x') return "0x";
  return spec.conversion == 'X' ? "0X" : "";
}

}  // namespace

void put_number(TextBuffer& out, const PrintSpec& spec, u64 value) {
  u64 magnitude = cut(value, spec.bytes);
  bool negative = false;
  if (is_signed(spec.conversion)) {
    const u64 whole = extend_sign(magnitude, spec.bytes);
    negative = static_cast<i64>(whole) < 0;
    magnitude = negative ? ~whole + 1 : whole;
  }
  const int base = spec.conversion == 'x' || spec.conversion == 'X' ? 16 : spec.conversion == 'o' ? 8 : 10;
  char digits[64];
  char* begin = digits + 1;
  char* end = std::to_chars(begin, digits + sizeof digits, magnitude, base).ptr;
  if (spec.precision == 0 && magnitude == 0) end = begin;
  if (spec.conversion == 'X') {
    std::transform(begin, end, begin, [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  }
  if (spec.conversion == 'o' && spec.alternate && (begin == end || *begin != '0')) *--begin = '0';
  const std::string_view sign = sign_of(spec, negative, magnitude);
  const auto length = static_cast<std::size_t>(end - begin);
  std::size_t zeroes = spec.precision > static_cast<i32>(length) ? static_cast<u32>(spec.precision) - length : 0;
  std::size_t blanks = 0;
  if (const std::size_t all = sign.size() + zeroes + length; spec.width > all) {
    const bool fill_zero = spec.zero && !spec.left && spec.precision < 0;
    (fill_zero ? zeroes : blanks) += spec.width - all;
  }
  out.room(sign.size() + zeroes + length + blanks);
  if (!spec.left) out.fill(' ', blanks);
  out.put(sign);
  out.fill('0', zeroes);
  out.put(std::string_view(begin, length));
  if (spec.left) out.fill(' ', blanks);
}

void put_text(TextBuffer& out, const PrintSpec& spec, std::string_view text) {
  if (spec.precision >= 0) text = text.substr(0, static_cast<u32>(spec.precision));
  const std::size_t blanks = spec.width > text.size() ? spec.width - text.size() : 0;
  out.room(text.size() + blanks);
  if (!spec.left) out.fill(' ', blanks);
  out.put(text);
  if (spec.left) out.fill(' ', blanks);
}

}  // namespace peregrine
