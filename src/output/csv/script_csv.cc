#include "output/csv/script_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/csv/csv_text.h"
#include "output/text/field/script_field.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/kernel_names.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

std::string script_csv_titles(std::span<const ScriptField> rows) {
  std::string titles;
  for (const MachineField& column : machine_columns(rows, kCsvFormat)) {
    if (!titles.empty()) titles += ',';
    titles += column.title;
  }
  return titles + '\n';
}

void CsvWriter::add_stack(const FieldSource& source) {
  if (!source.event.callchain) return;
  const ReplaySample& replayed = source.replayed;
  Resolver& resolver = source.resolver;
  chain_.clear();
  resolver.chain(replayed.context, replayed.sample.callchain, replayed.unwound ? ~0u : max_stack_, chain_);
  stack_.clear();
  for (std::size_t at = chain_.size(); at-- > 0;) {
    const Frame& frame = resolver.at(chain_[at]);
    std::string name(frame.symbol ? resolver.symbol_name(frame) : std::string_view("[unknown]"));
    if (!frame.symbol && frame.dso) name = fmt::format("[{}]", resolver.machine().dsos().at(frame.dso).short_name);
    std::ranges::replace(name, ';', ':');
    if (!stack_.empty()) stack_ += ';';
    stack_ += name;
  }
  text_ += csv_field(stack_);
}

void CsvWriter::add_trace(const FieldSource& source) {
  const Bytes raw = source.replayed.sample.raw;
  if (source.event.format == nullptr || raw.empty()) return;
  trace_.clear();
  KernelNames kernel(source.resolver, source.replayed.context);
  source.event.format->print(trace_, raw, &kernel);
  text_ += csv_field(trace_.view());
}

void CsvWriter::add(const MachineField& column, FieldSource& source) {
  if (column.kind == ValueKind::Stack) return add_stack(source);
  if (column.kind == ValueKind::Trace) return add_trace(source);
  if (!column.is_in(source.replayed.sample)) return;
  const FieldValue value = field_value_of(column, source);
  const auto end = std::back_inserter(text_);
  switch (column.kind) {
    case ValueKind::Unsigned:
    case ValueKind::PageSize:
      fmt::format_to(end, "{}", value.number);
      break;
    case ValueKind::Signed:
      fmt::format_to(end, "{}", static_cast<i64>(value.number));
      break;
    case ValueKind::Hex:
    case ValueKind::Code:
      fmt::format_to(end, "{:#x}", value.number);
      break;
    case ValueKind::Time:
      fmt::format_to(end, "{}.{:09}", value.number / 1'000'000'000, value.number % 1'000'000'000);
      break;
    case ValueKind::Text:
      text_ += csv_field(value.text);
      break;
    case ValueKind::None:
    case ValueKind::Stack:
    case ValueKind::Trace:
      break;
  }
}

void CsvWriter::put(ScriptText& out, const ScriptEvent& event, const ReplaySample& replayed, Resolver& resolver) {
  FieldSource source{event, replayed, resolver};
  text_.clear();
  for (const MachineField& column : columns_) {
    if (&column != columns_.data()) text_ += ',';
    add(column, source);
  }
  text_ += '\n';
  out.room(text_.size());
  out.put(text_);
}

}  // namespace peregrine
