// Blocks of real x86 code, and how they end.
#include "auxtrace/intel_pt/block.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "insn/instruction.h"
#include "support/perf_data_builder.h"

namespace peregrine::auxtrace {
namespace {

using support::from_hex;

class IntelPtBlock : public ::testing::Test {
 protected:
  static Block make(const char* hex, Isa isa = Isa::X86_64, unsigned limit = 64) {
    const auto disassembler = open_disassembler(isa);
    EXPECT_TRUE(disassembler);
    return make_block(**disassembler, from_hex(hex), 0x401000, limit);
  }
};

struct EndCase {
  const char* hex;  // after two nops
  Exit exit;
  i64 target = 0;  // from the block's start
};

TEST_F(IntelPtBlock, EndsAtTheFirstInstructionThatMayLeadElsewhere) {
  for (const auto& [hex, exit, target] : std::initializer_list<EndCase>{
           {"7405", Exit::Conditional, 2 + 2 + 5},          // je
           {"0f85fbffffff", Exit::Conditional, 2 + 6 - 5},  // jne
           {"e2fc", Exit::Conditional, 0},                  // loop
           {"e3fc", Exit::Conditional, 0},                  // jrcxz
           {"ebfe", Exit::Jump, 2},                         // jmp .
           {"e900010000", Exit::Jump, 2 + 5 + 0x100},       //
           {"f2e900010000", Exit::Jump, 2 + 6 + 0x100},     // bnd jmp
           {"e800000000", Exit::Call, 2 + 5},               //
           {"e8f4ffffff", Exit::Call, 2 + 5 - 12},          //
           {"ffe0", Exit::IndirectJump},                    // jmp *%rax
           {"3effe0", Exit::IndirectJump},                  // notrack jmp *%rax
           {"ff2500100000", Exit::IndirectJump},            // jmp *0x1000(%rip)
           {"ff28", Exit::IndirectJump},                    // ljmp *(%rax)
           {"ffd0", Exit::IndirectCall},                    // call *%rax
           {"ff1500100000", Exit::IndirectCall},            //
           {"ff18", Exit::IndirectCall},                    // lcall *(%rax)
           {"c3", Exit::Return},                            //
           {"f3c3", Exit::Return},                          // repz ret
           {"c20800", Exit::Return},                        // ret $8
           {"cb", Exit::Return},                            // lret
           {"0f05", Exit::Syscall},                         //
           {"0f34", Exit::Syscall},                         // sysenter
           {"0f01c1", Exit::Syscall},                       // vmcall
           {"480f07", Exit::SystemReturn},                  // sysretq
           {"0f07", Exit::SystemReturn},                    // sysretl
           {"0f35", Exit::SystemReturn},                    // sysexit
           {"0f01c2", Exit::SystemReturn},                  // vmlaunch
           {"cf", Exit::InterruptReturn},                   // iret
           {"48cf", Exit::InterruptReturn},                 // iretq
           {"cc", Exit::Interrupt},                         // int3
           {"cd80", Exit::Interrupt},                       //
           {"f1", Exit::Interrupt},                         // int1
       }) {
    const Block block = make((std::string("9090") + hex + "9090").c_str());
    EXPECT_EQ(block.exit, exit) << hex;
    EXPECT_EQ(block.target, target) << hex;
    EXPECT_EQ(block.instructions(), 3u) << hex;
    EXPECT_EQ(block.last_size, std::string_view(hex).size() / 2) << hex;
    EXPECT_EQ(block.size, 2u + block.last_size) << hex;
  }
}

// Aborts appear as separate packets rather than as branches; halting instructions stop until an interrupt.
TEST_F(IntelPtBlock, GoesOnBehindTransactionsAndPauses) {
  const Block block = make("c7f800000000f4f3900f01d5c6f8010f0bc3");  // xbegin, hlt, pause, xend, xabort, ud2
  EXPECT_EQ(block.exit, Exit::Return);
  EXPECT_EQ(block.instructions(), 7u);
}

TEST_F(IntelPtBlock, KnowsWhereItsInstructionsBegin) {
  const Block block = make("554889e55dc3");  // push %rbp; mov %rsp,%rbp; pop %rbp; ret
  EXPECT_EQ(block.starts, (std::vector<u16>{0, 1, 4, 5}));
  EXPECT_EQ(block.index_of(0), 0);
  EXPECT_EQ(block.index_of(4), 2);
  EXPECT_EQ(block.index_of(2), -1);
  EXPECT_EQ(block.index_of(6), -1);
  EXPECT_EQ(block.index_of(~u64{0}), -1);
}

TEST_F(IntelPtBlock, IsCutAtALimit) {
  const Block block = make("909090909090c3", Isa::X86_64, 4);
  EXPECT_EQ(block.exit, Exit::Next);
  EXPECT_EQ(block.instructions(), 4u);
  EXPECT_EQ(block.size, 4u);
}

TEST_F(IntelPtBlock, IsCutWhereTheBytesEnd) {
  EXPECT_EQ(make("").instructions(), 0u);
  EXPECT_EQ(make("48").instructions(), 0u);
  const Block block = make("9090e80000");  // a truncated call
  EXPECT_EQ(block.exit, Exit::Next);
  EXPECT_EQ(block.instructions(), 2u);
}

TEST_F(IntelPtBlock, EndsBeforeInvalidInstruction) {
  const Block bad = make("06909090909090909090909090909090");  // push %es, in 32-bit code only
  EXPECT_EQ(bad.exit, Exit::Bad);
  EXPECT_EQ(bad.instructions(), 0u);
  const Block before = make("900690909090909090909090909090909090");
  EXPECT_EQ(before.exit, Exit::Next);
  EXPECT_EQ(before.instructions(), 1u);
}

TEST_F(IntelPtBlock, ReadsCodeOf32Bits) {
  const Block block = make("06409a785634122300", Isa::I386);  // push %es; inc %eax; lcall $0x23,$0x12345678
  EXPECT_EQ(block.instructions(), 3u);
  EXPECT_NE(block.exit, Exit::Next);
  EXPECT_EQ(make("e8fbffffff", Isa::I386).target, 0);
}

// Any bytes give a block that stays within them.
TEST_F(IntelPtBlock, AnyBytesGiveABlockWithinThem) {
  const auto disassembler = open_disassembler(Isa::X86_64);
  ASSERT_TRUE(disassembler);
  std::vector<std::byte> bytes(40);
  u64 state = 1;
  for (int round = 0; round < 20000; ++round) {
    for (std::byte& byte : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<std::byte>(state >> 56);
    }
    const Bytes some = Bytes(bytes).first(state >> 32 & 31);
    const Block block = make_block(**disassembler, some, ~u64{0} - 7);
    ASSERT_LE(block.size, some.size());
    ASSERT_LE(block.last_size, block.size);
    ASSERT_EQ(block.instructions() == 0, block.size == 0);
    if (block.instructions() != 0) ASSERT_EQ(block.starts.back() + block.last_size, block.size);
  }
}

}  // namespace
}  // namespace peregrine::auxtrace
