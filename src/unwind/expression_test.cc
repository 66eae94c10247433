// The operations that compilers use in call frame information, evaluated on a hand-made frame.
//
//   register 7 = 0x7000, the stack: 0x7000 → 0x1122334455667788, 0x7008 → 0x10;  memory of files: 0x5000 → 0x2a
#include "unwind/expression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace peregrine {
namespace {

using namespace std::string_view_literals;

constexpr u64 kTop = 0x7000, kInFile = 0x5000, kLoadBias = 0x100000;

class FileMemory final : public CodeLookup {
 public:
  CodeAt at(u64, PcKind) override { return {}; }
  u64 bias(u64) override { return kLoadBias; }
  bool read(u64 address, std::span<std::byte> out) override {
    if (address != kInFile) return false;
    std::ranges::fill(out, std::byte{0});
    out[0] = std::byte{0x2a};
    return true;
  }
};

class Expressions : public ::testing::Test {
 protected:
  Expressions() { registers.set(7, kTop); }

  ExpressionResult run(std::string_view bytes, std::optional<u64> initial = std::nullopt) {
    const StackMemory stack(kTop, stack_bytes, order, word_size, cut);
    const ExpressionContext context{registers, stack, files, 0x401000, order};
    return evaluate_expression(std::as_bytes(std::span(bytes)), initial, context);
  }
  // The resulting value; the evaluation must succeed.
  u64 value(std::string_view bytes, std::optional<u64> initial = std::nullopt) {
    const ExpressionResult result = run(bytes, initial);
    EXPECT_EQ(result.fault, ExpressionFault::None);
    return result.value;
  }

  FrameRegisters registers;
  FileMemory files;
  std::vector<std::byte> stack_bytes = [] {
    std::vector<std::byte> bytes(16);
    const u64 words[] = {0x1122334455667788, 0x10};
    std::memcpy(bytes.data(), words, sizeof words);
    return bytes;
  }();
  ByteOrder order = ByteOrder::Little;
  unsigned word_size = 8;
  bool cut = false;
};

TEST_F(Expressions, ConstantsHaveEveryWidthAndSign) {
  EXPECT_EQ(value("\x08\xff"sv), 0xffu);                                            // const1u
  EXPECT_EQ(value("\x09\xff"sv), ~u64{0});                                          // const1s
  EXPECT_EQ(value("\x0a\x34\x12"sv), 0x1234u);                                      // const2u
  EXPECT_EQ(value("\x0b\xfe\xff"sv), ~u64{1});                                      // const2s
  EXPECT_EQ(value("\x0c\x00\x00\x00\x80"sv), 0x80000000u);                          // const4u
  EXPECT_EQ(value("\x0d\x00\x00\x00\x80"sv), 0xffffffff80000000u);                  // const4s
  EXPECT_EQ(value("\x0e\x08\x07\x06\x05\x04\x03\x02\x01"sv), 0x0102030405060708u);  // const8u
  EXPECT_EQ(value("\x10\x80\x01"sv), 128u);                                         // constu
  EXPECT_EQ(value("\x11\x7f"sv), ~u64{0});                                          // consts
  EXPECT_EQ(value("\x4f"sv), 31u);                                                  // lit31
}

TEST_F(Expressions, StackOperationsMoveValues) {
  EXPECT_EQ(value("\x31\x32\x13"sv), 1u);              // 1 2 drop
  EXPECT_EQ(value("\x31\x32\x14"sv), 1u);              // 1 2 over
  EXPECT_EQ(value("\x35\x31\x32\x15\x02"sv), 5u);      // 5 1 2 pick 2
  EXPECT_EQ(value("\x33\x12\x22"sv), 6u);              // 3 dup +
  EXPECT_EQ(value("\x31\x32\x33\x17"sv), 2u);          // 1 2 3 rotate: 3 1 2
  EXPECT_EQ(value("\x31\x32\x33\x17\x13\x13"sv), 3u);  // the third became the first
}

TEST_F(Expressions, ArithmeticIsOfTheProgramsWords) {
  EXPECT_EQ(value("\x31\x1f"sv), ~u64{0});          // -1
  EXPECT_EQ(value("\x31\x1f\x19"sv), 1u);           // abs -1
  EXPECT_EQ(value("\x30\x20"sv), ~u64{0});          // ~0
  EXPECT_EQ(value("\x37\x35\x1a"sv), 5u);           // 7 & 5
  EXPECT_EQ(value("\x37\x35\x27"sv), 2u);           // 7 ^ 5
  EXPECT_EQ(value("\x38\x36\x21"sv), 14u);          // 8 | 6
  EXPECT_EQ(value("\x38\x35\x1d"sv), 3u);           // 8 % 5
  EXPECT_EQ(value("\x09\xf8\x32\x26"sv), ~u64{1});  // -8 >> 2, signed
  EXPECT_EQ(value("\x09\xf8\x08\x3e\x25"sv), 3u);   // -8 >> 62, unsigned
  EXPECT_EQ(value("\x36\x23\x80\x01"sv), 134u);     // 6 plus_uconst 128
  word_size = 4;
  EXPECT_EQ(value("\x31\x1f"sv), 0xffffffffu);
  EXPECT_EQ(value("\x0c\xff\xff\xff\xff\x30\x2d"sv), 1u) << "-1 < 0 in 32 bits";
}

TEST_F(Expressions, ComparisonsAreSigned) {
  EXPECT_EQ(value("\x31\x1f\x31\x2d"sv), 1u);  // -1 < 1
  EXPECT_EQ(value("\x31\x1f\x31\x2b"sv), 0u);  // -1 > 1
  EXPECT_EQ(value("\x32\x32\x2c"sv), 1u);      // 2 <= 2
  EXPECT_EQ(value("\x32\x33\x2e"sv), 1u);      // 2 != 3
}

TEST_F(Expressions, RegistersAreAddedToOffsets) {
  EXPECT_EQ(value("\x77\x08"sv), kTop + 8);       // breg7 8
  EXPECT_EQ(value("\x77\x78"sv), kTop - 8);       // breg7 -8
  EXPECT_EQ(value("\x92\x07\x10"sv), kTop + 16);  // bregx 7, 16
  EXPECT_EQ(run("\x73\x00"sv).fault, ExpressionFault::Memory) << "register 3 is not known";
  EXPECT_EQ(run("\x92\xff\x01\x00"sv).fault, ExpressionFault::Memory) << "and there is no register 255";
}

TEST_F(Expressions, StackMemoryIsReadInWordsAndParts) {
  EXPECT_EQ(value("\x77\x00\x06"sv), 0x1122334455667788u);  // *(r7)
  EXPECT_EQ(value("\x77\x00\x94\x01"sv), 0x88u);
  EXPECT_EQ(value("\x77\x00\x94\x02"sv), 0x7788u);
  EXPECT_EQ(value("\x77\x00\x94\x04"sv), 0x55667788u);
  EXPECT_EQ(run("\x77\x00\x94\x00"sv).fault, ExpressionFault::Malformed);
  EXPECT_EQ(run("\x77\x00\x94\x09"sv).fault, ExpressionFault::Malformed);
}

TEST_F(Expressions, PartsOfBigEndianWordsAreTheirFirstBytes) {
  order = ByteOrder::Big;
  stack_bytes.assign(8, std::byte{0});
  stack_bytes[0] = std::byte{0xab};
  EXPECT_EQ(value("\x77\x00\x94\x01"sv), 0xabu);
}

TEST_F(Expressions, OtherMemoryComesFromFiles) {
  EXPECT_EQ(value("\x0a\x00\x50\x06"sv), 0x2au);  // *0x5000
  order = ByteOrder::Big;
  EXPECT_EQ(value("\x0a\x50\x00\x06"sv), 0x2a00000000000000u);
  EXPECT_EQ(run("\x0a\x00\x60\x06"sv).fault, ExpressionFault::Memory);
}

TEST_F(Expressions, ACutStackIsNotBadMemory) {
  EXPECT_EQ(run("\x77\x80\x01\x06"sv).fault, ExpressionFault::Memory);  // *(r7 + 128)
  cut = true;
  EXPECT_EQ(run("\x77\x80\x01\x06"sv).fault, ExpressionFault::CutOff);
  EXPECT_EQ(run("\x77\x78\x06"sv).fault, ExpressionFault::Memory) << "below the stack pointer nothing was cut";
}

TEST_F(Expressions, AddressesInCodeAreMovedToWhereItIsLoaded) {
  EXPECT_EQ(value("\x03\x00\x10\x00\x00\x00\x00\x00\x00"sv), kLoadBias + 0x1000);
}

TEST_F(Expressions, TheCfaIsThereFromTheBeginning) {
  EXPECT_EQ(value("\x38\x1c"sv, 0x9000), 0x8ff8u);  // CFA 8 -
  EXPECT_EQ(value(""sv, 0x9000), 0x9000u);
}

TEST_F(Expressions, BranchesGoBothWays) {
  EXPECT_EQ(value("\x2f\x01\x00\x31\x32"sv, 9), 2u);          // skip over the 1
  EXPECT_EQ(value("\x30\x28\x01\x00\x31\x32\x22"sv, 9), 3u);  // 0: no branch; 1 2 +
  EXPECT_EQ(run("\x2f\x7f\x00"sv, 9).fault, ExpressionFault::Malformed) << "beyond the end";
  EXPECT_EQ(run("\x2f\xf0\xff"sv, 9).fault, ExpressionFault::Malformed) << "before the beginning";
}

TEST_F(Expressions, RejectsOperationsForVariablesOnly) {
  for (const std::string_view bytes : {"\x91\x00"sv, "\x9c"sv, "\x31\x9f"sv, "\x31\x93\x08"sv})
    EXPECT_EQ(run(bytes).fault, ExpressionFault::Malformed);
}

TEST_F(Expressions, CutOperandsAreMalformed) {
  for (const std::string_view bytes : {"\x08"sv, "\x0a\x01"sv, "\x0e\x01\x02"sv, "\x77"sv, "\x10\x80"sv, "\x31\x94"sv})
    EXPECT_EQ(run(bytes).fault, ExpressionFault::Malformed);
}

}  // namespace
}  // namespace peregrine
