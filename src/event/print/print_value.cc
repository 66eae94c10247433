
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/print/print_format.h"
#include "event/print/print_program.h"

namespace peregrine {

namespace {

using Node = PrintNode::Kind;
using Op = PrintNode::Op;

u64 apply(Op op, u64 a, u64 b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return b == 0 ? 0 : a / b;
    case Op::Mod:
      return b == 0 ? 0 : a % b;
    case Op::Left:  // as on x86
      return a << (b & 63);
    case Op::Right:
      return a >> (b & 63);
    case Op::And:
      return a & b;
    case Op::Or:
      return a | b;
    case Op::Xor:
      return a ^ b;
    case Op::Both:
      return a != 0 && b != 0;
    case Op::Either:
      return a != 0 || b != 0;
    case Op::Eq:
      return a == b;
    case Op::Ne:
      return a != b;
    case Op::Lt:
      return a < b;
    case Op::Gt:
      return a > b;
    case Op::Le:
      return a <= b;
    case Op::Ge:
      return a >= b;
  }
  return 0;
}

// C's integer promotion of a signed number narrower than an int.
u64 promoted(u64 value, u32 size) { return size < 4 ? extend_sign(value, size) & 0xffff'ffff : value; }

// Whether the value of the node is a signed number that was promoted to an int.
bool is_promoted(const PrintFormat::Program& program, const PrintNode& node) {
  if (node.kind == Node::Element) return node.bytes < 4 && has_signed_elements(program, node);
  if (node.kind != Node::Field) return false;
  const TraceField& field = program.fields[node.field];
  return field.is_signed && field.size < 4;
}

u64 element(const PrintFormat::Program& program, const PrintNode& node, Bytes record) {
  const Bytes bytes = evaluate_bytes(program, node.a, record);
  const u64 index = evaluate(program, node.b, record);
  if (node.bytes == 0 || index > bytes.size() / node.bytes) return 0;
  const u64 value = load_number(bytes, index * node.bytes, node.bytes, program.order);
  return has_signed_elements(program, node) ? promoted(value, node.bytes) : value;
}

u64 seconds(u64 value, bool rest) {
  constexpr u64 kSecond = 1'000'000'000;
  return rest ? value % kSecond : value / kSecond;
}

}  // namespace

bool has_signed_elements(const PrintFormat::Program& program, const PrintNode& element) {
  const PrintNode& array = program.nodes[element.a];
  if (array.kind != Node::Field) return false;
  const TraceField& field = program.fields[array.field];
  return field.is_signed && field.element_size() == element.bytes;
}

u64 evaluate(const PrintFormat::Program& program, u32 index, Bytes record) {
  const PrintNode& node = program.nodes[index];
  const auto value_of = [&](u32 operand) { return evaluate(program, operand, record); };
  switch (node.kind) {
    case Node::Number:
      return node.value;
    case Node::Field: {
      const TraceField& field = program.fields[node.field];
      const u64 value = load_number(record, field.offset, field.size, program.order);
      return field.is_signed ? promoted(value, field.size) : value;
    }
    case Node::Element:
      return element(program, node, record);
    case Node::Cast: {
      const u64 value = value_of(node.a);
      if (node.bytes >= 8 && is_promoted(program, program.nodes[node.a])) return extend_sign(value, 4);
      return node.bytes == 0 || node.bytes >= 8 ? value : value & ((u64{1} << (8 * node.bytes)) - 1);
    }
    case Node::Negate:
      return ~value_of(node.a) + 1;
    case Node::Not:
      return value_of(node.a) == 0;
    case Node::Complement:
      return ~value_of(node.a);
    case Node::Binary:
      if (node.op == Op::Both && value_of(node.a) == 0) return 0;
      if (node.op == Op::Either && value_of(node.a) != 0) return 1;
      return apply(node.op, value_of(node.a), value_of(node.b));
    case Node::Ternary:
      return value_of(value_of(node.a) != 0 ? node.b : node.c);
    case Node::DynamicLength:
      return load_number(record, program.fields[node.field].offset, 4, program.order) >> 16;
    case Node::Seconds:
      return seconds(value_of(node.a), node.value != 0);
    case Node::Names:
      return value_of(node.a);
    case Node::Literal:
    case Node::Word:
    case Node::DynamicArray:
    case Node::Bits:
    case Node::Hex:
    case Node::Array:
    case Node::Address:
      break;
  }
  return 0;
}

Bytes evaluate_bytes(const PrintFormat::Program& program, u32 index, Bytes record) {
  const PrintNode& node = program.nodes[index];
  switch (node.kind) {
    case Node::Field:
    case Node::DynamicArray:
      return bytes_of(program.fields[node.field], record, program.order);
    case Node::Cast:
    case Node::Bits:
    case Node::Address:
      return evaluate_bytes(program, node.a, record);
    case Node::Ternary:
      return evaluate_bytes(program, evaluate(program, node.a, record) != 0 ? node.b : node.c, record);
    default:
      return {};
  }
}

}  // namespace peregrine
