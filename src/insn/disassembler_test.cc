#include "insn/disassembler.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peregrine {
namespace {

std::vector<std::byte> bytes_of(std::string_view hex) {
  std::vector<std::byte> bytes;
  unsigned value = 0, digits = 0;
  for (const char c : hex) {
    if (c == ' ') continue;
    value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (++digits % 2 == 0) {
      bytes.push_back(std::byte(value));
      value = 0;
    }
  }
  return bytes;
}

Instruction decode(Isa isa, std::string_view hex, Syntax syntax = Syntax::Att, u64 address = 0x1000) {
  Instruction result;
  auto disassembler = open_disassembler(isa, syntax);
  if (!disassembler) {
    result.mnemonic = disassembler.error().message;
    return result;
  }
  const auto bytes = bytes_of(hex);
  EXPECT_TRUE((*disassembler)->decode(bytes, address, result));
  return result;
}
std::string text(Isa isa, std::string_view hex, Syntax syntax = Syntax::Att) {
  const Instruction instruction = decode(isa, hex, syntax);
  return instruction.mnemonic + (instruction.operands.empty() ? "" : " ") + instruction.operands;
}

class Disassembling : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Isa isa : {Isa::X86_64, Isa::Arm64})
      if (auto opened = open_disassembler(isa); !opened) GTEST_SKIP() << opened.error().message;
  }
};

// The output of `objdump -d` (binutils 2.40) for the same bytes.
TEST_F(Disassembling, WritesAttSyntaxAsBinutils) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"48 89 05 31 32 00 00", "mov %rax,0x3231(%rip)"},
      {"48 83 e7 f8", "and $0xfffffffffffffff8,%rdi"},
      {"c7 05 00 00 00 00 01 00 00 00", "movl $0x1,0x0(%rip)"},
      {"41 0f b6 c5", "movzbl %r13b,%eax"},
      {"49 63 04 07", "movslq (%r15,%rax,1),%rax"},
      {"49 bc 01 01 01 01 01 01 01 01", "movabs $0x101010101010101,%r12"},
      {"f3 48 ab", "rep stos %rax,%es:(%rdi)"},
      {"f3 c3", "repz ret"},
      {"66 90", "xchg %ax,%ax"},
      {"66 2e 0f 1f 84 00 00 00 00 00", "cs nopw 0x0(%rax,%rax,1)"},
      {"66 66 2e 0f 1f 84 00 00 00 00 00", "data16 cs nopw 0x0(%rax,%rax,1)"},
      {"64 48 8b 04 25 28 00 00 00", "mov %fs:0x28,%rax"},
      {"f0 0f b1 15 8f ea 1a 00", "lock cmpxchg %edx,0x1aea8f(%rip)"},
      {"d1 f8", "sar %eax"},
      {"d3 20", "shll %cl,(%rax)"},
      {"48 98", "cltq"},
      {"ff 25 00 10 00 00", "jmp *0x1000(%rip)"},
      {"3e ff e0", "notrack jmp *%rax"},
      {"f2 48 0f 2a 00", "cvtsi2sdq (%rax),%xmm0"},
      {"dd 45 08", "fldl 0x8(%rbp)"},
      {"de e9", "fsubrp %st,%st(1)"},
      {"9b d9 7c 24 02", "fstcw 0x2(%rsp)"},
      {"0f c2 c1 01", "cmpltps %xmm1,%xmm0"},
      {"62 f1 7d 48 6f 06", "vmovdqa32 (%rsi),%zmm0"},
      {"f3 0f 1e fa", "endbr64"},
  };
  for (const auto& [hex, expected] : cases) EXPECT_EQ(text(Isa::X86_64, hex), expected) << hex;
}

TEST_F(Disassembling, WritesIntelSyntaxAsBinutils) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"48 89 05 31 32 00 00", "mov QWORD PTR [rip+0x3231],rax"},
      {"48 8d 0c 52", "lea rcx,[rdx+rdx*2]"},
      {"c7 45 f8 01 00 00 00", "mov DWORD PTR [rbp-0x8],0x1"},
      {"41 0f b6 c5", "movzx eax,r13b"},
      {"f3 48 ab", "rep stos QWORD PTR es:[rdi],rax"},
      {"64 48 8b 04 25 28 00 00 00", "mov rax,QWORD PTR fs:0x28"},
      {"d1 f8", "sar eax,1"},
      {"48 8d 05 92 fe ff ff", "lea rax,[rip+0xfffffffffffffe92]"},
      {"48 98", "cdqe"},
  };
  for (const auto& [hex, expected] : cases) EXPECT_EQ(text(Isa::X86_64, hex, Syntax::Intel), expected) << hex;
}

TEST_F(Disassembling, ReadsI386) {
  EXPECT_EQ(text(Isa::I386, "65 a1 14 00 00 00"), "mov %gs:0x14,%eax");
  EXPECT_EQ(text(Isa::I386, "8d b4 26 00 00 00 00"), "lea 0x0(%esi,%eiz,1),%esi");
  EXPECT_EQ(text(Isa::I386, "40"), "inc %eax");
}

TEST_F(Disassembling, TellsWhereJumpsAndCallsLead) {
  const Instruction jump = decode(Isa::X86_64, "74 34");
  EXPECT_EQ(jump.flow, Flow::Branch);
  EXPECT_EQ(jump.target, 0x1036u);
  EXPECT_EQ(jump.operands, "1036");
  const Instruction call = decode(Isa::X86_64, "e8 fb ff ff ff");
  EXPECT_EQ(call.flow, Flow::Call);
  EXPECT_EQ(call.target, 0x1000u);
  EXPECT_EQ(decode(Isa::X86_64, "c3").flow, Flow::Return);
  EXPECT_FALSE(decode(Isa::X86_64, "ff e0").target.has_value());
  EXPECT_EQ(decode(Isa::X86_64, "48 8b 05 10 00 00 00").data, 0x1017u);
}

TEST_F(Disassembling, ReadsArm64) {
  EXPECT_EQ(text(Isa::Arm64, "fd 7b bf a9"), "stp x29, x30, [sp, #-0x10]!");
  const Instruction call = decode(Isa::Arm64, "02 00 00 94");
  EXPECT_EQ(call.flow, Flow::Call);
  EXPECT_EQ(call.operands, "1008");
  const Instruction branch = decode(Isa::Arm64, "40 00 00 b4");
  EXPECT_EQ(branch.flow, Flow::Branch);
  EXPECT_EQ(branch.mnemonic, "cbz");
  EXPECT_EQ(branch.operands, "x0, 1008");
  EXPECT_EQ(decode(Isa::Arm64, "c0 03 5f d6").flow, Flow::Return);
  EXPECT_EQ(decode(Isa::Arm64, "00 00 3f d6").flow, Flow::Call);
}

TEST_F(Disassembling, GoesOnBehindWhatIsNoInstruction) {
  const Instruction bad = decode(Isa::X86_64, "06 c3");
  EXPECT_FALSE(bad.valid);
  EXPECT_EQ(bad.size, 1u);
  EXPECT_EQ(bad.mnemonic, "(bad)");
  const Instruction cut = decode(Isa::X86_64, "48 8b 05 10");
  EXPECT_FALSE(cut.valid);
  const Instruction data = decode(Isa::Arm64, "ff ff ff ff");
  EXPECT_FALSE(data.valid);
  EXPECT_EQ(data.size, 4u);
}

TEST(Disassembler, SaysWhichInstructionSetItCannotRead) {
  const auto opened = open_disassembler(Isa::Unknown);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(opened.error().hint, "");
}

}  // namespace
}  // namespace peregrine
