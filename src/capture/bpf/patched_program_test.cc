#include "capture/bpf/patched_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>

namespace peregrine {
namespace {

constexpr i32 kFirstMark = 0x1eed0001, kSecondMark = 0x1eed0002;

bpf_insn move_of(i32 value, unsigned char to = BPF_REG_1) {
  bpf_insn code{};
  code.code = BPF_ALU64 | BPF_MOV | BPF_K;
  code.dst_reg = to & 15;
  code.imm = value;
  return code;
}

// The first half of a 64-bit load, for example of a map's address.
bpf_insn load_of(i32 value) {
  bpf_insn code{};
  code.code = BPF_LD | BPF_IMM | BPF_DW;
  code.imm = value;
  return code;
}

std::vector<i32> numbers_in(const std::vector<bpf_insn>& code) {
  std::vector<i32> numbers;
  for (const bpf_insn& instruction : code) numbers.push_back(instruction.imm);
  return numbers;
}

TEST(PatchedProgram, ReplacesEachMarkAndNothingElse) {
  const bpf_insn code[] = {move_of(5), move_of(kFirstMark, BPF_REG_2), move_of(kSecondMark), move_of(7)};
  const Patch patches[] = {{kSecondMark, -1}, {kFirstMark, 300}};
  const auto patched = patched_code(code, patches);
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ(numbers_in(*patched), (std::vector<i32>{5, 300, -1, 7}));
  EXPECT_EQ((*patched)[1].code, code[1].code);
  EXPECT_EQ((*patched)[1].dst_reg, BPF_REG_2);
  EXPECT_EQ(code[1].imm, kFirstMark) << "the original serves for the next copy";
}

TEST(PatchedProgram, CopiesAProgramWithoutMarks) {
  const bpf_insn code[] = {move_of(0)};
  const auto patched = patched_code(code, {});
  ASSERT_TRUE(patched);
  EXPECT_EQ(numbers_in(*patched), (std::vector<i32>{0}));
}

// An address may look like a mark; the compiler puts marks into 32-bit moves.
TEST(PatchedProgram, LeavesLoadsOf64BitsAlone) {
  const bpf_insn code[] = {load_of(kFirstMark), move_of(kFirstMark)};
  const Patch patch{kFirstMark, 9};
  const auto patched = patched_code(code, std::span(&patch, 1));
  ASSERT_TRUE(patched);
  EXPECT_EQ(numbers_in(*patched), (std::vector<i32>{kFirstMark, 9}));
}

TEST(PatchedProgram, RejectsAMarkThatDoesNotOccurExactlyOnce) {
  const Patch patch{kFirstMark, 9};
  struct Case {
    std::vector<bpf_insn> code;
    unsigned places;
  };
  for (const Case& each : {Case{{}, 0}, Case{{move_of(1)}, 0}, Case{{load_of(kFirstMark)}, 0},
                           Case{{move_of(kFirstMark), move_of(1), move_of(kFirstMark)}, 2}}) {
    const auto patched = patched_code(each.code, std::span(&patch, 1));
    ASSERT_FALSE(patched);
    EXPECT_EQ(patched.error().kind, ErrorKind::Unsupported);
    EXPECT_EQ(patched.error().message, fmt::format("a BPF program has {} places for a number", each.places));
  }
}

TEST(PatchedProgram, NoProgramMissesNoRuns) { EXPECT_EQ(missed_runs(-1), 0u); }

}  // namespace
}  // namespace peregrine
