#include "insn/objdump.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(Objdump, TakesInstructionsOutOfItsText) {
  const auto instructions = parse_objdump(
      "\nt:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n\n00000000000011f0 <work>:\n"
      "    11f0:\ttest   %rdi,%rdi\n    11f3:\tjle    1250 <work+0x60>\n"
      "    1208:\tmov    %rax,0x3231(%rip)        # 4440 <sink>\n    120f:\tcall   1030 <strlen@plt>\n"
      "    1214:\tret\n    1300:\tnop\n",
      0x1300);
  ASSERT_EQ(instructions.size(), 5u);
  EXPECT_EQ(instructions[0].mnemonic, "test");
  EXPECT_EQ(instructions[0].operands, "%rdi,%rdi");
  EXPECT_EQ(instructions[0].size, 3u);
  EXPECT_EQ(instructions[1].operands, "1250");
  EXPECT_EQ(instructions[1].target, 0x1250u);
  EXPECT_EQ(instructions[1].flow, Flow::Branch);
  EXPECT_EQ(instructions[2].operands, "%rax,0x3231(%rip)");
  EXPECT_EQ(instructions[2].data, 0x4440u);
  EXPECT_EQ(instructions[3].flow, Flow::Call);
  EXPECT_EQ(instructions[4].flow, Flow::Return);
  EXPECT_EQ(instructions[4].size, 0xecu);
}

TEST(Objdump, SurvivesAnyText) {
  for (const std::string_view text : {"", ":\t", "zz:\tnop", "10:\t", "20:\tnop\n10:\tnop\n", "10:\tx <", "10:\t # \n"})
    EXPECT_LE(parse_objdump(text, 0x1000).size(), 1u) << text;
}

TEST(Objdump, SaysWhichProgramIsNotThere) {
  const auto ran = run_objdump({.program = "/nowhere/objdump", .file = "/bin/true"});
  ASSERT_FALSE(ran);
  EXPECT_NE(ran.error().message.find("/nowhere/objdump"), std::string::npos);
}

}  // namespace
}  // namespace peregrine
