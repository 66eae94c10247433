// RawAddresses: finds the addresses in a tracepoint's raw data by its format.
//
// Keeps only fields in the format; the gaps contain stale kernel buffer memory. Whether a 64-bit field is an address
// depends on its type, name and value. Probes and system calls may have addresses in any field: there, numbers from 4
// GiB up count as addresses.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"

namespace peregrine {

class RawAddresses {
 public:
  // Callbacks: replace an address; whether one is mapped; whether one below 4 GiB may be next to a mapping.
  struct Space {
    std::function<u64(u64)> at;
    std::function<bool(u64)> covers, is_near;
  };

  // For data without a format: keeps nothing.
  RawAddresses() = default;
  explicit RawAddresses(const TraceFormat& format);

  bool known() const { return known_; }
  // Whether all fields were kept or replaced.
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
