#include "abi/attr.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace peregrine::abi {
namespace {

u64 mirror_bits_in_bytes(u64 value) {
  value = ((value >> 1) & 0x5555555555555555ull) | ((value & 0x5555555555555555ull) << 1);
  value = ((value >> 2) & 0x3333333333333333ull) | ((value & 0x3333333333333333ull) << 2);
  value = ((value >> 4) & 0x0f0f0f0f0f0f0f0full) | ((value & 0x0f0f0f0f0f0f0f0full) << 4);
  return value;
}

// aux_action is a 32-bit bit-field, mirrored like the flags.
u32 mirror_word(u32 value) {
  const u64 mirrored = mirror_bits_in_bytes(value);
  return __builtin_bswap32(static_cast<u32>(mirrored));
}

// The flag word is a bit-field: on big-endian machines its first bit is the most significant bit of the first byte. If
// the bytes are always loaded as little-endian, only the order of the bits within each byte differs.
u64 load_flags(const std::byte* at, ByteOrder order) {
  const u64 in_byte_order = load<u64>(at, ByteOrder::Little);
  return order == ByteOrder::Little ? in_byte_order : mirror_bits_in_bytes(in_byte_order);
}

// Calls `visit` with each integer field, in file order.
template <class Attr, class Visit>
void each_field_after_flags(Attr& attr, Visit&& visit) {
  visit(attr.wakeup_events);
  visit(attr.bp_type);
  visit(attr.config1);
  visit(attr.config2);
  visit(attr.branch_sample_type);
  visit(attr.sample_regs_user);
  visit(attr.sample_stack_user);
  visit(attr.clockid);
  visit(attr.sample_regs_intr);
  visit(attr.aux_watermark);
  visit(attr.sample_max_stack);
  visit(attr.reserved_2);
  visit(attr.aux_sample_size);
  visit(attr.aux_action);
  visit(attr.sig_data);
  visit(attr.config3);
  visit(attr.config4);
}

}  // namespace

Result<EventAttr> decode_attr(Bytes bytes, ByteOrder order) {
  if (bytes.size() < 8) return fail(ErrorKind::Malformed, "event attr: too short ({} bytes)", bytes.size());
  EventAttr attr;
  attr.size = load<u32>(bytes.data() + 4, order);
  if (attr.size == 0) attr.size = kAttrSizeMin;
  if (attr.size < kAttrSizeMin || attr.size > bytes.size()) {
    return fail(ErrorKind::Malformed, "event attr: invalid size {}: must be {} to {}", attr.size, kAttrSizeMin,
                bytes.size());
  }
  // Fields missing from a short attr read as zero.
  std::byte whole[kAttrSizeKnown] = {};
  std::copy_n(bytes.data(), std::min(attr.size, kAttrSizeKnown), whole);
  ByteReader in(Bytes(whole), order);
  attr.type = in.get32();
  in.skip(4);
  attr.config = in.get64();
  attr.sample_period = in.get64();
  attr.sample_type = in.get64();
  attr.read_format = in.get64();
  attr.flags = load_flags(in.take(8).data(), order);
  each_field_after_flags(attr, [&](auto& field) { field = in.get<std::remove_reference_t<decltype(field)>>(); });
  if (order != ByteOrder::Little) attr.aux_action = mirror_word(attr.aux_action);
  if (attr.size > kAttrSizeKnown) {
    const Bytes tail = bytes.subspan(kAttrSizeKnown, attr.size - kAttrSizeKnown);
    attr.unknown_tail.assign(tail.begin(), tail.end());
  }
  return attr;
}

void encode_attr(const EventAttr& attr, ByteWriter& out, ByteOrder order) {
  ByteWriter whole(order);
  whole.put32(attr.type).put32(attr.size).put64(attr.config).put64(attr.sample_period).put64(attr.sample_type);
  whole.put64(attr.read_format);
  ByteWriter flags(ByteOrder::Little);
  flags.put64(order == ByteOrder::Little ? attr.flags : mirror_bits_in_bytes(attr.flags));
  whole.append(flags.bytes());
  EventAttr stored = attr;
  if (order != ByteOrder::Little) stored.aux_action = mirror_word(stored.aux_action);
  each_field_after_flags(stored, [&](const auto& field) { whole.put(field); });
  whole.append(Bytes(attr.unknown_tail));
  if (whole.size() < attr.size) whole.zeros(attr.size - whole.size());
  out.append(whole.bytes().first(attr.size));
}

u32 written_size(const EventAttr& attr) {
  if (!attr.unknown_tail.empty()) return kAttrSizeKnown + static_cast<u32>(attr.unknown_tail.size());
  if (attr.config4 != 0) return 144;
  return attr.config3 != 0 ? 136 : kAttrSizeWritten;
}

}  // namespace peregrine::abi
