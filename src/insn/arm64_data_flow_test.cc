#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"

namespace peregrine {
namespace {

class Arm64Flow : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = open_disassembler(Isa::Arm64);
    if (!opened) GTEST_SKIP() << opened.error().message;
    disassembler_ = std::move(*opened);
  }
  // `word`: the instruction in the manuals' notation.
  DataFlow flow_of(u32 word) {
    ByteWriter bytes(ByteOrder::Little);
    bytes.put32(word);
    DataFlow flow;
    EXPECT_TRUE(disassembler_->data_flow(bytes.bytes(), 0x1000, flow)) << word;
    return flow;
  }
  std::unique_ptr<Disassembler> disassembler_;
};

TEST_F(Arm64Flow, SumsOfConstantsKeepTheirSignAndShift) {
  const DataFlow minus = flow_of(0xd1004000);  // sub x0, x0, #16
  EXPECT_EQ(minus.carry, Carry::AddConstant);
  EXPECT_EQ(minus.value, -16);
  const DataFlow shifted = flow_of(0x91400441);  // add x1, x2, #1, lsl #12
  EXPECT_EQ(shifted.carry, Carry::AddConstant);
  EXPECT_EQ(shifted.to, 1);
  EXPECT_EQ(shifted.from, 2);
  EXPECT_EQ(shifted.value, 4096);
}

// Compilers build a constant with movz and movk, each of which sets a part.
TEST_F(Arm64Flow, MovkAddsAPart) {
  const DataFlow part = flow_of(0xf2c00020);  // movk x0, #1, lsl #32
  EXPECT_EQ(part.carry, Carry::AddConstant);
  EXPECT_EQ(part.from, 0);
  EXPECT_EQ(part.value, i64{1} << 32);
}

TEST_F(Arm64Flow, StoresStepTheStackPointerBeforeOrAfter) {
  const DataFlow before = flow_of(0xf81f0fe0);  // str x0, [sp, #-16]!
  ASSERT_TRUE(before.memory);
  EXPECT_EQ(before.carry, Carry::Nothing);
  EXPECT_EQ(before.memory->base, 31);
  EXPECT_EQ(before.memory->base_step, -16);
  EXPECT_FALSE(before.memory->stepped_after);
  EXPECT_EQ(before.memory->size, 8u);
  EXPECT_TRUE(before.uses_stack);
  EXPECT_EQ(before.written, u64{1} << 31);
  const DataFlow after = flow_of(0xf84107e0);  // ldr x0, [sp], #16
  ASSERT_TRUE(after.memory);
  EXPECT_EQ(after.carry, Carry::Load);
  EXPECT_EQ(after.memory->base_step, 16);
  EXPECT_TRUE(after.memory->stepped_after);
}

TEST_F(Arm64Flow, ADifferenceOfRegistersHasNoSecondRegister) {
  const DataFlow difference = flow_of(0xcb020020);  // sub x0, x1, x2
  EXPECT_EQ(difference.carry, Carry::AddRegister);
  EXPECT_EQ(difference.from, 1);
  EXPECT_EQ(difference.second, kNoRegister);
}

TEST_F(Arm64Flow, BranchesHaveATarget) {
  const DataFlow jump = flow_of(0x14000004);  // b
  EXPECT_EQ(jump.flow, Flow::Jump);
  EXPECT_EQ(jump.jump, 0x1010u);
  const DataFlow branch = flow_of(0x54000080);  // b.eq
  EXPECT_EQ(branch.flow, Flow::Branch);
  EXPECT_EQ(branch.jump, 0x1010u);
  EXPECT_EQ(flow_of(0xd503201f).flow, Flow::Next);  // nop
  DataFlow flow;
  EXPECT_FALSE(disassembler_->data_flow({}, 0x1000, flow));
}

}  // namespace
}  // namespace peregrine
