#include "output/binary/script_binary.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "abi/sample.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_field.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

u64 traced_value(std::string_view name, const ScriptEvent& event, const abi::Sample& sample) {
  const TraceField* const field = event.traced == nullptr ? nullptr : event.traced->find(name);
  if (field == nullptr || field->is_array || field->is_data_loc || field->is_rel_loc) return 0;
  return number_of(*field, sample.raw, event.format->order());
}

}  // namespace

BinaryWriter::BinaryWriter(std::span<const ScriptField> rows, const std::vector<std::string>& columns,
                           unsigned max_stack)
    : max_stack_(max_stack) {
  const std::vector<MachineField> known = machine_columns(rows, kBinaryFormat);
  for (const std::string& name : columns) {
    const auto found = std::ranges::find(known, name, &MachineField::title);
    columns_.push_back({found == known.end() ? MachineField() : *found, name});
  }
  if (!columns_.empty()) return;
  for (const MachineField& field : known) columns_.push_back({field, {}});
}

// Returns the address that the `jsonl` format shows for the innermost frame.
u64 BinaryWriter::innermost_address(FieldSource& source) {
  Resolver& resolver = source.resolver;
  if (source.event.callchain) {
    chain_.clear();
    resolver.chain(source.replayed.context, source.replayed.sample.callchain, std::min(max_stack_, 1u), chain_);
    return chain_.empty() ? 0 : resolver.at(chain_.front()).address;
  }
  if (source.event.format != nullptr) return 0;
  const Frame* const frame = source.own_frame();
  return frame == nullptr ? 0 : frame->address;
}

u64 BinaryWriter::value_of(const Column& column, FieldSource& source) {
  const ScriptEvent& event = source.event;
  if (column.field.kind == ValueKind::None)
    return event.format == nullptr ? 0 : traced_value(column.traced, event, source.replayed.sample);
  if (column.field.kind == ValueKind::Code) return innermost_address(source);
  if (!column.field.is_in(source.replayed.sample)) return 0;
  if (event.format != nullptr && !column.field.of_tracepoints) return 0;
  return field_value_of(column.field, source).number;
}

void BinaryWriter::put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) {
  FieldSource source{event, sample, resolver};
  out.room(columns_.size() * sizeof(u64));
  for (const Column& column : columns_) {
    const u64 value = value_of(column, source);
    std::memcpy(out.end(), &value, sizeof value);
    out.end_at(out.end() + sizeof value);
  }
}

}  // namespace peregrine
