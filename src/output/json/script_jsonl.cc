#include "output/json/script_jsonl.h"

#include <fmt/format.h>

#include <iterator>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/json/json_line.h"
#include "output/json/trace_fields_json.h"
#include "output/text/field/script_field.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

void append_frame(std::string& text, Resolver& resolver, FrameId id) {
  const Frame& frame = resolver.at(id);
  text += '{';
  JsonLine line(text);
  line.string("ip", fmt::format("{:#x}", frame.address));
  if (frame.symbol) {
    line.string("symbol", resolver.symbol_name(frame));
    line.number("offset", resolver.symbol_offset(frame));
  }
  if (frame.dso) line.string("dso", resolver.machine().dsos().at(frame.dso).name);
  text += '}';
}

void append_member(JsonLine& line, std::string& text, const MachineField& column, const FieldValue& value) {
  switch (column.kind) {
    case ValueKind::Unsigned:
    case ValueKind::PageSize:
      return line.number(column.title, value.number);
    case ValueKind::Signed:
      return line.number(column.title, static_cast<i64>(value.number));
    case ValueKind::Hex:
      return line.string(column.title, fmt::format("{:#x}", value.number));
    case ValueKind::Time:
      line.key(column.title);
      fmt::format_to(std::back_inserter(text), "{}.{:09}", value.number / 1'000'000'000, value.number % 1'000'000'000);
      return;
    case ValueKind::Text:
      return line.string(column.title, value.text);
    case ValueKind::None:
    case ValueKind::Code:
    case ValueKind::Stack:
    case ValueKind::Trace:
      break;
  }
}

}  // namespace

void JsonWriter::add_stack(const FieldSource& source) {
  const ReplaySample& replayed = source.replayed;
  const abi::Sample& sample = replayed.sample;
  Resolver& resolver = source.resolver;
  chain_.clear();
  if (source.event.callchain)
    resolver.chain(replayed.context, sample.callchain, replayed.unwound ? ~0u : max_stack_, chain_);
  else if (source.event.format == nullptr && (sample.fields & abi::sample_bit::Ip) != 0)
    chain_.push_back(resolver.frame(replayed.context, sample.ip, sample.cpumode()));
  if (chain_.empty()) return;
  JsonLine(text_).key("stack");
  text_ += '[';
  for (const FrameId frame : chain_) {
    if (text_.back() != '[') text_ += ',';
    append_frame(text_, resolver, frame);
  }
  text_ += ']';
}

// Members that are not one value follow the others, the call chain last.
void JsonWriter::put(ScriptText& out, const ScriptEvent& event, const ReplaySample& replayed, Resolver& resolver) {
  FieldSource source{event, replayed, resolver};
  text_.assign(1, '{');
  JsonLine line(text_);
  for (const MachineField& column : columns_) {
    if (!column.is_in(replayed.sample)) continue;
    if (event.format != nullptr && !column.of_tracepoints) continue;
    append_member(line, text_, column, field_value_of(column, source));
  }
  if (event.format != nullptr) append_trace_fields(text_, *event.traced, *event.format, replayed.sample.raw);
  add_stack(source);
  text_ += "}\n";
  out.room(text_.size());
  out.put(text_);
}

}  // namespace peregrine
