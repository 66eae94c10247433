// The value of a plain field, and how each format derives its output from it.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "abi/sample.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_field.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct ScriptEvent;

struct FieldValue {
  u64 number = 0;              // negative numbers as two's complement
  std::string_view text = {};  // valid until the next sample
};

struct FieldSource {
  const ScriptEvent& event;
  const ReplaySample& replayed;
  Resolver& resolver;
  std::optional<FrameId> own = {};  // of the sampled address; see own_frame()

  // The frame of the sampled address, resolved at the first call. Null if the event does not record addresses.
  const Frame* own_frame();
};

// The value of a row: of a ScriptField or a MachineField.
template <class Row>
FieldValue field_value_of(const Row& row, FieldSource& source) {
  return row.value != nullptr ? row.value(source) : FieldValue{.number = row.number(source.replayed.sample)};
}

// Values for the table, except the numbers of abi/recorded_field.h.
namespace field_value {
FieldValue comm(FieldSource& source);
FieldValue tid(FieldSource& source);
FieldValue pid(FieldSource& source);
FieldValue event(FieldSource& source);
FieldValue symbol(FieldSource& source);
FieldValue dso(FieldSource& source);
FieldValue period(FieldSource& source);
}  // namespace field_value

// Writes a plain field as a column: numbers are padded to 16 columns, text follows a space.
void put_plain(SampleLine& line, const ScriptField& field);

// One column of a machine format.
struct MachineField {
  std::string_view title;
  u64 sample_bits = 0;  // samples without any of these have no value; 0: always present
  ValueKind kind = ValueKind::None;
  u64 (*number)(const abi::Sample&) = nullptr;
  FieldValue (*value)(FieldSource&) = nullptr;  // preferred to `number`
  bool of_tracepoints = true;

  bool is_in(const abi::Sample& sample) const { return sample_bits == 0 || (sample.fields & sample_bits) != 0; }
};
// The columns of `format`, in order. CSV includes the call chain, which is not a field of -F.
std::vector<MachineField> machine_columns(std::span<const ScriptField> rows, MachineFormat format);

}  // namespace peregrine
