#include "event/print/print_string.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/print/print_address.h"
#include "event/print/print_format.h"
#include "event/print/print_names.h"
#include "event/print/print_number.h"

namespace peregrine {

namespace {

using Node = PrintNode::Kind;

void put_field(TextBuffer& out, const PrintFormat::Program& program, const TraceField& field, const PrintSpec& spec,
               Bytes record) {
  const bool pointer = !field.is_array && field.size == program.long_size;
  if (!pointer) return put_text(out, spec, up_to_nul(bytes_of(field, record, program.order)));
  const u64 address = load_number(record, field.offset, field.size, program.order);
  if (const auto known = program.strings.find(address); known != program.strings.end())
    return put_text(out, spec, known->second);
  out.room(32);
  out.put_hex(address);
}

// Pads each piece separately, as linux-perf does.
void put_words(TextBuffer& out, const PrintNames& table, u64 value, const PrintSpec& spec) {
  if (spec.plain()) return table.put(out, value);
  PrintSpec piece = spec;
  table.each(value, [&](std::string_view text, bool is_word) {
    if (is_word) return put_text(out, piece, text);
    out.room(text.size());
    out.put(text);
  });
}

void put_array(TextBuffer& out, const PrintFormat::Program& program, const PrintNode& node, Bytes record) {
  const Bytes bytes = evaluate_bytes(program, node.a, record);
  if (node.bytes == 0) return;
  u64 count = bytes.size() / node.bytes;
  if (node.b != PrintNode::kNone) count = std::min(count, evaluate(program, node.b, record));
  for (u64 i = 0; i < count; ++i) {
    out.room(32);
    if (i > 0) out.put(' ');
    out.put_decimal(load_number(bytes, i * node.bytes, node.bytes, program.order));
  }
}

}  // namespace

void put_string(TextBuffer& out, const PrintFormat::Program& program, u32 index, const PrintSpec& spec, Bytes record) {
  const PrintNode& node = program.nodes[index];
  switch (node.kind) {
    case Node::Literal:
    case Node::Word:
      return put_text(out, spec, node.text);
    case Node::DynamicArray:
      return put_text(out, spec, up_to_nul(evaluate_bytes(program, index, record)));
    case Node::Field:
      return put_field(out, program, program.fields[node.field], spec, record);
    case Node::Cast:
      return put_string(out, program, node.a, spec, record);
    case Node::Ternary:
      return put_string(out, program, evaluate(program, node.a, record) != 0 ? node.b : node.c, spec, record);
    case Node::Names:
      return put_words(out, program.tables[node.value], evaluate(program, node.a, record), spec);
    case Node::Hex: {
      const Bytes bytes = evaluate_bytes(program, node.a, record);
      const u64 count = std::min<u64>(evaluate(program, node.b, record), bytes.size());
      return put_bytes(out, bytes.first(count), node.value != 0 ? " " : "");
    }
    case Node::Array:
      return put_array(out, program, node, record);
    case Node::Bits: {
      const Bytes bytes = evaluate_bytes(program, index, record);
      const auto put = node.value != 0 ? put_bit_list : put_bit_groups;
      return put(out, bytes, program.order, program.long_size, ~u64{0});
    }
    case Node::Address:
      return put_sockaddr(out, evaluate_bytes(program, index, record), 'I', "pc", program.order);
    case Node::Number:
      return put_text(out, spec, std::to_string(node.value));
    default:
      return;  // a number where text is expected
  }
}

}  // namespace peregrine
