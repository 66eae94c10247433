#include "pipeline/rewrite/raw_addresses.h"

#include <algorithm>
#include <array>

namespace peregrine {
namespace {

constexpr u64 kFourGib = u64{1} << 32;
// Where Linux puts programs, libraries and stacks of 64 bits; a number of nanoseconds is not so large for 26 hours.
constexpr u64 kProgram = 0x5500'0000'0000u, kUserEnd = 0x8000'0000'0000u;
constexpr u64 kUpperHalf = u64{1} << 63;
constexpr u64 kSmallNegative = 0xffff'ffff'8000'0000u;

bool names_an_address(std::string_view name) {
  constexpr std::array kParts = std::to_array<std::string_view>({"addr", "ptr", "call_site", "caller", "func", "vma"});
  constexpr std::array kNames = std::to_array<std::string_view>(
      {"ip", "sp", "pc", "brk", "pgd", "rip", "rsp", "cr2", "cr3", "gpa", "gva", "hva"});
  return std::ranges::any_of(kParts, [&](std::string_view part) { return name.contains(part); }) ||
         std::ranges::find(kNames, name) != kNames.end() || name.ends_with("_ip");
}

// Sets of CPUs and nodes are arrays of words, too.
bool is_bitmask(const TraceField& field, std::string_view print_fmt) {
  for (const std::string_view getter : {"__get_bitmask(", "__get_cpumask(", "__get_rel_bitmask(", "__get_rel_cpumask("})
    if (print_fmt.contains(std::string(getter) + field.name)) return true;
  return false;
}

}  // namespace

RawAddresses::RawAddresses(const TraceFormat& format) : known_(true) {
  for (const TraceField& field : format.common) add(field, format);
  for (const TraceField& field : format.fields) add(field, format);
  for (const TraceField& field : format.masks) places_.push_back({field.offset, field.size, Meaning::Text, {}});
}

void RawAddresses::add(const TraceField& field, const TraceFormat& format) {
  const u32 element = field.element_size();
  const bool dynamic = field.is_data_loc || field.is_rel_loc;
  Place place{field.offset, field.size, Meaning::Text, Place::Locator::None};
  if (dynamic) {
    const bool text = field.is_string || field.type.contains("char") || is_bitmask(field, format.print_fmt);
    place.locator = field.is_rel_loc ? Place::Locator::FromEnd : Place::Locator::FromStart;
    if (text) {
      places_.push_back(place);
    } else {
      lacks_fields_ = true;
    }
    return;
  }
  const bool is_text = field.is_string && !field.is_pointer;
  if (is_text || (field.size != 0 && (element == 1 || element == 2 || element == 4))) {
    if (field.size == 0) place.size = ~0u;  // up to the end
    places_.push_back(place);
    return;
  }
  if (element != 8 || field.size == 0) {
    lacks_fields_ = true;
    return;
  }
  if (field.is_pointer) {
    place.meaning = Meaning::Pointer;
  } else if (names_an_address(field.name)) {
    place.meaning = Meaning::Pointer;
  } else if (field.type == "unsigned long") {
    place.meaning = Meaning::Address;
  } else if (field.name == "ret") {
    place.meaning = Meaning::Result;
  } else {
    place.meaning = field.is_signed ? Meaning::Signed : Meaning::Unsigned;
  }
  places_.push_back(place);
}

u64 RawAddresses::replaced(u64 value, Meaning meaning, const Space& space) {
  if (meaning == Meaning::Text) return value;
  if (meaning == Meaning::Pointer) return space.at(value);
  if (value >= kUpperHalf) {
    const bool small = value >= kSmallNegative && (meaning == Meaning::Signed || meaning == Meaning::Result);
    return small && !space.covers(value) ? value : space.at(value);
  }
  const bool looks_mapped = value >= kProgram && value < kUserEnd;
  if (looks_mapped && (meaning == Meaning::Address || meaning == Meaning::Result)) return space.at(value);
  return value >= kFourGib && space.covers(value) ? space.at(value) : value;
}

bool RawAddresses::edit(std::span<std::byte> bytes, ByteOrder order, const Space& space) const {
  const std::vector<std::byte> old(bytes.begin(), bytes.end());
  std::ranges::fill(bytes, std::byte{0});
  const auto keep = [&](std::size_t from, std::size_t size) {
    if (from >= old.size()) return;
    std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(from), std::min(size, old.size() - from),
                bytes.begin() + static_cast<std::ptrdiff_t>(from));
  };
  for (const Place& place : places_) {
    if (place.meaning == Meaning::Text) {
      keep(place.offset, place.size);
      if (place.locator == Place::Locator::None || old.size() < 4 || place.offset > old.size() - 4) continue;
      const u32 locator = load<u32>(old.data() + place.offset, order);
      const u32 base = place.locator == Place::Locator::FromEnd ? place.offset + 4 : 0;
      keep(base + (locator & 0xffff), locator >> 16);
      continue;
    }
    for (u32 at = 0; at + 8 <= place.size && old.size() >= 8 && place.offset + at <= old.size() - 8; at += 8) {
      ByteWriter word(order);
      word.put64(replaced(load<u64>(old.data() + place.offset + at, order), place.meaning, space));
      std::ranges::copy(word.bytes(), bytes.begin() + place.offset + at);
    }
  }
  return known_ && !lacks_fields_;
}

}  // namespace peregrine
