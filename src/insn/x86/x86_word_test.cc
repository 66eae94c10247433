#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "insn/data_flow.h"
#include "insn/disassembler.h"

namespace peregrine {
namespace {

// "mnemonic operands" for bytes such as "48 98" at address 0x1000.
std::string x86_text(std::string_view hex, Syntax syntax) {
  auto disassembler = open_disassembler(Isa::X86_64, syntax);
  if (!disassembler) return disassembler.error().message;
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 3)
    bytes.push_back(static_cast<std::byte>(std::stoul(std::string(hex.substr(at, 2)), nullptr, 16)));
  Instruction instruction;
  if (!(*disassembler)->decode(bytes, 0x1000, instruction)) return "nothing";
  EXPECT_EQ(instruction.size, bytes.size()) << hex;
  return instruction.mnemonic + (instruction.operands.empty() ? "" : " ") + instruction.operands;
}

class X86Words : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto opened = open_disassembler(Isa::X86_64); !opened) GTEST_SKIP() << opened.error().message;
  }
  static void expect(Syntax syntax, std::initializer_list<std::pair<std::string_view, std::string_view>> cases) {
    for (const auto& [hex, expected] : cases) EXPECT_EQ(x86_text(hex, syntax), expected) << hex;
  }
};

// If no register implies the size, a letter gives it: byte, word, long or quad.
TEST_F(X86Words, HaveASuffixInAttSyntaxWhereMemoryHasNoSize) {
  expect(Syntax::Att, {{"80 38 01", "cmpb $0x1,(%rax)"},
                       {"66 83 38 01", "cmpw $0x1,(%rax)"},
                       {"83 38 01", "cmpl $0x1,(%rax)"},
                       {"48 83 38 01", "cmpq $0x1,(%rax)"},
                       {"f7 18", "negl (%rax)"},
                       {"ff 00", "incl (%rax)"},
                       {"d1 20", "shll (%rax)"},
                       {"01 08", "add %ecx,(%rax)"},
                       {"48 8b 00", "mov (%rax),%rax"}});
}

TEST_F(X86Words, NameBothSizesOfAnExtension) {
  expect(Syntax::Att, {{"0f b6 00", "movzbl (%rax),%eax"},
                       {"0f b7 c0", "movzwl %ax,%eax"},
                       {"48 0f be c0", "movsbq %al,%rax"},
                       {"48 63 c0", "movslq %eax,%rax"}});
  expect(Syntax::Intel, {{"0f b6 00", "movzx eax,BYTE PTR [rax]"}, {"48 0f be c0", "movsx rax,al"}});
}

// The letters give the number's format: single, long (double), ten bytes; for integers short, long, quad.
TEST_F(X86Words, TellTheFormatOfX87Numbers) {
  expect(Syntax::Att, {{"d9 00", "flds (%rax)"},
                       {"dd 00", "fldl (%rax)"},
                       {"db 28", "fldt (%rax)"},
                       {"df 00", "filds (%rax)"},
                       {"db 00", "fildl (%rax)"},
                       {"df 28", "fildll (%rax)"}});
}

TEST_F(X86Words, HaveTheNamesThatBinutilsChose) {
  expect(Syntax::Att, {{"66 98", "cbtw"},
                       {"98", "cwtl"},
                       {"48 98", "cltq"},
                       {"99", "cltd"},
                       {"48 99", "cqto"},
                       {"0f 94 c0", "sete %al"},
                       {"0f 4f c2", "cmovg %edx,%eax"},
                       {"0f 87 00 00 00 00", "ja 1006"},
                       {"75 fe", "jne 1000"}});
  expect(Syntax::Intel, {{"98", "cwde"}, {"48 99", "cqo"}, {"0f 45 c2", "cmovne eax,edx"}});
}

TEST_F(X86Words, HaveThePredicateOfAComparisonInIt) {
  expect(Syntax::Att, {{"f2 0f c2 c1 00", "cmpeqsd %xmm1,%xmm0"},
                       {"66 0f c2 c1 06", "cmpnlepd %xmm1,%xmm0"},
                       {"0f c2 c1 07", "cmpordps %xmm1,%xmm0"},
                       {"0f c2 c1 08", "cmpps $0x8,%xmm1,%xmm0"},
                       {"66 0f 3a 44 c1 11", "pclmulhqhqdq %xmm1,%xmm0"}});
  expect(Syntax::Intel, {{"f2 0f c2 c1 00", "cmpeqsd xmm0,xmm1"}});
}

TEST_F(X86Words, NameTheSizeOfMemoryInIntelSyntax) {
  expect(Syntax::Intel, {{"80 38 01", "cmp BYTE PTR [rax],0x1"},
                         {"66 83 38 01", "cmp WORD PTR [rax],0x1"},
                         {"f7 18", "neg DWORD PTR [rax]"},
                         {"d9 00", "fld DWORD PTR [rax]"},
                         {"66 0f 6f 00", "movdqa xmm0,XMMWORD PTR [rax]"},
                         {"c5 fd 6f 00", "vmovdqa ymm0,YMMWORD PTR [rax]"}});
}

TEST_F(X86Words, OfInstructionsWithoutOperandsStandAlone) {
  for (const Syntax syntax : {Syntax::Att, Syntax::Intel})
    expect(syntax,
           {{"90", "nop"}, {"cc", "int3"}, {"0f 05", "syscall"}, {"0f 0b", "ud2"}, {"f4", "hlt"}, {"c9", "leave"}});
}

// How values flow through pushes, pops and sums.
TEST_F(X86Words, OfStackInstructionsHaveSteps) {
  auto disassembler = open_disassembler(Isa::X86_64);
  ASSERT_TRUE(disassembler);
  const auto flow_of = [&](std::initializer_list<u8> code) {
    DataFlow flow;
    EXPECT_TRUE((*disassembler)->data_flow(std::as_bytes(std::span(code.begin(), code.size())), 0x1000, flow));
    return flow;
  };
  EXPECT_EQ(flow_of({0x55}).stack_step, -8);        // push %rbp
  EXPECT_EQ(flow_of({0x66, 0x50}).stack_step, -2);  // push %ax
  const DataFlow pop = flow_of({0x5d});             // pop %rbp
  EXPECT_EQ(pop.stack_step, 8);
  EXPECT_EQ(pop.written, u64{1} << 6 | u64{1} << 7);
  EXPECT_TRUE(flow_of({0xc9}).uses_stack);  // leave
  EXPECT_EQ(flow_of({0xc9}).stack_step, 0);
  const DataFlow minus = flow_of({0x48, 0x29, 0xd8});  // sub %rbx,%rax
  EXPECT_EQ(minus.carry, Carry::AddRegister);
  EXPECT_EQ(minus.second, kNoRegister) << "a difference is no sum";
}

TEST_F(X86Words, OfConstantsKeepTheirSignAsTheRegisterDoes) {
  auto disassembler = open_disassembler(Isa::X86_64);
  ASSERT_TRUE(disassembler);
  const u8 wide[] = {0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff};  // mov $-1,%rax
  const u8 narrow[] = {0xb8, 0xff, 0xff, 0xff, 0xff};            // mov $0xffffffff,%eax
  DataFlow flow;
  ASSERT_TRUE((*disassembler)->data_flow(std::as_bytes(std::span(wide)), 0x1000, flow));
  EXPECT_EQ(flow.value, -1);
  ASSERT_TRUE((*disassembler)->data_flow(std::as_bytes(std::span(narrow)), 0x1000, flow));
  EXPECT_EQ(flow.carry, Carry::Constant);
  EXPECT_EQ(flow.value, i64{0xffffffff}) << "the upper half is cleared";
}

}  // namespace
}  // namespace peregrine
