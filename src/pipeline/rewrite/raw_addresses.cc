#include "pipeline/rewrite/raw_addresses.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {
namespace {

constexpr u64 kFourGib = u64{1} << 32;
// Where Linux maps 64-bit programs, libraries and stacks. A time in ns reaches this only after 26 hours.
constexpr u64 kProgram = 0x5500'0000'0000u, kUserEnd = 0x1'0000'0000'0000u;
constexpr u64 kUpperHalf = u64{1} << 63;
constexpr u64 kSmallNegative = 0xffff'ffff'ff00'0000u;  // above all kernel code

bool names_an_address(std::string_view name) {
  constexpr std::array kParts = std::to_array<std::string_view>({"addr", "ptr", "call_site", "caller", "func", "vma"});
  constexpr std::array kNames = std::to_array<std::string_view>(
      {"ip", "sp", "pc", "brk", "pgd", "rip", "rsp", "cr2", "cr3", "gpa", "gva", "hva"});
  return std::ranges::any_of(kParts, [&](std::string_view part) { return name.contains(part); }) ||
         std::ranges::find(kNames, name) != kNames.end() || name.ends_with("_ip");
}

// Physical addresses and page frame numbers also reveal where things are.
bool names_physical_memory(std::string_view name) {
  constexpr std::array kParts = std::to_array<std::string_view>({"pfn", "phys", "paddr"});
  return std::ranges::any_of(kParts, [&](std::string_view part) { return name.contains(part); }) || name == "gfn" ||
         name == "mfn";
}

bool names_a_time(std::string_view name) {
  constexpr std::array kParts = std::to_array<std::string_view>(
      {"time", "delay", "latency", "lateness", "duration", "deadline", "expires", "_ns"});
  return std::ranges::any_of(kParts, [&](std::string_view part) { return name.contains(part); }) || name == "now" ||
         name == "ts";
}

bool is_probe(const TraceFormat& format) {
  return std::ranges::any_of(format.fields, [](const TraceField& field) { return field.name.starts_with("__probe_"); });
}

// CPU and node masks are arrays of longs too.
bool is_bitmask(const TraceField& field, std::string_view print_fmt) {
  for (const std::string_view getter : {"__get_bitmask(", "__get_cpumask(", "__get_rel_bitmask(", "__get_rel_cpumask("})
    if (print_fmt.contains(std::string(getter) + field.name)) return true;
  return false;
}

}  // namespace

RawAddresses::RawAddresses(const TraceFormat& format) : known_(true) {
  for (const TraceField& field : format.common) add(field, format);
  is_probe_ = is_probe(format);
  is_call_ = format.system == "syscalls" || format.system == "raw_syscalls";
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
  // Even part of the value would reveal it.
  if (!is_text && (names_physical_memory(field.name) || (is_probe_ && field.is_array && element < 8))) {
    lacks_fields_ = true;
    return;
  }
  if (is_probe_ && field.size == 4 && !is_text) {
    place.meaning = Meaning::Half;
    places_.push_back(place);
    return;
  }
  if (is_text || (field.size != 0 && (element == 1 || element == 2 || element == 4))) {
    if (field.size == 0) place.size = ~0u;  // to the end of the record
    places_.push_back(place);
    return;
  }
  if (element != 8 || field.size == 0) {
    lacks_fields_ = true;
    return;
  }
  place.meaning = meaning_of(field, is_probe_ || is_call_);
  places_.push_back(place);
}

RawAddresses::Meaning RawAddresses::meaning_of(const TraceField& field, bool is_any) {
  if (field.is_pointer || names_an_address(field.name)) return Meaning::Pointer;
  if (is_any) return field.is_signed || field.name == "ret" ? Meaning::AnySigned : Meaning::Any;
  if (field.type == "unsigned long") return Meaning::Address;
  if (field.name == "ret") return Meaning::Result;
  if (names_a_time(field.name)) return Meaning::Time;
  return field.is_signed ? Meaning::Signed : Meaning::Unsigned;
}

// A value is an address if its field can have one and it is where addresses are:
//
//   below 4 GiB         only what a recorded map covers, or is near to if the field may be an address
//   4 GiB to 2^63       what a map covers; any value of arguments; longs where Linux maps programs
//   2^63 and above      everything, except small negative numbers in signed fields
u64 RawAddresses::replaced(u64 value, Meaning meaning, const Space& space) {
  if (meaning == Meaning::Text) return value;
  if (meaning == Meaning::Pointer) return space.at(value);
  if (meaning == Meaning::Half) {
    const u64 extended = static_cast<u64>(i64{static_cast<i32>(value)});
    const bool kernel = extended >= kUpperHalf && (space.covers(extended) || extended < kSmallNegative);
    return kernel || space.covers(value) || space.is_near(value) ? 0 : value;
  }
  if (value >= kUpperHalf) {
    const bool is_number = meaning == Meaning::Signed || meaning == Meaning::Result || meaning == Meaning::Time ||
                           meaning == Meaning::AnySigned;
    return is_number && value >= kSmallNegative && !space.covers(value) ? value : space.at(value);
  }
  const bool is_any = meaning == Meaning::Any || meaning == Meaning::AnySigned;
  const bool can_be_any = is_any || meaning == Meaning::Address || meaning == Meaning::Result;
  if (value >= kFourGib) {
    const bool looks_mapped = value >= kProgram && value < kUserEnd;
    const bool hidden = is_any || (can_be_any && looks_mapped) || space.covers(value);
    return hidden ? space.at(value) : value;
  }
  if (meaning == Meaning::Time) return value;
  return space.covers(value) || (can_be_any && space.is_near(value)) ? space.at(value) : value;
}

// Clears everything and copies back what is known to be harmless. The other way round, a field that the format does
// not describe would be revealed.
bool RawAddresses::edit(std::span<std::byte> bytes, ByteOrder order, const Space& space) const {
  const std::vector<std::byte> old(bytes.begin(), bytes.end());
  std::ranges::fill(bytes, std::byte{0});
  const auto keep = [&](std::size_t from, std::size_t size) {
    if (from >= old.size()) return;
    std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(from), std::min(size, old.size() - from),
                bytes.begin() + static_cast<std::ptrdiff_t>(from));
  };
  bool whole = known_ && !lacks_fields_;
  for (const Place& place : places_) {
    if (place.meaning == Meaning::Half) {
      if (old.size() < 4 || place.offset > old.size() - 4) continue;
      const u64 value = load<u32>(old.data() + place.offset, order);
      if (replaced(value, Meaning::Half, space) == value) {
        keep(place.offset, 4);
      } else {
        whole = false;
      }
      continue;
    }
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
  return whole;
}

}  // namespace peregrine
