#include "event/print/print_address.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/types.h"

namespace peregrine {

namespace {

u8 at(Bytes bytes, std::size_t index) { return static_cast<u8>(bytes[index]); }

char hex_digit(unsigned value, bool upper) { return (upper ? "0123456789ABCDEF" : "0123456789abcdef")[value & 15]; }

void put_hex_byte(TextBuffer& out, u8 value, bool upper = false) {
  out.put(hex_digit(value >> 4, upper));
  out.put(hex_digit(value, upper));
}

void put_ip4(TextBuffer& out, Bytes bytes, char letter, std::string_view how) {
  if (bytes.size() < 4) return out.put("INVALIDIPv4");
  // h and l: little-endian host order; n and b: network order.
  const bool reversed = !how.empty() && (how[0] == 'h' || how[0] == 'l');
  for (unsigned i = 0; i < 4; ++i) {
    if (i > 0) out.put('.');
    out.put_decimal(at(bytes, reversed ? 3 - i : i), letter == 'i' ? 3 : 0, '0');
  }
}

void put_groups(TextBuffer& out, const std::array<u16, 8>& words, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; ++i) {
    if (i > from) out.put(':');
    out.put_hex(words[i]);
  }
}

// RFC 5952: omits the longest run of zeros, and shows an embedded IPv4 address in dotted form.
void put_short_ip6(TextBuffer& out, Bytes bytes) {
  std::array<u16, 8> words{};
  for (unsigned i = 0; i < 8; ++i) words[i] = static_cast<u16>(at(bytes, 2 * i) << 8 | at(bytes, 2 * i + 1));
  const bool head_is_zero = std::all_of(words.begin(), words.begin() + 4, [](u16 word) { return word == 0; });
  const bool mapped = head_is_zero && words[4] == 0 && words[5] == 0xffff;
  const bool isatap = (words[4] | 0x0200) == 0x0200 && words[5] == 0x5efe;
  const unsigned end = mapped || isatap ? 6 : 8;
  unsigned best = 0, best_length = 1;
  for (unsigned i = 0; i < end; ++i) {
    unsigned length = 0;
    while (i + length < end && words[i + length] == 0) ++length;
    if (length > best_length) {
      best = i;
      best_length = length;
    }
  }
  if (best_length > 1) {
    put_groups(out, words, 0, best);
    out.put("::");
    put_groups(out, words, best + best_length, end);
  } else {
    put_groups(out, words, 0, end);
  }
  if (end == 8) return;
  if (out.view().back() != ':') out.put(':');
  put_ip4(out, bytes.subspan(12), 'I', "");
}

void put_ip6(TextBuffer& out, Bytes bytes, char letter, std::string_view how) {
  if (bytes.size() < 16) return out.put("INVALIDIPv6");
  if (letter == 'I' && !how.empty() && how[0] == 'c') return put_short_ip6(out, bytes);
  for (unsigned i = 0; i < 16; i += 2) {
    if (i > 0 && letter == 'I') out.put(':');
    put_hex_byte(out, at(bytes, i));
    put_hex_byte(out, at(bytes, i + 1));
  }
}

// Bit `n` of a bitmap of words of `long_size` bytes.
bool bit_at(Bytes bytes, ByteOrder order, u8 long_size, u64 n) {
  u64 index = n / 8;
  if (order == ByteOrder::Big) index = index / long_size * long_size + (long_size - 1 - index % long_size);
  return index < bytes.size() && (at(bytes, index) >> (n % 8) & 1) != 0;
}

}  // namespace

void put_mac(TextBuffer& out, Bytes bytes, char letter, std::string_view how) {
  out.room(32);
  if (bytes.size() != 6) return out.put("INVALIDMAC");
  const bool reversed = !how.empty() && how[0] == 'R';
  const char separator = letter == 'm' ? '\0' : !how.empty() && how[0] == 'F' ? '-' : ':';
  for (unsigned i = 0; i < 6; ++i) {
    if (i > 0 && separator != '\0') out.put(separator);
    put_hex_byte(out, at(bytes, reversed ? 5 - i : i));
  }
}

void put_ip(TextBuffer& out, Bytes bytes, char letter, std::string_view how) {
  out.room(64);
  if (how.empty()) return;
  if (how[0] == '4') put_ip4(out, bytes, letter, how.substr(1));
  if (how[0] == '6') put_ip6(out, bytes, letter, how.substr(1));
}

void put_sockaddr(TextBuffer& out, Bytes bytes, char letter, std::string_view how, ByteOrder order) {
  out.room(96);
  if (bytes.size() < 2) return;
  const bool port = how.find('p') != how.npos, compact = how.find('c') != how.npos;
  const u16 family = load<u16>(bytes.data(), order);
  constexpr u16 kInet = 2, kInet6 = 10;
  const std::size_t size = family == kInet ? 8 : 24;
  if (family != kInet && family != kInet6) return;
  if (bytes.size() < size) return out.put(family == kInet ? "INVALIDIPv4" : "INVALIDIPv6");
  if (family == kInet) {
    put_ip4(out, bytes.subspan(4), letter, "");
  } else {
    if (port) out.put('[');
    put_ip6(out, bytes.subspan(8), letter, compact ? "c" : "");
    if (port) out.put(']');
  }
  if (!port) return;
  out.put(':');
  out.put_decimal(load<u16>(bytes.data() + 2, ByteOrder::Big));
}

void put_uuid(TextBuffer& out, Bytes bytes, char how) {
  out.room(64);
  if (bytes.size() < 16) return out.put("INVALIDUUID");
  static constexpr u8 kBig[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  static constexpr u8 kLittle[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  const bool upper = how == 'B' || how == 'L';
  const auto& index = how == 'l' || how == 'L' ? kLittle : kBig;
  for (unsigned i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out.put('-');
    put_hex_byte(out, at(bytes, index[i]), upper);
  }
}

void put_bytes(TextBuffer& out, Bytes bytes, std::string_view separator) {
  out.room(bytes.size() * (2 + separator.size()));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out.put(separator);
    put_hex_byte(out, at(bytes, i));
  }
}

void put_bit_list(TextBuffer& out, Bytes bytes, ByteOrder order, u8 long_size, u64 bits) {
  const u64 end = std::min<u64>(bits, bytes.size() * 8);
  bool first = true;
  for (u64 n = 0; n < end; ++n) {
    if (!bit_at(bytes, order, long_size, n)) continue;
    u64 last = n;
    while (last + 1 < end && bit_at(bytes, order, long_size, last + 1)) ++last;
    out.room(64);
    if (!first) out.put(',');
    first = false;
    out.put_decimal(n);
    if (last > n) {
      out.put('-');
      out.put_decimal(last);
    }
    n = last;
  }
}

void put_bit_groups(TextBuffer& out, Bytes bytes, ByteOrder order, u8 long_size, u64 bits) {
  const u64 groups = (std::min<u64>(bits, bytes.size() * 8) + 31) / 32;
  out.room(groups * 9);
  for (u64 group = groups; group-- > 0;) {
    u32 value = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      if (group * 32 + bit < bits && bit_at(bytes, order, long_size, group * 32 + bit)) value |= 1u << bit;
    }
    const auto top = static_cast<unsigned>(std::min<u64>(32, bits - group * 32));
    out.put_hex(value, group + 1 == groups ? (top + 3) / 4 : 8, '0');
    if (group > 0) out.put(',');
  }
}

}  // namespace peregrine
