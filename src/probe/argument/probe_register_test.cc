#include <elf.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/types.h"
#include "probe/argument/dwarf_location.h"

namespace peregrine {
namespace {

// DWARF numbers the registers of x86-64 differently from their encoding: dx and cx come before bx.
TEST(ProbeRegister, HasTheKernelsNameForADwarfNumber) {
  EXPECT_EQ(probe_register(EM_X86_64, 0), "%ax");
  EXPECT_EQ(probe_register(EM_X86_64, 1), "%dx");
  EXPECT_EQ(probe_register(EM_X86_64, 3), "%bx");
  EXPECT_EQ(probe_register(EM_X86_64, 7), "%sp");
  EXPECT_EQ(probe_register(EM_386, 1), "%cx");
  EXPECT_EQ(probe_register(EM_386, 4), "%sp");
  EXPECT_EQ(probe_register(EM_AARCH64, 29), "%x29");
  EXPECT_EQ(probe_register(EM_AARCH64, 30), "%lr");
  EXPECT_EQ(probe_register(EM_ARM, 13), "%sp");
  EXPECT_EQ(probe_register(EM_RISCV, 10), "%a0");
  EXPECT_EQ(probe_register(EM_PPC64, 3), "%gpr3");
  EXPECT_EQ(probe_register(EM_S390, 15), "%r15");
}

TEST(ProbeRegister, HasNoNameBehindTheLastRegister) {
  const std::pair<u16, u64> counts[] = {{EM_X86_64, 16}, {EM_386, 8},    {EM_AARCH64, 32}, {EM_ARM, 16},
                                        {EM_RISCV, 32},  {EM_PPC64, 32}, {EM_S390, 16},    {EM_SPARCV9, 0}};
  for (const auto& [machine, count] : counts) {
    EXPECT_EQ(probe_register_count(machine), count) << machine;
    if (count != 0) EXPECT_NE(probe_register(machine, count - 1), "") << machine;
    EXPECT_EQ(probe_register(machine, count), "") << machine;
    EXPECT_EQ(probe_register(machine, ~u64{0}), "") << machine;
  }
}

TEST(UnreadableRegister, IsNamedForPeople) {
  EXPECT_EQ(unreadable_register(EM_X86_64, 17), "xmm0");
  EXPECT_EQ(unreadable_register(EM_X86_64, 32), "xmm15");
  EXPECT_EQ(unreadable_register(EM_X86_64, 33), "st0");
  EXPECT_EQ(unreadable_register(EM_X86_64, 41), "mm0");
  EXPECT_EQ(unreadable_register(EM_386, 21), "xmm0");
  EXPECT_EQ(unreadable_register(EM_AARCH64, 64), "v0");
  EXPECT_EQ(unreadable_register(EM_AARCH64, 127), "z31");
  EXPECT_EQ(unreadable_register(EM_ARM, 256), "d0");
  EXPECT_EQ(unreadable_register(EM_RISCV, 63), "f31");
}

TEST(UnreadableRegister, IsANumberWhereNoNameIsKnown) {
  EXPECT_EQ(unreadable_register(EM_X86_64, 16), "DWARF register 16");  // the return address
  EXPECT_EQ(unreadable_register(EM_X86_64, 49), "DWARF register 49");
  EXPECT_EQ(unreadable_register(EM_386, 19), "DWARF register 19");  // between the x87 stack and the vectors
  EXPECT_EQ(unreadable_register(EM_S390, 17), "DWARF register 17");
}

}  // namespace
}  // namespace peregrine
