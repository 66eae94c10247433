#include "symbol/expression/expression_machine.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace peregrine {
namespace {

// A machine where register n contains 100 * n, and the word at an address is the address + 1.
class NumberDomain {
 public:
  using Value = u64;
  using Stack = FixedStack<u64, kExpressionDepth>;

  u64 constant(u64 value) const { return value; }
  bool address(u64 address, u64& out) const {
    out = address;
    return true;
  }
  bool register_value(u64 reg, i64 offset, u64& out) const {
    out = 100 * reg + static_cast<u64>(offset);
    return true;
  }
  bool in_register(u64 reg, u64& out) const { return register_value(reg, 0, out); }
  bool dereference(u64& value, unsigned size) const {
    value = (value + 1) & (size == 8 ? ~u64{0} : (u64{1} << 8 * size) - 1);
    return true;
  }
  bool add(u64& value, u64 addend) const {
    value += addend;
    return true;
  }
  bool one(DwarfOperation operation, u64& value) const { return set(value, calculate(operation, value, 8)); }
  bool two(DwarfOperation operation, u64& left, u64 right) const {
    return set(left, calculate(operation, left, right, 8));
  }
  bool truth(u64 value, bool& out) const {
    out = value != 0;
    return true;
  }
  // Only supports a one-byte DW_OP_implicit_value, to show how operands are read.
  bool other(DwarfOperation operation, ExpressionMachine<NumberDomain>& machine) const {
    if (operation != DwarfOperation::ImplicitValue || machine.reader().get8() != 1) return false;
    return machine.push(machine.reader().get8());
  }

 private:
  static bool set(u64& value, std::optional<u64> result) {
    value = result.value_or(0);
    return result.has_value();
  }
};

struct Outcome {
  ExpressionEnd end;
  u64 value = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(std::vector<u8> bytes) {
  NumberDomain domain;
  ExpressionMachine<NumberDomain> machine(std::as_bytes(std::span(bytes)), ByteOrder::Little, 8, domain);
  const ExpressionEnd end = machine.run();
  return {end, end == ExpressionEnd::Finished ? machine.top() : 0};
}
Outcome result(u64 value) { return {ExpressionEnd::Finished, value}; }

TEST(ExpressionMachine, PushesConstantsRegistersAndAddresses) {
  EXPECT_EQ(run({0x3f}), result(15));                                    // lit15
  EXPECT_EQ(run({0x09, 0xff}), result(~u64{0}));                         // const1s -1
  EXPECT_EQ(run({0x0a, 0x34, 0x12}), result(0x1234));                    // const2u
  EXPECT_EQ(run({0x11, 0x7f}), result(~u64{0}));                         // consts -1
  EXPECT_EQ(run({0x53}), result(300));                                   // reg3
  EXPECT_EQ(run({0x73, 0x7c}), result(296));                             // breg3 -4
  EXPECT_EQ(run({0x92, 0x80, 0x01, 0x02}), result(12802));               // bregx 128 2
  EXPECT_EQ(run({0x03, 0x10, 0x20, 0, 0, 0, 0, 0, 0}), result(0x2010));  // addr
  EXPECT_EQ(run({0x9e, 0x01, 0x2a}), result(42)) << "an operation that the domain adds";
}

TEST(ExpressionMachine, MovesValuesOnTheStack) {
  EXPECT_EQ(run({0x31, 0x32, 0x12, 0x22}), result(4));              // 1 2, dup, plus
  EXPECT_EQ(run({0x31, 0x32, 0x13}), result(1));                    // drop
  EXPECT_EQ(run({0x35, 0x32, 0x14}), result(5));                    // over
  EXPECT_EQ(run({0x35, 0x32, 0x31, 0x15, 0x02}), result(5));        // pick 2
  EXPECT_EQ(run({0x35, 0x32, 0x16, 0x1c}), result(~u64{2}));        // 5 2, swap, minus: 2 - 5
  EXPECT_EQ(run({0x31, 0x32, 0x34, 0x17, 0x1c}), result(~u64{0}));  // 1 2 4, rot: 4 1 2, minus
}

TEST(ExpressionMachine, CalculatesAndReadsMemory) {
  EXPECT_EQ(run({0x31, 0x23, 0x80, 0x01}), result(129));           // plus_uconst 128
  EXPECT_EQ(run({0x3b, 0x3b, 0x2a, 0x33, 0x24}), result(8));       // (11 >= 11) << 3, as in a PLT
  EXPECT_EQ(run({0x09, 0xf8, 0x33, 0x1b}), result(~u64{1}));       // -8 / 3
  EXPECT_EQ(run({0x09, 0xf8, 0x19}), result(8));                   // abs(-8)
  EXPECT_EQ(run({0x35, 0x06}), result(6));                         // deref
  EXPECT_EQ(run({0x08, 0xff, 0x94, 0x01}), result(0));             // deref_size 1
  EXPECT_EQ(run({0x31, 0x30, 0x1b}).end, ExpressionEnd::Refused);  // 1 / 0
}

TEST(ExpressionMachine, Branches) {
  EXPECT_EQ(run({0x31, 0x28, 0x01, 0x00, 0x32, 0x33}), result(3));  // 1, bra over the 2
  EXPECT_EQ(run({0x30, 0x28, 0x01, 0x00, 0x32}), result(2));        // 0 does not branch
  EXPECT_EQ(run({0x31, 0x2f, 0x01, 0x00, 0x96}), result(1));        // skip over a nop, to the end
}

TEST(ExpressionMachine, EndsWhateverItRuns) {
  for (const std::vector<u8>& bytes : std::initializer_list<std::vector<u8>>{
           {},                          // no result
           {0x22},                      // plus on an empty stack
           {0x31, 0x22},                // plus with one operand
           {0x31, 0x16},                // swap with one operand
           {0x31, 0x15, 0x01},          // pick below the bottom
           {0x06},                      // deref on an empty stack
           {0x0a, 0x01},                // cut
           {0x31, 0x28, 0x01},          // a truncated branch
           {0x31, 0x2f, 0xfb, 0xff},    // skip to before the first byte
           {0x31, 0x2f, 0x01, 0x00},    // skip past the last byte
           {0x2f, 0xfd, 0xff},          // jumps to itself forever
           std::vector<u8>(100, 0x31),  // a full stack
       })
    EXPECT_EQ(run(bytes).end, ExpressionEnd::Malformed) << testing::PrintToString(bytes);
  EXPECT_EQ(run({0x93, 0x04}).end, ExpressionEnd::Refused) << "the domain has no pieces";
}

// 32-bit words: 0xffffffff is -1.
TEST(DwarfArithmetic, ComparesAndDividesWithTheWordsSign) {
  constexpr u64 kMinusOne = 0xffffffff;
  EXPECT_EQ(calculate(DwarfOperation::Less, kMinusOne, 1, 4), 1u);
  EXPECT_EQ(calculate(DwarfOperation::Less, kMinusOne, 1, 8), 0u);
  EXPECT_EQ(calculate(DwarfOperation::Divide, kMinusOne, 1, 4), ~u64{0});
  EXPECT_EQ(calculate(DwarfOperation::Modulo, kMinusOne, 16, 4), 15u);
  EXPECT_EQ(calculate(DwarfOperation::Modulo, 1, 0, 4), std::nullopt);
  EXPECT_EQ(calculate(DwarfOperation::ShiftRightSigned, kMinusOne, 8, 4), ~u64{0});
  EXPECT_EQ(calculate(DwarfOperation::ShiftRight, kMinusOne, 8, 4), 0xffffffu);
  EXPECT_EQ(calculate(DwarfOperation::ShiftLeft, 1, 64, 8), 0u);
  EXPECT_EQ(calculate(DwarfOperation::Divide, u64{1} << 63, ~u64{0}, 8), u64{1} << 63) << "overflow wraps";
}

}  // namespace
}  // namespace peregrine
