// PrintProgram: what a print format is compiled to: steps that each append a piece of text, and the expressions whose
// values they print. print_parser makes it, print_value reads values with it, print_format runs it.
//
// Expressions are nodes in one array that name their operands by index; kNone: no operand. Operands stand before the
// node that uses them, and no expression is deeper than kMostDepth.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "event/print/print_format.h"
#include "event/print/print_number.h"

namespace peregrine {

struct PrintNode {
  enum class Kind : u8 {
    Number,         // value
    Field,          // field
    Element,        // a[b], of `bytes` bytes each
    Cast,           // (type)a: cut to `bytes`; 0: as it is
    Negate,         // -a
    Not,            // !a
    Complement,     // ~a
    Binary,         // a `op` b
    Ternary,        // a ? b : c
    Literal,        // "text"
    Word,           // a name that the format does not explain
    DynamicArray,   // what the locator `field` points at
    DynamicLength,  // its length in bytes
    Bits,           // a as a bitmap; `value` 1: as a list, "0-3,5"
    Names,          // value a in the words of table `value`
    Hex,            // bytes of a, b of them; `value` is 1 with blanks between them
    Array,          // b numbers of a, of `bytes` bytes each
    Seconds,        // a / 10^9; the rest with `value` 1
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
    Text,     // nothing but the text before it
    Decimal,  // a field as it is, "%u"
    Signed,   // "%d"
    Hex,      // "%lx", "%08x"
    Chars,    // a field of characters as it is, "%s"
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
  u8 bytes = 0;  // of the field, or element of one, that Decimal, Signed and Hex read
  u8 kept = 0;   // of those, how many are printed
  char letter = 0;
  u32 node = PrintNode::kNone;
  u32 width = PrintNode::kNone, precision = PrintNode::kNone;  // given as arguments
  u32 offset = 0;                                              // of that field
  u32 length = 0;                                              // of Chars
  u32 text = 0, text_length = 0;                               // in texts: what stands before it
  u32 mask_offset = 0;  // of TraceField: where the record says that it lacks the field
  u8 mask_bit = TraceField::kAlwaysAvailable;
  PrintSpec spec{};
  std::string how{};  // what follows the letter of a pointer
};

struct PrintFormat::Program {
  static constexpr unsigned kMostDepth = 100;
  static constexpr std::size_t kMostNodes = 1u << 14;

  ByteOrder order = kHostOrder;
  u8 long_size = 8;
  std::vector<TraceField> fields;  // common ones first
  std::size_t own_fields = 0;      // where the others start
  std::vector<PrintNode> nodes;
  std::vector<PrintNames> tables;
  std::vector<PrintStep> steps;
  std::string texts;                             // before and between all steps; followed by padding
  std::unordered_map<u64, std::string> strings;  // of the kernel, by address
  std::string complaint;
  // The node that shows the field as a bitmap; nullptr: it is none.
  const PrintNode* bitmap_of(std::string_view field) const;
  bool lists_bits = false;  // bitmaps are lists, also where the format has them as words
};

// Whether an Element is one of a field whose elements have a sign.
bool has_signed_elements(const PrintFormat::Program& program, const PrintNode& element);
// The value of an expression in 64 bits. Operators know no sign, as in linux-perf; signed fields narrower than an int
// are promoted to one, as in the kernel.
u64 evaluate(const PrintFormat::Program& program, u32 node, Bytes record);
// The bytes that an expression stands for: a field, what a locator points at.
Bytes evaluate_bytes(const PrintFormat::Program& program, u32 node, Bytes record);

}  // namespace peregrine
