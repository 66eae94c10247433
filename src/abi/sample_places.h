// copy_without_places(): copies a sample with its addresses replaced, for recordings that must not reveal memory
// layout.
//
//   ip, addr, callchain, branches ─▶ PlaceEditor        registers, user stack, AUX data: left out        physical
//   address: 0
//
// This is the only code that writes samples of every layout; SampleDecoder is its counterpart. Format:
// docs/perf-data.md, "Samples".
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "base/types.h"

namespace peregrine::abi {

class PlaceEditor {
 public:
  virtual ~PlaceEditor() = default;
  // Called first, with the process that the addresses belong to; 0 if the sample does not contain it.
  virtual void begin(u32 pid) = 0;
  virtual u64 address(u64 value) = 0;
  // A callchain, including its context markers.
  virtual void chain(std::span<u64> values) = 0;
  // Raw data, in the file's byte order.
  virtual void raw(std::span<std::byte> bytes) = 0;
};

// What was dropped from a copy.
struct LeftOutPlaces {
  bool registers = false, stack = false, aux = false, physical = false;
};

// Appends the record to `out`. Returns nothing, and appends nothing, if it is shorter than its counts and sizes claim.
std::optional<LeftOutPlaces> copy_without_places(const RecordView& record, const EventAttr& attr, PlaceEditor& editor,
                                                 std::vector<std::byte>& out);

}  // namespace peregrine::abi
