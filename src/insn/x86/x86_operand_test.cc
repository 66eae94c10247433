// Operands of x86 instructions as printed by `objdump -d` of binutils 2.40, in AT&T and Intel syntax.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "insn/disassembler.h"

namespace peregrine {
namespace {

struct OperandCase {
  std::string_view bytes;  // in hex
  std::string_view att, intel;
};

class X86Operands : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto opened = open_disassembler(Isa::X86_64); !opened) GTEST_SKIP() << opened.error().message;
  }
  static std::string text(Isa isa, std::string_view hex, Syntax syntax) {
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 3)
      bytes.push_back(static_cast<std::byte>(std::stoul(std::string(hex.substr(at, 2)), nullptr, 16)));
    const auto disassembler = open_disassembler(isa, syntax);
    Instruction instruction;
    EXPECT_TRUE((*disassembler)->decode(bytes, 0x1000, instruction));
    EXPECT_EQ(instruction.size, bytes.size()) << hex;
    return instruction.mnemonic + (instruction.operands.empty() ? "" : " ") + instruction.operands;
  }
  static void expect(std::initializer_list<OperandCase> cases, Isa isa = Isa::X86_64) {
    for (const OperandCase& one : cases) {
      EXPECT_EQ(text(isa, one.bytes, Syntax::Att), one.att) << one.bytes;
      EXPECT_EQ(text(isa, one.bytes, Syntax::Intel), one.intel) << one.bytes;
    }
  }
};

// Both ends of a string instruction are shown, with the segment that a prefix may change.
TEST_F(X86Operands, OfStringInstructionsAreAllNamed) {
  expect({
      {"a4", "movsb %ds:(%rsi),%es:(%rdi)", "movs BYTE PTR es:[rdi],BYTE PTR ds:[rsi]"},
      {"66 a5", "movsw %ds:(%rsi),%es:(%rdi)", "movs WORD PTR es:[rdi],WORD PTR ds:[rsi]"},
      {"f3 48 a5", "rep movsq %ds:(%rsi),%es:(%rdi)", "rep movs QWORD PTR es:[rdi],QWORD PTR ds:[rsi]"},
      {"67 a4", "movsb %ds:(%esi),%es:(%edi)", "movs BYTE PTR es:[edi],BYTE PTR ds:[esi]"},
      {"a6", "cmpsb %es:(%rdi),%ds:(%rsi)", "cmps BYTE PTR ds:[rsi],BYTE PTR es:[rdi]"},
      {"f3 a6", "repz cmpsb %es:(%rdi),%ds:(%rsi)", "repz cmps BYTE PTR ds:[rsi],BYTE PTR es:[rdi]"},
      {"f2 ae", "repnz scas %es:(%rdi),%al", "repnz scas al,BYTE PTR es:[rdi]"},
      {"66 af", "scas %es:(%rdi),%ax", "scas ax,WORD PTR es:[rdi]"},
      {"ad", "lods %ds:(%rsi),%eax", "lods eax,DWORD PTR ds:[rsi]"},
      {"48 ad", "lods %ds:(%rsi),%rax", "lods rax,QWORD PTR ds:[rsi]"},
      {"64 ac", "lods %fs:(%rsi),%al", "lods al,BYTE PTR fs:[rsi]"},
      {"aa", "stos %al,%es:(%rdi)", "stos BYTE PTR es:[rdi],al"},
      {"6c", "insb (%dx),%es:(%rdi)", "ins BYTE PTR es:[rdi],dx"},
      {"6d", "insl (%dx),%es:(%rdi)", "ins DWORD PTR es:[rdi],dx"},
      {"6e", "outsb %ds:(%rsi),(%dx)", "outs dx,BYTE PTR ds:[rsi]"},
      {"6f", "outsl %ds:(%rsi),(%dx)", "outs dx,DWORD PTR ds:[rsi]"},
      {"d7", "xlat %ds:(%rbx)", "xlat BYTE PTR ds:[rbx]"},
      {"64 d7", "xlat %fs:(%rbx)", "xlat BYTE PTR fs:[rbx]"},
      {"67 d7", "xlat %ds:(%ebx)", "xlat BYTE PTR ds:[ebx]"},
  });
}

// AT&T syntax puts the port in parentheses, as if it were memory.
TEST_F(X86Operands, OfPortsAreInParentheses) {
  expect({
      {"e4 60", "in $0x60,%al", "in al,0x60"},
      {"ec", "in (%dx),%al", "in al,dx"},
      {"ed", "in (%dx),%eax", "in eax,dx"},
      {"e6 60", "out %al,$0x60", "out 0x60,al"},
      {"ee", "out %al,(%dx)", "out dx,al"},
      {"ef", "out %eax,(%dx)", "out dx,eax"},
  });
}

// The top of the stack is implied if an instruction has one operand, and shown if there is another.
TEST_F(X86Operands, OfX87InstructionsLeaveOutTheTopOfTheStack) {
  expect({
      {"d9 cb", "fxch %st(3)", "fxch st(3)"},
      {"d8 d2", "fcom %st(2)", "fcom st(2)"},
      {"dd e1", "fucom %st(1)", "fucom st(1)"},
      {"dd e9", "fucomp %st(1)", "fucomp st(1)"},
      {"de d9", "fcompp", "fcompp"},
      {"da e9", "fucompp", "fucompp"},
      {"d9 c1", "fld %st(1)", "fld st(1)"},
      {"dd d2", "fst %st(2)", "fst st(2)"},
      {"dd d9", "fstp %st(1)", "fstp st(1)"},
      {"d8 c1", "fadd %st(1),%st", "fadd st,st(1)"},
      {"dc c1", "fadd %st,%st(1)", "fadd st(1),st"},
      {"de c1", "faddp %st,%st(1)", "faddp st(1),st"},
      {"dc e2", "fsub %st,%st(2)", "fsubr st(2),st"},
      {"dc ea", "fsubr %st,%st(2)", "fsub st(2),st"},
      {"de fb", "fdivrp %st,%st(3)", "fdivp st(3),st"},
      {"d8 08", "fmuls (%rax)", "fmul DWORD PTR [rax]"},
      {"da c1", "fcmovb %st(1),%st", "fcmovb st,st(1)"},
      {"db e9", "fucomi %st(1),%st", "fucomi st,st(1)"},
      {"df f1", "fcomip %st(1),%st", "fcomip st,st(1)"},
      {"df e0", "fnstsw %ax", "fnstsw ax"},
      {"d9 3c 24", "fnstcw (%rsp)", "fnstcw WORD PTR [rsp]"},
      {"d9 34 24", "fnstenv (%rsp)", "fnstenv [rsp]"},
      {"df 20", "fbld (%rax)", "fbld TBYTE PTR [rax]"},
      {"df 18", "fistps (%rax)", "fistp WORD PTR [rax]"},
      {"df 38", "fistpll (%rax)", "fistp QWORD PTR [rax]"},
      {"db 08", "fisttpl (%rax)", "fisttp DWORD PTR [rax]"},
  });
}

TEST_F(X86Operands, OfIndirectBranchesHaveAStar) {
  expect({
      {"ff e0", "jmp *%rax", "jmp rax"},
      {"ff 20", "jmp *(%rax)", "jmp QWORD PTR [rax]"},
      {"ff 64 c8 08", "jmp *0x8(%rax,%rcx,8)", "jmp QWORD PTR [rax+rcx*8+0x8]"},
      {"ff d0", "call *%rax", "call rax"},
      {"64 ff 14 25 10 00 00 00", "call *%fs:0x10", "call QWORD PTR fs:0x10"},
      {"ff 28", "ljmp *(%rax)", "jmp FWORD PTR [rax]"},
      {"ff 18", "lcall *(%rax)", "call FWORD PTR [rax]"},
  });
}

TEST_F(X86Operands, OfReturnsAndPushesHaveAWidthInTheWord) {
  expect({
      {"c2 08 00", "ret $0x8", "ret 0x8"},
      {"cb", "lret", "retf"},
      {"ca 08 00", "lret $0x8", "retf 0x8"},
      {"48 cb", "lretq", "retfq"},
      {"cf", "iret", "iret"},
      {"48 cf", "iretq", "iretq"},
      {"0f 07", "sysretl", "sysretd"},
      {"48 0f 07", "sysretq", "sysretq"},
      {"0f 35", "sysexitl", "sysexitd"},
      {"48 0f 35", "sysexitq", "sysexitq"},
      {"6a 10", "push $0x10", "push 0x10"},
      {"66 6a 10", "pushw $0x10", "pushw 0x10"},
      {"66 6a ff", "pushw $0xffff", "pushw 0xffff"},
      {"66 68 34 12", "pushw $0x1234", "pushw 0x1234"},
      {"ff 30", "push (%rax)", "push QWORD PTR [rax]"},
      {"8f 00", "pop (%rax)", "pop QWORD PTR [rax]"},
      {"0f a0", "push %fs", "push fs"},
  });
}

// A sign-extended constant is shown in the width of the operand it is combined with.
TEST_F(X86Operands, ThatAreConstantsAreAsWideAsTheirPartner) {
  expect({
      {"6a ff", "push $0xffffffffffffffff", "push 0xffffffffffffffff"},
      {"48 83 c0 ff", "add $0xffffffffffffffff,%rax", "add rax,0xffffffffffffffff"},
      {"83 c0 ff", "add $0xffffffff,%eax", "add eax,0xffffffff"},
      {"66 83 c0 ff", "add $0xffff,%ax", "add ax,0xffff"},
      {"04 ff", "add $0xff,%al", "add al,0xff"},
      {"48 83 ec 80", "sub $0xffffffffffffff80,%rsp", "sub rsp,0xffffffffffffff80"},
      {"83 e4 f0", "and $0xfffffff0,%esp", "and esp,0xfffffff0"},
      {"66 83 38 ff", "cmpw $0xffff,(%rax)", "cmp WORD PTR [rax],0xffff"},
      {"c6 00 ff", "movb $0xff,(%rax)", "mov BYTE PTR [rax],0xff"},
      {"66 c7 00 ff ff", "movw $0xffff,(%rax)", "mov WORD PTR [rax],0xffff"},
      {"48 c7 00 ff ff ff ff", "movq $0xffffffffffffffff,(%rax)", "mov QWORD PTR [rax],0xffffffffffffffff"},
      {"83 d1 80", "adc $0xffffff80,%ecx", "adc ecx,0xffffff80"},
      {"48 b8 88 77 66 55 44 33 22 11", "movabs $0x1122334455667788,%rax", "movabs rax,0x1122334455667788"},
      {"c8 10 00 02", "enter $0x10,$0x2", "enter 0x10,0x2"},
      {"cd 80", "int $0x80", "int 0x80"},
  });
}

TEST_F(X86Operands, ThatAreMemoryHaveBaseIndexAndSegment) {
  expect({
      {"a0 88 77 66 55 44 33 22 11", "movabs 0x1122334455667788,%al", "movabs al,ds:0x1122334455667788"},
      {"a3 88 77 66 55 44 33 22 11", "movabs %eax,0x1122334455667788", "movabs ds:0x1122334455667788,eax"},
      {"8b 04 25 10 00 00 00", "mov 0x10,%eax", "mov eax,DWORD PTR ds:0x10"},
      {"64 8b 00", "mov %fs:(%rax),%eax", "mov eax,DWORD PTR fs:[rax]"},
      {"65 8b 04 85 10 00 00 00", "mov %gs:0x10(,%rax,4),%eax", "mov eax,DWORD PTR gs:[rax*4+0x10]"},
      {"2e 8b 00", "cs mov (%rax),%eax", "cs mov eax,DWORD PTR [rax]"},
      {"48 8b 04 24", "mov (%rsp),%rax", "mov rax,QWORD PTR [rsp]"},
      {"49 8b 04 24", "mov (%r12),%rax", "mov rax,QWORD PTR [r12]"},
      {"49 8b 45 00", "mov 0x0(%r13),%rax", "mov rax,QWORD PTR [r13+0x0]"},
      {"48 8b 04 45 00 00 00 00", "mov 0x0(,%rax,2),%rax", "mov rax,QWORD PTR [rax*2+0x0]"},
      {"48 8b 45 f8", "mov -0x8(%rbp),%rax", "mov rax,QWORD PTR [rbp-0x8]"},
      {"48 8b 05 00 f0 ff ff", "mov -0x1000(%rip),%rax", "mov rax,QWORD PTR [rip+0xfffffffffffff000]"},
      {"67 8b 40 10", "mov 0x10(%eax),%eax", "mov eax,DWORD PTR [eax+0x10]"},
      {"67 48 8d 05 10 00 00 00", "lea 0x10(%eip),%rax", "lea rax,[eip+0x10]"},
  });
}

TEST_F(X86Operands, ThatAreShiftCountsOfOneAreImpliedInAttSyntax) {
  expect({
      {"d1 e0", "shl %eax", "shl eax,1"},
      {"c1 e0 04", "shl $0x4,%eax", "shl eax,0x4"},
      {"0f a4 c3 03", "shld $0x3,%eax,%ebx", "shld ebx,eax,0x3"},
      {"0f a5 c3", "shld %cl,%eax,%ebx", "shld ebx,eax,cl"},
      {"48 d3 c0", "rol %cl,%rax", "rol rax,cl"},
      {"c1 18 05", "rcrl $0x5,(%rax)", "rcr DWORD PTR [rax],0x5"},
  });
}

// Control, debug and segment registers, descriptor tables, and instructions that wait for memory writes.
TEST_F(X86Operands, OfTheKernelHaveTheNamesOfBinutils) {
  expect({
      {"0f 20 d8", "mov %cr3,%rax", "mov rax,cr3"},
      {"0f 22 c0", "mov %rax,%cr0", "mov cr0,rax"},
      {"0f 21 f8", "mov %db7,%rax", "mov rax,dr7"},
      {"0f 23 c8", "mov %rax,%db1", "mov dr1,rax"},
      {"66 8c d8", "mov %ds,%ax", "mov ax,ds"},
      {"8e d0", "mov %eax,%ss", "mov ss,eax"},
      {"66 8e d0", "mov %ax,%ss", "mov ss,ax"},
      {"48 8e d0", "mov %rax,%ss", "mov ss,rax"},
      {"8e 10", "mov (%rax),%ss", "mov ss,WORD PTR [rax]"},
      {"8c 18", "mov %ds,(%rax)", "mov WORD PTR [rax],ds"},
      {"0f 01 10", "lgdt (%rax)", "lgdt [rax]"},
      {"0f 01 00", "sgdt (%rax)", "sgdt [rax]"},
      {"0f 01 58 10", "lidt 0x10(%rax)", "lidt [rax+0x10]"},
      {"66 0f 38 82 18", "invpcid (%rax),%rbx", "invpcid rbx,[rax]"},
      {"0f 01 c8", "monitor %rax,%ecx,%edx", "monitor"},
      {"0f 01 c9", "mwait %eax,%ecx", "mwait"},
      {"0f 01 fa", "monitorx %rax,%ecx,%edx", "monitorx"},
      {"0f 01 fb", "mwaitx %eax,%ecx,%ebx", "mwaitx"},
      {"0f 01 38", "invlpg (%rax)", "invlpg BYTE PTR [rax]"},
      {"0f ae 38", "clflush (%rax)", "clflush BYTE PTR [rax]"},
      {"66 0f ae 30", "clwb (%rax)", "clwb BYTE PTR [rax]"},
      {"48 0f c7 20", "xsavec64 (%rax)", "xsavec64 [rax]"},
      {"0f 78 c3", "vmread %rax,%rbx", "vmread rbx,rax"},
  });
}

TEST_F(X86Operands, OfCompareAndExchangeTellTheirSize) {
  expect({
      {"f0 48 0f c7 08", "lock cmpxchg16b (%rax)", "lock cmpxchg16b OWORD PTR [rax]"},
      {"0f c7 08", "cmpxchg8b (%rax)", "cmpxchg8b QWORD PTR [rax]"},
      {"f0 0f c1 03", "lock xadd %eax,(%rbx)", "lock xadd DWORD PTR [rbx],eax"},
      {"87 03", "xchg %eax,(%rbx)", "xchg DWORD PTR [rbx],eax"},
      {"f2 f0 ff 00", "xacquire lock incl (%rax)", "xacquire lock inc DWORD PTR [rax]"},
  });
}

// These use %xmm0 implicitly, without a field for it.
TEST_F(X86Operands, ThatTheEncodingImpliesAreShown) {
  expect({
      {"66 0f 38 14 08", "blendvps %xmm0,(%rax),%xmm1", "blendvps xmm1,XMMWORD PTR [rax],xmm0"},
      {"66 0f 38 10 d1", "pblendvb %xmm0,%xmm1,%xmm2", "pblendvb xmm2,xmm1,xmm0"},
      {"66 0f 38 15 d1", "blendvpd %xmm0,%xmm1,%xmm2", "blendvpd xmm2,xmm1,xmm0"},
      {"0f 38 cb d1", "sha256rnds2 %xmm0,%xmm1,%xmm2", "sha256rnds2 xmm2,xmm1,xmm0"},
      {"c4 e3 6d 4a d9 00", "vblendvps %ymm0,%ymm1,%ymm2,%ymm3", "vblendvps ymm3,ymm2,ymm1,ymm0"},
  });
}

TEST_F(X86Operands, OfConversionsThatNarrowHaveTheSizeOfMemoryInTheWord) {
  expect({
      {"c5 f9 5a 08", "vcvtpd2psx (%rax),%xmm1", "vcvtpd2ps xmm1,XMMWORD PTR [rax]"},
      {"c5 fd 5a 08", "vcvtpd2psy (%rax),%xmm1", "vcvtpd2ps xmm1,YMMWORD PTR [rax]"},
      {"c5 fd 5a c8", "vcvtpd2ps %ymm0,%xmm1", "vcvtpd2ps xmm1,ymm0"},
      {"c5 fb e6 08", "vcvtpd2dqx (%rax),%xmm1", "vcvtpd2dq xmm1,XMMWORD PTR [rax]"},
      {"c5 fd e6 08", "vcvttpd2dqy (%rax),%xmm1", "vcvttpd2dq xmm1,YMMWORD PTR [rax]"},
      {"62 f1 fd 48 5a 08", "vcvtpd2ps (%rax),%ymm1", "vcvtpd2ps ymm1,ZMMWORD PTR [rax]"},
      {"62 f1 fc 08 5b 08", "vcvtqq2psx (%rax),%xmm1", "vcvtqq2ps xmm1,XMMWORD PTR [rax]"},
      {"62 f1 fc 28 78 08", "vcvttpd2udqy (%rax),%xmm1", "vcvttpd2udq xmm1,YMMWORD PTR [rax]"},
  });
}

TEST_F(X86Operands, MayBeMaskedAndRepeated) {
  expect({
      {"62 f1 7f 49 7f 00", "vmovdqu8 %zmm0,(%rax){%k1}", "vmovdqu8 ZMMWORD PTR [rax]{k1},zmm0"},
      {"62 f1 f5 c9 58 d0", "vaddpd %zmm0,%zmm1,%zmm2{%k1}{z}", "vaddpd zmm2{k1}{z},zmm1,zmm0"},
      {"62 f1 f5 58 58 10", "vaddpd (%rax){1to8},%zmm1,%zmm2", "vaddpd zmm2,zmm1,QWORD BCST [rax]"},
      {"62 f1 74 59 58 10", "vaddps (%rax){1to16},%zmm1,%zmm2{%k1}", "vaddps zmm2{k1},zmm1,DWORD BCST [rax]"},
      {"62 f1 74 18 58 10", "vaddps (%rax){1to4},%xmm1,%xmm2", "vaddps xmm2,xmm1,DWORD BCST [rax]"},
      {"62 f1 fd 58 5a 08", "vcvtpd2ps (%rax){1to8},%ymm1", "vcvtpd2ps ymm1,QWORD BCST [rax]"},
      {"62 f1 fd 18 5a 08", "vcvtpd2ps (%rax){1to2},%xmm1", "vcvtpd2ps xmm1,QWORD BCST [rax]{1to2}"},
      {"62 f1 fd 38 5a 08", "vcvtpd2ps (%rax){1to4},%xmm1", "vcvtpd2ps xmm1,QWORD BCST [rax]{1to4}"},
      {"62 f3 fd 58 00 08 03", "vpermq $0x3,(%rax){1to8},%zmm1", "vpermq zmm1,QWORD BCST [rax],0x3"},
      {"62 f3 fd 58 25 08 03", "vpternlogq $0x3,(%rax){1to8},%zmm0,%zmm1", "vpternlogq zmm1,zmm0,QWORD BCST [rax],0x3"},
      {"62 f1 7d 58 66 08", "vpcmpgtd (%rax){1to16},%zmm0,%k1", "vpcmpgtd k1,zmm0,DWORD BCST [rax]"},
      {"62 f1 74 48 58 50 01", "vaddps 0x40(%rax),%zmm1,%zmm2", "vaddps zmm2,zmm1,ZMMWORD PTR [rax+0x40]"},
      {"62 f2 7d 49 a0 04 88", "vpscatterdd %zmm0,(%rax,%zmm1,4){%k1}", "vpscatterdd DWORD PTR [rax+zmm1*4]{k1},zmm0"},
      {"c4 e2 7d 92 14 88", "vgatherdps %ymm0,(%rax,%ymm1,4),%ymm2", "vgatherdps ymm2,DWORD PTR [rax+ymm1*4],ymm0"},
  });
}

// AT&T syntax puts the rounding mode after constants and general registers, Intel syntax after the last register.
TEST_F(X86Operands, MayBeRounded) {
  expect({
      {"62 f1 74 18 58 d0", "vaddps {rn-sae},%zmm0,%zmm1,%zmm2", "vaddps zmm2,zmm1,zmm0{rn-sae}"},
      {"62 f1 f7 78 58 d0", "vaddsd {rz-sae},%xmm0,%xmm1,%xmm2", "vaddsd xmm2,xmm1,xmm0{rz-sae}"},
      {"62 f1 7c da 51 c8", "vsqrtps {ru-sae},%zmm0,%zmm1{%k2}{z}", "vsqrtps zmm1{k2}{z},zmm0{ru-sae}"},
      {"62 f1 74 18 c2 c8 01", "vcmpltps {sae},%zmm0,%zmm1,%k1", "vcmpltps k1,zmm1,zmm0{sae}"},
      {"62 f1 fd 18 2f c8", "vcomisd {sae},%xmm0,%xmm1", "vcomisd xmm1,xmm0{sae}"},
      {"62 f1 ff 18 2c c0", "vcvttsd2si {sae},%xmm0,%rax", "vcvttsd2si rax,xmm0{sae}"},
      {"62 f1 ff 38 2d c0", "vcvtsd2si {rd-sae},%xmm0,%rax", "vcvtsd2si rax,xmm0{rd-sae}"},
      {"62 f1 ff 38 2a c8", "vcvtsi2sd %rax,{rd-sae},%xmm0,%xmm1", "vcvtsi2sd xmm1,xmm0,rax{rd-sae}"},
      {"62 f1 7e 18 7b c8", "vcvtusi2ss %eax,{rn-sae},%xmm0,%xmm1", "vcvtusi2ss xmm1,xmm0,eax{rn-sae}"},
      {"62 f3 7d 18 08 c8 04", "vrndscaleps $0x4,{sae},%zmm0,%zmm1", "vrndscaleps zmm1,zmm0{sae},0x4"},
      {"62 f3 fd 19 26 c8 03", "vgetmantpd $0x3,{sae},%zmm0,%zmm1{%k1}", "vgetmantpd zmm1{k1},zmm0{sae},0x3"},
      {"62 f1 74 18 5f d0", "vmaxps {sae},%zmm0,%zmm1,%zmm2", "vmaxps zmm2,zmm1,zmm0{sae}"},
      {"62 f3 7d 48 08 c8 04", "vrndscaleps $0x4,%zmm0,%zmm1", "vrndscaleps zmm1,zmm0,0x4"},
  });
}

TEST_F(X86Operands, OfVectorInstructionsAreInOneOrderOrTheOther) {
  expect({
      {"66 48 0f 3a 22 c0 01", "pinsrq $0x1,%rax,%xmm0", "pinsrq xmm0,rax,0x1"},
      {"0f c6 08 e4", "shufps $0xe4,(%rax),%xmm1", "shufps xmm1,XMMWORD PTR [rax],0xe4"},
      {"c4 e2 f9 f7 0b", "shlx %rax,(%rbx),%rcx", "shlx rcx,QWORD PTR [rbx],rax"},
      {"c4 e3 79 22 c8 02", "vpinsrd $0x2,%eax,%xmm0,%xmm1", "vpinsrd xmm1,xmm0,eax,0x2"},
      {"c5 f3 c2 d0 1e", "vcmpgt_oqsd %xmm0,%xmm1,%xmm2", "vcmpgt_oqsd xmm2,xmm1,xmm0"},
      {"62 f3 75 4a 3e c8 01", "vpcmpltub %zmm0,%zmm1,%k1{%k2}", "vpcmpltub k1{k2},zmm1,zmm0"},
      {"c4 e3 f9 32 d1 03", "kshiftlw $0x3,%k1,%k2", "kshiftlw k2,k1,0x3"},
      {"66 0f 78 c0 02 01", "extrq $0x1,$0x2,%xmm0", "extrq xmm0,0x2,0x1"},
      {"f2 48 0f 38 f1 c8", "crc32 %rax,%rcx", "crc32 rcx,rax"},
  });
}

TEST_F(X86Operands, OfThirtyTwoBitProgramsHaveShorterRegisters) {
  expect(
      {
          {"d7", "xlat %ds:(%ebx)", "xlat BYTE PTR ds:[ebx]"},
          {"0f 01 c8", "monitor %eax,%ecx,%edx", "monitor"},
          {"0f 21 f8", "mov %db7,%eax", "mov eax,dr7"},
          {"0f 35", "sysexit", "sysexit"},
          {"66 6a 10", "pushw $0x10", "pushw 0x10"},
          {"ea 34 12 00 00 10 00", "ljmp $0x10,$0x1234", "jmp 0x10:0x1234"},
          {"9a 34 12 00 00 10 00", "lcall $0x10,$0x1234", "call 0x10:0x1234"},
          {"c5 18", "lds (%eax),%ebx", "lds ebx,FWORD PTR [eax]"},
          {"f3 ab", "rep stos %eax,%es:(%edi)", "rep stos DWORD PTR es:[edi],eax"},
      },
      Isa::I386);
}

TEST_F(X86Operands, ThatAreTargetsWrapInThirtyTwoBits) {
  const auto disassembler = open_disassembler(Isa::I386);
  const std::byte jump[] = {std::byte{0xeb}, std::byte{0xf0}};  // 16 bytes back from the next instruction
  Instruction instruction;
  ASSERT_TRUE((*disassembler)->decode(jump, 4, instruction));
  EXPECT_EQ(instruction.target, 0xfffffff6u);
  EXPECT_EQ(instruction.operands, "fffffff6");
}

TEST_F(X86Operands, OfAnyBytesAreWritten) {
  std::mt19937 random(1);
  for (const Isa isa : {Isa::X86_64, Isa::I386}) {
    for (const Syntax syntax : {Syntax::Att, Syntax::Intel}) {
      const auto disassembler = open_disassembler(isa, syntax);
      std::array<std::byte, 15> bytes{};
      for (int round = 0; round < 20'000; ++round) {
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
        if (round % 4 == 0) bytes[0] = std::byte{0x62};  // most of these have vectors, masks and rounding modes
        Instruction instruction;
        ASSERT_TRUE((*disassembler)->decode(bytes, 0x1000, instruction));
        ASSERT_GE(instruction.size, 1u);
        ASSERT_LE(instruction.size, bytes.size());
        ASSERT_FALSE(instruction.mnemonic.empty());
        ASSERT_EQ(instruction.operands.find("%%"), std::string::npos) << instruction.operands;
      }
    }
  }
}

}  // namespace
}  // namespace peregrine
