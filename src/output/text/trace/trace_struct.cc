#include "output/text/trace/trace_struct.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/types.h"
#include "output/text/trace/trace_argument.h"

namespace peregrine {
namespace {

constexpr std::size_t kMostShown = 16;  // maximum structs shown of an array

template <class T>
T read_as(Bytes bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

u64 unsigned_of(Bytes bytes, const LayoutField& field) {
  u64 value = 0;
  std::memcpy(&value, bytes.data() + field.offset, std::min<std::size_t>(field.size, sizeof value));
  return value;
}

i64 signed_of(Bytes bytes, const LayoutField& field) {
  const unsigned unused = 64 - std::min<unsigned>(field.size, 8) * 8;
  return static_cast<i64>(unsigned_of(bytes, field) << unused) >> unused;
}

void put_signal_set(ScriptText& out, u64 set) {
  out.put('[');
  bool first = true;
  for (i64 number = 1; number <= 64; ++number) {
    if ((set >> (number - 1) & 1) == 0) continue;
    if (!first) out.put(',');
    first = false;
    out.room(32);
    put_signal(out, number);
  }
  out.put(']');
}

void put_field(ScriptText& out, const LayoutField& field, Bytes bytes) {
  out.room(512);
  const u64 value = field.size <= 8 ? unsigned_of(bytes, field) : 0;
  if (field.words != nullptr) {
    if (value == 0 && field.words->choice(0).empty()) return out.put('0');
    return put_words(out, *field.words, value);
  }
  switch (field.kind) {
    case FieldKind::Signed:
      return out.put_signed(signed_of(bytes, field));
    case FieldKind::Unsigned:
      return out.put_decimal(value);
    case FieldKind::Pointer:
      return out.put_hex_prefixed(value);
    case FieldKind::Octal:
      out.put('0');
      for (int shift = 21; shift >= 0; shift -= 3)
        if (value >> shift != 0) out.put(static_cast<char>(48 + (value >> shift & 7)));
      return;
    case FieldKind::SignalSet:
      return put_signal_set(out, value);
    case FieldKind::Text: {
      const Bytes text = bytes.subspan(field.offset, field.size);
      const auto end = std::ranges::find(text, std::byte{0});
      return put_quoted(out, text.first(static_cast<std::size_t>(end - text.begin())), false);
    }
  }
}

void put_struct(ScriptText& out, const StructLayout& layout, Bytes bytes) {
  if (layout.fields.size() == 1 && layout.fields[0].name.empty()) return put_field(out, layout.fields[0], bytes);
  const bool named = !layout.fields[0].name.empty();
  out.put(named ? "{ " : "[");
  bool first = true;
  for (const LayoutField& field : layout.fields) {
    if (field.offset + field.size > bytes.size()) break;  // the caller's struct is shorter
    out.room(field.name.size() + 64);
    if (!first) out.put(", ");
    first = false;
    if (named) {
      out.put('.');
      out.put(field.name);
      out.put(": ");
    }
    put_field(out, field, bytes);
  }
  out.put(named ? std::string_view(" }") : std::string_view("]"));
}

void put_local_address(ScriptText& out, Bytes path) {
  out.put(", path: ");
  out.room(path.size() * 4 + 16);
  if (!path.empty() && path[0] == std::byte{0}) {
    out.put('@');
    path = path.subspan(1);
  } else {
    path = path.first(static_cast<std::size_t>(std::ranges::find(path, std::byte{0}) - path.begin()));
  }
  put_quoted(out, path, false);
}

}  // namespace

void put_structs(ScriptText& out, const StructLayout& layout, Bytes bytes, bool array, bool cut) {
  out.room(64);
  if (!array)
    return bytes.size() < layout.fields[0].offset + layout.fields[0].size ? out.put("?")
                                                                          : put_struct(out, layout, bytes);
  out.put('[');
  std::size_t shown = 0;
  for (; bytes.size() >= layout.size && shown < kMostShown; ++shown) {
    out.room(64);
    if (shown > 0) out.put(", ");
    put_struct(out, layout, bytes);
    bytes = bytes.subspan(layout.size);
  }
  out.room(16);
  if (cut || bytes.size() >= layout.size) out.put(", ...");
  out.put(']');
}

void put_bits(ScriptText& out, Bytes bits, u32 count, bool cut) {
  const auto end = static_cast<u32>(std::min<std::size_t>(bits.size() * 8, count));
  const auto is_set = [&](u32 bit) { return bit < end && (static_cast<u8>(bits[bit / 8]) >> bit % 8 & 1) != 0; };
  out.room(16);
  out.put('[');
  bool first = true;
  for (u32 bit = 0; bit < end; ++bit) {
    if (!is_set(bit)) continue;
    out.room(32);
    if (!first) out.put(", ");
    first = false;
    out.put_decimal(bit);
    const u32 begin = bit;
    while (is_set(bit + 1)) ++bit;
    if (bit == begin) continue;
    out.put(bit == begin + 1 ? ", " : "-");
    out.put_decimal(bit);
  }
  out.put(cut ? std::string_view(", ...]") : "]");
}

void put_socket_address(ScriptText& out, Bytes bytes) {
  out.room(256);
  const auto family = read_as<u16>(bytes, 0);
  char text[INET6_ADDRSTRLEN] = "";
  out.put("{ .family: ");
  if (family == AF_INET && bytes.size() >= 8) {
    const auto address = read_as<in_addr>(bytes, 4);
    out.put("INET, port: ");
    out.put_decimal(ntohs(read_as<u16>(bytes, 2)));
    out.put(", addr: ");
    out.put(std::string_view(::inet_ntop(AF_INET, &address, text, sizeof text)));
  } else if (family == AF_INET6 && bytes.size() >= 24) {
    const auto address = read_as<in6_addr>(bytes, 8);
    out.put("INET6, port: ");
    out.put_decimal(ntohs(read_as<u16>(bytes, 2)));
    out.put(", addr: ");
    out.put(std::string_view(::inet_ntop(AF_INET6, &address, text, sizeof text)));
  } else if (family == AF_UNIX) {
    out.put("LOCAL");
    if (bytes.size() > 2) put_local_address(out, bytes.subspan(2));
  } else if (family == AF_NETLINK && bytes.size() >= 12) {
    out.put("NETLINK, pid: ");
    out.put_decimal(read_as<u32>(bytes, 4));
    out.put(", groups: ");
    out.put_hex_prefixed(read_as<u32>(bytes, 8));
  } else {
    out.put_decimal(family);
  }
  out.room(16);
  out.put(" }");
}

}  // namespace peregrine
