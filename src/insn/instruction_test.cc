#include "insn/instruction.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <utility>

namespace peregrine {
namespace {

TEST(Isa, IsFoundByTheMachineOfAnElfFile) {
  EXPECT_EQ(isa_of_elf(EM_X86_64, true), Isa::X86_64);
  EXPECT_EQ(isa_of_elf(EM_X86_64, false), Isa::X86_64) << "x32 has 64-bit code";
  EXPECT_EQ(isa_of_elf(EM_386, false), Isa::I386);
  EXPECT_EQ(isa_of_elf(EM_AARCH64, true), Isa::Arm64);
  EXPECT_EQ(isa_of_elf(EM_ARM, false), Isa::Arm);
  EXPECT_EQ(isa_of_elf(EM_MIPS, false), Isa::Mips);
  EXPECT_EQ(isa_of_elf(EM_MIPS, true), Isa::Mips64);
  EXPECT_EQ(isa_of_elf(EM_PPC, false), Isa::Ppc);
  EXPECT_EQ(isa_of_elf(EM_PPC64, true), Isa::Ppc64);
  EXPECT_EQ(isa_of_elf(EM_SPARC, false), Isa::Sparc);
  EXPECT_EQ(isa_of_elf(EM_SPARCV9, true), Isa::Sparc);
  EXPECT_EQ(isa_of_elf(EM_S390, true), Isa::S390);
  EXPECT_EQ(isa_of_elf(EM_BPF, true), Isa::Unknown);
  EXPECT_EQ(isa_of_elf(EM_NONE, true), Isa::Unknown);
}

TEST(Isa, IsFoundByTheNameThatTheKernelHasForTheMachine) {
  EXPECT_EQ(isa_of_arch("x86_64"), Isa::X86_64);
  EXPECT_EQ(isa_of_arch("i386"), Isa::I386);
  EXPECT_EQ(isa_of_arch("i686"), Isa::I386);
  EXPECT_EQ(isa_of_arch("aarch64"), Isa::Arm64);
  EXPECT_EQ(isa_of_arch("armv7l"), Isa::Arm);
  EXPECT_EQ(isa_of_arch("ppc64le"), Isa::Ppc64);
  EXPECT_EQ(isa_of_arch("s390x"), Isa::S390);
  EXPECT_EQ(isa_of_arch("riscv64"), Isa::Unknown);
  EXPECT_EQ(isa_of_arch(""), Isa::Unknown);
}

TEST(Isa, HasANameForMessages) {
  const std::pair<Isa, std::string_view> names[] = {
      {Isa::X86_64, "x86-64"}, {Isa::I386, "i386"},   {Isa::Arm64, "arm64"}, {Isa::Arm, "arm"},
      {Isa::Thumb, "arm"},     {Isa::Mips, "MIPS"},   {Isa::Mips64, "MIPS"}, {Isa::Ppc, "PowerPC"},
      {Isa::Ppc64, "PowerPC"}, {Isa::Sparc, "SPARC"}, {Isa::S390, "s390"},   {Isa::Unknown, "unknown"}};
  for (const auto& [isa, name] : names) EXPECT_EQ(isa_name(isa), name);
}

}  // namespace
}  // namespace peregrine
