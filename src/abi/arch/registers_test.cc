#include "abi/arch/registers.h"

#include <gtest/gtest.h>

#include "abi/data_source.h"

namespace peregrine::abi {
namespace {

TEST(Registers, AreFoundByTheMachineNameOfARecording) {
  EXPECT_EQ(register_name(arch_of("x86_64"), 8), "IP");
  EXPECT_EQ(register_name(arch_of("i686"), 0), "AX");
  EXPECT_EQ(register_name(arch_of("aarch64"), 31), "sp");
  EXPECT_EQ(register_name(arch_of("armv7l"), 15), "pc");
  EXPECT_EQ(register_name(arch_of("riscv64"), 0), "pc");
  EXPECT_EQ(register_name(arch_of("ppc64le"), 32), "nip");
  EXPECT_EQ(register_name(arch_of("s390x"), 33), "PC");
  EXPECT_EQ(register_name(arch_of("vax"), 0), "");
  EXPECT_EQ(register_name(Arch::X86, 64), "");
}

TEST(Registers, ElfKnowsTheArchitectureToo) {
  EXPECT_EQ(arch_of_elf(62), Arch::X86);
  EXPECT_EQ(arch_of_elf(183), Arch::Arm64);
  EXPECT_EQ(arch_of_elf(1), Arch::Unknown);
}

TEST(Registers, NameTheirInstructionAndStackPointers) {
  for (const Arch arch : {Arch::X86, Arch::Arm, Arch::Arm64, Arch::Riscv, Arch::Powerpc, Arch::S390}) {
    const RegisterTable& table = register_table(arch);
    ASSERT_LT(table.ip, table.names.size());
    ASSERT_LT(table.sp, table.names.size());
    EXPECT_TRUE((table.default_mask >> table.ip & 1) != 0);
    EXPECT_TRUE((table.default_mask >> table.sp & 1) != 0);
  }
}

TEST(DataSource, IsCutIntoItsFields) {
  const DataSource source = decode_data_source(u64{2} | u64{0x42} << 5 | u64{2} << 19 | u64{1} << 24 | u64{0x0a} << 26 |
                                               u64{1} << 33 | u64{1} << 37 | u64{1} << 40);
  EXPECT_EQ(source.op, 2u);
  EXPECT_EQ(source.level, 0x42u);
  EXPECT_EQ(source.snoop, 2u);
  EXPECT_EQ(source.lock, 1u);
  EXPECT_EQ(source.tlb, 0x0au);
  EXPECT_EQ(source.level_number, 1u);
  EXPECT_TRUE(source.remote);
  EXPECT_EQ(source.blocked, 1u);
}

TEST(DataSource, MatchesTheTextOfLinuxPerf) {
  namespace level = access_level;
  namespace number = access_level_number;
  const auto told = [](DataSource source) { return level_text(source); };
  EXPECT_EQ(told({}), "N/A");
  EXPECT_EQ(told({.level = level::Hit | level::L3, .level_number = number::L1}), "L3 or L1 hit");
  EXPECT_EQ(told({.level = level::Hit | level::L1, .level_number = number::L3, .remote = true}), "Remote L1 or L3 hit");
  EXPECT_EQ(told({.level = level::Hit | level::L1, .level_number = number::AnyCache, .remote = true, .hops = 2}),
            "Remote node, same socket Any cache hit");
  EXPECT_EQ(told({.level = level::Miss, .hops = 1}), "core, same node  miss");
  EXPECT_EQ(snoop_text({.snoop = access_snoop::None, .snoop_extra = access_snoop::ExtraForward}), "None or Fwd");
  EXPECT_EQ(snoop_text({.snoop_extra = access_snoop::ExtraPeer}), "Peer");
  EXPECT_EQ(block_text({.blocked = access_blocked::NotAvailable | access_blocked::ByData}), " N/A");
  EXPECT_EQ(block_text({.blocked = access_blocked::ByAddress | access_blocked::ByData}), " Data Addr");
}

}  // namespace
}  // namespace peregrine::abi
