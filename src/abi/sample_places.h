// copy_without_places(): a sample whose addresses are replaced, for recordings that must not tell where things were in
// memory.
//
//   ip, addr, callchain, branches ─▶ PlaceEditor        registers, user stack, AUX data: left out        physical
//   address: 0
//
// The only code that writes samples of any layout; SampleDecoder is its counterpart. Format: docs/perf-data.md,
// "Samples".
#pragma once
#include "abi/sample.h"

namespace peregrine::abi {

class PlaceEditor {
 public:
  virtual ~PlaceEditor() = default;
  // Before all others: whose addresses follow. 0 where the sample does not say.
  virtual void begin(u32 pid) = 0;
  virtual u64 address(u64 value) = 0;
  // Of a callchain, context markers included.
  virtual void chain(std::span<u64> values) = 0;
  // Raw data, in the file's byte order.
  virtual void raw(std::span<std::byte> bytes) = 0;
};

// What a copy lacks.
struct LeftOutPlaces {
  bool registers = false, stack = false, aux = false, physical = false;
};

// Appends the record to `out`. Nothing, and nothing appended, when the record is shorter than its counts and sizes say.
std::optional<LeftOutPlaces> copy_without_places(const RecordView& record, const EventAttr& attr, PlaceEditor& editor,
                                                 std::vector<std::byte>& out);

}  // namespace peregrine::abi
