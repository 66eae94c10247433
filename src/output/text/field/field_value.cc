#include "output/text/field/field_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/types.h"
#include "output/text/field/sample_line.h"
#include "output/text/field/script_plan.h"
#include "output/text/field/script_values.h"
#include "output/text/format/printable.h"
#include "output/text/format/script_text.h"

namespace peregrine {

const Frame* FieldSource::own_frame() {
  const abi::Sample& sample = replayed.sample;
  if ((sample.fields & abi::sample_bit::Ip) == 0) return nullptr;
  if (!own) own = resolver.frame(replayed.context, sample.ip, sample.cpumode());
  return &resolver.at(*own);
}

namespace field_value {

FieldValue comm(FieldSource& source) { return {.text = source.resolver.comm(source.replayed.context)}; }

// Ids are signed: -1 is a thread for which the kernel gave no id.
FieldValue tid(FieldSource& source) {
  return {.number = static_cast<u64>(static_cast<i32>(source.replayed.sample.tid))};
}
FieldValue pid(FieldSource& source) {
  return {.number = static_cast<u64>(static_cast<i32>(source.replayed.sample.pid))};
}

FieldValue event(FieldSource& source) { return {.text = source.event.bare_name}; }

FieldValue symbol(FieldSource& source) {
  const Frame* const frame = source.own_frame();
  if (frame == nullptr || !frame->symbol) return {};
  return {.text = source.resolver.symbol_name(*frame)};
}

FieldValue dso(FieldSource& source) {
  const Frame* const frame = source.own_frame();
  if (frame == nullptr || !frame->dso) return {};
  return {.text = source.resolver.machine().dsos().at(frame->dso).name};
}

FieldValue period(FieldSource& source) { return {.number = source.replayed.period}; }

}  // namespace field_value

void put_plain(SampleLine& line, const ScriptField& field) {
  FieldSource source{line.event, line.replayed, line.resolver};
  const FieldValue value = field_value_of(field, source);
  ScriptText& out = line.out;
  switch (field.kind) {
    case ValueKind::Unsigned:
      return out.put_decimal(value.number, 16);
    case ValueKind::Signed:
      return out.put_signed(static_cast<i64>(value.number), 16);
    case ValueKind::Hex:
      return out.put_hex(value.number, 16);
    case ValueKind::PageSize:
      return put_page_size(out, value.number);
    case ValueKind::Time:
      return out.put(fmt::format(" {}.{:09}", value.number / 1'000'000'000, value.number % 1'000'000'000));
    case ValueKind::Text: {
      const std::string text = printable(value.text);
      out.room(text.size() + kFieldRoom);
      out.put(' ');
      return out.put(text);
    }
    case ValueKind::None:
    case ValueKind::Code:
    case ValueKind::Stack:
    case ValueKind::Trace:
      break;
  }
}

std::vector<MachineField> machine_columns(std::span<const ScriptField> rows, MachineFormat format) {
  struct Placed {
    MachinePlace place;
    MachineField field;
  };
  std::vector<Placed> placed;
  for (const ScriptField& row : rows) {
    if (row.machine.place == MachinePlace::None || (row.machine.formats & format) == 0) continue;
    placed.push_back({row.machine.place,
                      {.title = row.machine.title.empty() ? row.name : row.machine.title,
                       .sample_bits = row.needs.sample_bits,
                       .kind = row.kind,
                       .number = row.number,
                       .value = row.value,
                       .of_tracepoints = row.machine.of_tracepoints}});
  }
  if (format == kCsvFormat) placed.push_back({MachinePlace::Stack, {.title = "stack", .kind = ValueKind::Stack}});
  std::ranges::stable_sort(placed, {}, &Placed::place);
  std::vector<MachineField> columns;
  for (const Placed& one : placed) columns.push_back(one.field);
  return columns;
}

}  // namespace peregrine
