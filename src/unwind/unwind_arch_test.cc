#include "unwind/unwind_arch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "abi/sample.h"
#include "unwind/branch_chain.h"

namespace peregrine {
namespace {

TEST(UnwindArch, IsChosenByTheAbiOfTheSample) {
  EXPECT_EQ(unwind_arch(abi::Arch::X86, 2)->word_size, 8u);
  EXPECT_EQ(unwind_arch(abi::Arch::X86, 1)->word_size, 4u) << "a 32-bit program on x86-64";
  EXPECT_EQ(unwind_arch(abi::Arch::Arm64, 2)->link_register, 30);
  EXPECT_EQ(unwind_arch(abi::Arch::X86, 0), nullptr) << "no registers were recorded";
  EXPECT_EQ(unwind_arch(abi::Arch::Arm64, 1), nullptr);
}

// perf orders registers differently from DWARF; both tables name the same registers.
TEST(UnwindArch, StackAndPcHaveTheNamesThatPerfGivesThem) {
  const UnwindArch& wide = *unwind_arch(abi::Arch::X86, 2);
  EXPECT_EQ(abi::register_name(abi::Arch::X86, wide.perf_numbers[wide.stack_register]), "SP");
  EXPECT_EQ(abi::register_name(abi::Arch::X86, wide.perf_numbers[wide.frame_register]), "BP");
  EXPECT_EQ(abi::register_name(abi::Arch::X86, wide.perf_pc), "IP");
  const UnwindArch& narrow = *unwind_arch(abi::Arch::X86, 1);
  EXPECT_EQ(abi::register_name(abi::Arch::X86, narrow.perf_numbers[narrow.stack_register]), "SP");
  EXPECT_EQ(abi::register_name(abi::Arch::X86, narrow.perf_numbers[narrow.frame_register]), "BP");
  const UnwindArch& arm = *unwind_arch(abi::Arch::Arm64, 2);
  EXPECT_EQ(abi::register_name(abi::Arch::Arm64, arm.perf_numbers[arm.link_register]), "lr");
}

TEST(UnwindArch, EachRegisterHasOneNumber) {
  for (const auto& [arch, registers_abi] :
       {std::pair(abi::Arch::X86, 2), std::pair(abi::Arch::X86, 1), std::pair(abi::Arch::Arm64, 2)}) {
    const UnwindArch& tables = *unwind_arch(arch, static_cast<u64>(registers_abi));
    std::vector<u8> numbers(tables.perf_numbers.begin(), tables.perf_numbers.end());
    std::ranges::sort(numbers);
    EXPECT_TRUE(std::ranges::adjacent_find(numbers) == numbers.end());
    EXPECT_LT(tables.stack_register, tables.perf_numbers.size());
    EXPECT_LE(tables.signal_registers.size(), tables.perf_numbers.size());
  }
}

TEST(BranchCallers, AreTheNewestCallsTargetAndTheSourcesOfAll) {
  const abi::BranchEntry calls[] = {{.from = 0x2010, .to = 0x3000}, {.from = 0x1010, .to = 0x2000}};
  std::vector<u64> chain{0x3008};
  append_branch_callers(calls, chain);
  EXPECT_EQ(chain, (std::vector<u64>{0x3008, 0x3000, 0x2010, 0x1010}));
  append_branch_callers({}, chain);
  EXPECT_EQ(chain.size(), 4u);
}

}  // namespace
}  // namespace peregrine
