// PrintProgram: a compiled print format: steps that each append text, and the expressions they print. Built by
// print_parser, evaluated by print_value, run by print_format.
//
// Expressions are nodes in one array and refer to operands by index (kNone: none). Operands precede the node that uses
// them, and depth is at most kMostDepth.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/print/print_names.h"
#include "event/print/print_number.h"

namespace peregrine {

struct PrintNode {
  enum class Kind : u8 {
    Number,         // value
    Field,          // field
    Element,        // a[b], elements of `bytes` bytes
    Cast,           // (type)a: truncated to `bytes`; 0: unchanged
    Negate,         // -a
    Not,            // !a
    Complement,     // ~a
    Binary,         // a `op` b
    Ternary,        // a ? b : c
    Literal,        // "text"
    Word,           // a name that the format does not define
    DynamicArray,   // the target of locator `field`
    DynamicLength,  // its length in bytes
    Bits,           // bitmap a; `value` 1: as a list, "0-3,5"
    Names,          // value a named by table `value`
    Hex,            // b bytes of a; `value` 1: separated by spaces
    Array,          // b numbers of a, `bytes` bytes each
    Seconds,        // a / 10^9; `value` 1: the remainder
    Address,        // a as a socket address
  };
  enum class Op : u8 { Add, Sub, Mul, Div, Mod, Left, Right, And, Or, Xor, Both, Either, Eq, Ne, Lt, Gt, Le, Ge };
  static constexpr u32 kNone = ~0u;

  Kind kind = Kind::Number;
  Op op = Op::Add;
  u8 bytes = 0;
  u16 depth = 1;
  u32 a = kNone, b = kNone, c = kNone;
  u32 field = 0;  // index into fields
  u64 value = 0;
  std::string text{};  // of a Literal or a Word
};

struct PrintStep {
  enum class Kind : u8 {
    Text,     // only the text before it
    Decimal,  // a field, "%u"
    Signed,   // "%d"
    Hex,      // "%lx", "%08x"
    Float,    // the bits of a floating-point number
    Chars,    // a plain character field, "%s"
    Number,
    String,
    Char,
    Pointer,  // %p
    Symbol,   // %pS, %ps
    Mac,
    Ip,
    SocketAddress,
    Uuid,
    HexBytes,  // %ph
    BitList,   // %*pbl
    BitGroups,
  };
  Kind kind = Kind::Text;
  u8 bytes = 0;  // size of the field or element that Decimal, Signed and Hex read
  u8 kept = 0;   // how many of these are printed
  char letter = 0;
  u32 node = PrintNode::kNone;
  u32 width = PrintNode::kNone, precision = PrintNode::kNone;  // given as arguments
  u32 offset = 0;                                              // of that field
  u32 length = 0;                                              // of Chars
  u32 text = 0, text_length = 0;                               // in texts: the text before it
  u32 mask_offset = 0;                                         // see TraceField: the word that marks a missing field
  u8 mask_bit = TraceField::kAlwaysAvailable;
  PrintSpec spec{};
  std::string how{};  // the text after a pointer's letter
};

struct PrintFormat::Program {
  static constexpr unsigned kMostDepth = 100;
  static constexpr std::size_t kMostNodes = 1u << 14;

  ByteOrder order = kHostOrder;
  u8 long_size = 8;
  std::vector<TraceField> fields;  // common ones first
  std::size_t own_fields = 0;      // where the event's own fields start
  std::vector<PrintNode> nodes;
  std::vector<PrintNames> tables;
  std::vector<PrintStep> steps;
  std::string texts;                             // text before and between all steps, then padding
  std::unordered_map<u64, std::string> strings;  // kernel strings, by address
  std::string complaint;
  // The node that prints the field as a bitmap; nullptr if none.
  const PrintNode* bitmap_of(std::string_view field) const;
  bool lists_bits = false;  // prints bitmaps as lists even where the format has words
};

// Whether an Element is of a field with signed elements.
bool has_signed_elements(const PrintFormat::Program& program, const PrintNode& element);
// Evaluates an expression in 64 bits. Operators are unsigned, as in linux-perf; signed fields narrower than int are
// promoted to int, as in the kernel.
u64 evaluate(const PrintFormat::Program& program, u32 node, Bytes record);
// The bytes of an expression: a field, or the target of a locator.
Bytes evaluate_bytes(const PrintFormat::Program& program, u32 node, Bytes record);

}  // namespace peregrine
