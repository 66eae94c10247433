// RawAddresses: which bytes of a tracepoint's raw data are addresses, by its format.
//
// Only fields that the format names are kept; what is between them is whatever the kernel's buffer held before. Whether
// a field of 64 bits is an address, its type, its name and its value tell. Probes and system calls can have an address
// in any field: there numbers from 4 GiB on are taken for one.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "event/field/trace_format.h"

namespace peregrine {

class RawAddresses {
 public:
  // What stands for an address; whether one is in a mapping; whether one below 4 GiB can be close to a mapping.
  struct Space {
    std::function<u64(u64)> at;
    std::function<bool(u64)> covers, is_near;
  };

  // Of data that nothing is known of: nothing is kept.
  RawAddresses() = default;
  explicit RawAddresses(const TraceFormat& format);

  bool known() const { return known_; }
  // Whether all fields were kept, or replaced.
  bool edit(std::span<std::byte> bytes, ByteOrder order, const Space& space) const;

 private:
  enum class Meaning : u8 { Text, Pointer, Address, Signed, Unsigned, Time, Result, Any, AnySigned, Half };
  struct Place {
    u32 offset = 0, size = 0;
    Meaning meaning{};
    enum class Locator : u8 { None, FromStart, FromEnd } locator{};
  };
  void add(const TraceField& field, const TraceFormat& format);
  static Meaning meaning_of(const TraceField& field, bool is_any);
  static u64 replaced(u64 value, Meaning meaning, const Space& space);

  bool known_ = false, is_probe_ = false, is_call_ = false;
  bool lacks_fields_ = false;
  std::vector<Place> places_;
};

}  // namespace peregrine
