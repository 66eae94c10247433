#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "abi/sample.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "output/text/field/script_plan.h"
#include "support/resolved_program.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;
using support::SampleLines;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr u64 kStart = ResolvedProgram::kMapped;

// 0  push %rbp │ 1  mov %rsp,%rbp │ 4  jmp 8 │ 6  nop, nop │ 8  je 0 │ a  ret
constexpr std::string_view kLoop("\x55\x48\x89\xe5\xeb\x02\x90\x90\x74\xf6\xc3", 11);

TEST(BranchStack, EntriesAreAddressesAndFlagsFromTheNewestOn) {
  const abi::BranchEntry entries[] = {
      {.from = kStart + 8, .to = kStart, .cycles = 3, .type = 1, .predicted = true},
      {.from = kStart + 4, .to = 0x700000, .type = 6, .mispredicted = true, .in_transaction = true, .abort = true},
      {}};
  SampleLines lines;
  lines.sample.branches = entries;
  EXPECT_EQ(lines.print("brstack"),
            " 0x401008/0x401000/P/-/-/3/COND  0x401004/0x700000/M/X/A/0/RET  0x0/0x0/-/-/-/0/ \n");
  lines.sample.branches = {};
  EXPECT_EQ(lines.print("brstack"), "\n");
}

TEST(BranchStack, EndsAreAddressesSymbolsOrOffsets) {
  const abi::BranchEntry entries[] = {{.from = kStart + 8, .to = 0x700000, .predicted = true}};
  SampleLines lines;
  lines.sample.branches = entries;
  const std::string dso = "(" + lines.program.file() + ")", none = "([unknown])";
  EXPECT_EQ(lines.print("brstacksym"), "outer+0x8/[unknown]/P/-/-/0/ \n");
  EXPECT_EQ(lines.print("brstackoff"), " 0x1008/0x700000/P/-/-/0/ \n");
  EXPECT_EQ(lines.print("brstack,dso"), " 0x401008" + dso + "/0x700000" + none + "/P/-/-/0/ \n");
  EXPECT_EQ(lines.print("brstacksym,dso"), "outer+0x8" + dso + "/[unknown]" + none + "/P/-/-/0/ \n");
  EXPECT_EQ(lines.print("brstackoff,dso"), " 0x1008" + dso + "/0x700000" + none + "/P/-/-/0/ \n");
  EXPECT_EQ(lines.print("brstack,brstacksym,brstackoff"), lines.print("brstack")) << "one form, in the table's order";
}

// The loop ran from 4 to 8 and back to its start, and was sampled at 1.
class BranchCode : public ::testing::Test {
 protected:
  BranchCode() {
    entries = {{.from = kStart + 8, .to = kStart}, {.from = kStart + 4, .to = kStart + 8}};
    lines.sample.ip = kStart + 1;
  }
  void SetUp() override {
    if (const auto opened = open_disassembler(Isa::X86_64); !opened) GTEST_SKIP() << opened.error().message;
  }
  std::string print(std::string_view words = "brstackinsn") {
    lines.sample.branches = entries;
    return lines.print(words);
  }
  SampleLines lines{kLoop};
  std::vector<abi::BranchEntry> entries;
};

TEST_F(BranchCode, IsEachBlockAndTheBranchAfterIt) {
  entries[0].mispredicted = true;
  entries[0].cycles = 5;
  entries[1].predicted = true;
  EXPECT_EQ(print(),
            "\n"
            "\touter+4:\n"
            "\t0000000000401004\tinsn: eb 02                   \t# PRED\n"
            "\t0000000000401008\tinsn: 74 f6                   \t# MISPRED 5 cycles [5] 0.20 IPC\n"
            "\t0000000000401000\tinsn: 55 \n"
            "\t0000000000401001\tinsn: 48 89 e5 \n"
            "\n");
}

TEST_F(BranchCode, CyclesAreSummedAndRatesAreOfTheBlock) {
  entries = {{.from = kStart + 4, .to = kStart + 8, .cycles = 4},
             {.from = kStart + 8, .to = kStart, .cycles = 2},
             {.from = kStart + 4, .to = kStart + 8, .cycles = 7}};
  lines.sample.ip = kStart + 8;
  const std::string text = print();
  EXPECT_THAT(text, HasSubstr("401004\tinsn: eb 02                   \t# 7 cycles [7]\n")) << "its block is not known";
  EXPECT_THAT(text, HasSubstr("401008\tinsn: 74 f6                   \t# 2 cycles [9] 0.50 IPC\n"));
  EXPECT_THAT(text, HasSubstr("401004\tinsn: eb 02                   \t# 4 cycles [13] 0.75 IPC\n"));
}

TEST_F(BranchCode, MayBeMnemonicsAndLengths) {
  EXPECT_THAT(print("brstackdisasm"), HasSubstr("\t0000000000401001\tmov %rsp,%rbp\n"));
  EXPECT_THAT(print("brstackinsn,brstackinsnlen"), HasSubstr("401001\tinsn: 48 89 e5 \tilen: 3\n"));
  lines.options = [](ScriptPlan& plan) { plan.mnemonics = true; };
  EXPECT_EQ(print("brstackinsn"), print("brstackdisasm"));
}

TEST_F(BranchCode, FlagsOfTransactionsFollowThePrediction) {
  entries[0].predicted = entries[0].in_transaction = true;
  EXPECT_THAT(print(), HasSubstr("insn: 74 f6                   \t# PRED INTX\n"));
}

TEST_F(BranchCode, CanBeLimitedToTheLastBlocks) {
  for (int i = 0; i < 5; ++i) entries.insert(entries.begin(), {entries[0], entries[1]});
  const auto branches = [&](unsigned most) {
    lines.options = [=](ScriptPlan& plan) { plan.max_blocks = most; };
    const std::string text = print();
    return std::count(text.begin(), text.end(), '#');
  };
  EXPECT_EQ(branches(1), 2) << "a block is between two branches";
  EXPECT_EQ(branches(3), 4);
  EXPECT_EQ(branches(0), 12);
  EXPECT_EQ(branches(1000), 12);
}

// The branch stack was recorded earlier; the file may have changed since.
TEST_F(BranchCode, ReportsABranchThatIsNotWhereAnInstructionEnds) {
  entries = {{.from = kStart + 2, .to = kStart}, {.from = kStart + 8, .to = kStart}};
  EXPECT_THAT(print(), HasSubstr("\t0000000000401000\tinsn: 55 \n\t0000000000401001\tinsn: 48 89 e5 \n"
                                 "\tmismatch of LBR data and executable\n"));
}

TEST_F(BranchCode, ReportsAMissingBranchBeforeTheSample) {
  lines.sample.ip = kStart + 10;
  EXPECT_THAT(print(), EndsWith("\t0000000000401001\tinsn: 48 89 e5 \n\t0000000000401004\tinsn: eb 02 \n"
                                "\t... not reaching sample ...\n\n"));
}

TEST_F(BranchCode, EndsAtABranchThatWasSampledOrAborted) {
  const std::string_view last = "\t0000000000401008\tinsn: 74 f6                   \t#\n\n";
  lines.sample.ip = kStart + 8;
  EXPECT_THAT(print(), EndsWith(last)) << "its target has not run";
  lines.sample.ip = kStart + 1;
  entries[0].abort = true;
  EXPECT_THAT(print(), EndsWith("\t# ABORT\n\n"));
}

TEST_F(BranchCode, OmitsCodeOutsideOfFiles) {
  entries = {{.from = 0x700010, .to = kStart}, {.from = kStart + 4, .to = 0x700000}};
  const std::string text = print();
  EXPECT_THAT(text, StartsWith("\n\touter+4:\n\t0000000000401004\t"));
  EXPECT_THAT(text, Not(HasSubstr("700"))) << text;
  EXPECT_THAT(text, EndsWith("\t0000000000401001\tinsn: 48 89 e5 \n\n"));
}

TEST_F(BranchCode, BlocksThatCannotBeAreLeftOut) {
  struct Case {
    std::string_view what;
    u64 from, to;
  };
  constexpr Case kCases[] = {
      {"it ends before it begins", kStart, kStart + 8},
      {"it is too long: branches were lost", kStart + 0x10000, kStart},
      {"it leads from a program into the kernel", 0xffffffff81000000, kStart},
      {"it is at the end of the address space", ~u64{0}, ~u64{0} - 1},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.what);
    entries = {{.from = one.from, .to = 0x700000}, {.from = 0x700020, .to = one.to}};
    lines.sample.ip = 0x700004;
    EXPECT_EQ(print(), "\n\n");
  }
}

// A branch into the kernel may be missing, since branches of the kernel are often filtered out.
TEST_F(BranchCode, ABlockThatCrossesIntoTheKernelContinuesAtTheNextBranch) {
  entries = {{.from = kStart + 4, .to = kStart + 8},
             {.from = 0xffffffff81000000, .to = kStart},
             {.from = kStart + 8, .to = kStart}};
  lines.sample.ip = kStart + 8;
  EXPECT_THAT(print(), HasSubstr("\t0000000000401000\tinsn: 55 \n\t0000000000401001\tinsn: 48 89 e5 \n"
                                 "\t0000000000401004\tinsn: eb 02                   \t#\n"));
}

TEST_F(BranchCode, FunctionsAreNamedWhereTheyChange) {
  entries = {{.from = ResolvedProgram::kInner, .to = kStart},  // zeros: add %al,(%rax)
             {.from = kStart + 4, .to = ResolvedProgram::kInner}};
  const std::string text = print();
  EXPECT_THAT(text, HasSubstr("\touter+4:\n\t0000000000401004\t"));
  EXPECT_THAT(text, HasSubstr("\tinner:\n\t0000000000401100\tinsn: 00 00 "));
  EXPECT_THAT(text, HasSubstr("\touter:\n\t0000000000401000\tinsn: 55 \n\t0000000000401001\t"));
}

TEST_F(BranchCode, WithoutBranchesThereIsNone) {
  entries.clear();
  EXPECT_EQ(print(), "\n");
}

TEST_F(BranchCode, TheSampledInstructionMayBeBytesItsLengthOrText) {
  EXPECT_EQ(lines.print("insn"), " insn: 48 89 e5\n");
  EXPECT_EQ(lines.print("insnlen"), " ilen: 3\n");
  EXPECT_EQ(lines.print("insn,insnlen"), " ilen: 3 insn: 48 89 e5\n");
  EXPECT_EQ(lines.print("disasm"), "\t\tmov %rsp,%rbp\n");
  lines.sample.ip = 0x700000;
  EXPECT_EQ(lines.print("insn,disasm"), "\n");
  EXPECT_EQ(lines.print("insnlen"), " ilen: 0\n");
}

}  // namespace
}  // namespace peregrine
