// Probes in x86 code written by the test: a function with five instructions.
#include "probe/code_check.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "support/elf_image.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

// `work`: push %rbp; mov %rsp,%rbp; mov $42,%eax; pop %rbp; ret.
constexpr u8 kCheckedCode[] = {0x55, 0x48, 0x89, 0xe5, 0xb8, 0x2a, 0x00, 0x00, 0x00, 0x5d, 0xc3};
constexpr u64 kCheckedEntry = ElfImage::kTextOffset + 0x10;

class CodeCheck : public ::testing::Test {
 protected:
  std::unique_ptr<ProbeProgram> program(std::span<const u8> code, const ElfImage& image = {}) {
    ElfImage with_symbol = image;
    with_symbol.symtab = {{.name = "work", .value = image.text_address + 0x10, .size = code.size()}};
    auto bytes = with_symbol.bytes();
    std::ranges::copy(std::as_bytes(code), bytes.begin() + kCheckedEntry);
    const std::string path =
        folder_.write("prog", std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    auto opened = ProbeProgram::open(path, {});
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  static Result<> check(u64 offset, ProbeProgram& program) {
    TraceProbe probe;
    probe.target = program.path();
    probe.offset = kCheckedEntry + offset;
    return check_instruction_start(probe, program);
  }
  void SetUp() override {
    if (!open_disassembler(Isa::X86_64, Syntax::Att, ByteOrder::Little)) GTEST_SKIP() << "no disassembler for x86";
  }

  TemporaryFolder folder_;
};

TEST_F(CodeCheck, AcceptsTheFirstByteOfEachInstruction) {
  const auto program = this->program(kCheckedCode);
  for (const u64 offset : {0, 1, 4, 9, 10}) {
    const auto checked = check(offset, *program);
    EXPECT_TRUE(checked) << offset << ": " << checked.error().message;
  }
}

TEST_F(CodeCheck, RejectsTheOtherBytesAndNamesTheInstruction) {
  const auto program = this->program(kCheckedCode);
  for (const u64 offset : {2, 3}) {
    const auto checked = check(offset, *program);
    ASSERT_FALSE(checked) << offset;
    EXPECT_EQ(checked.error().kind, ErrorKind::Usage);
    EXPECT_EQ(
        checked.error().message,
        fmt::format("work+{} is inside an instruction: 'mov %rsp,%rbp' starts at work+1 and has 3 bytes", offset));
    EXPECT_EQ(checked.error().hint, "a breakpoint there would change what the program does; use work+1 or work+4");
  }
  for (const u64 offset : {5, 6, 7, 8}) EXPECT_FALSE(check(offset, *program)) << offset;
}

// Nothing can be proven there, so the kernel decides.
TEST_F(CodeCheck, AcceptsWhatItCannotJudge) {
  const auto program = this->program(kCheckedCode);
  EXPECT_TRUE(check(0x100, *program)) << "outside of functions";
  constexpr u8 kData[] = {0x55, 0x06, 0x06, 0x06, 0x90};  // no instruction of 64-bit programs begins with 06
  EXPECT_TRUE(check(4, *this->program(kData))) << "data in code";
  ElfImage arm;
  arm.machine = EM_ARM;
  arm.is_64 = false;
  EXPECT_TRUE(check(2, *this->program(kCheckedCode, arm))) << "it may be Thumb";
}

TEST(MayUnwind, IsKnownByTheRuntimeThatAProgramUses) {
  struct Case {
    const char* symbol;
    bool unwinds;
  };
  for (const Case& each :
       {Case{"__gxx_personality_v0", true}, Case{"__cxa_throw", true}, Case{"_Unwind_Resume", true},
        Case{"_Unwind_RaiseException", true}, Case{"_Unwind_Backtrace", false}, Case{"malloc", false}}) {
    ElfImage image;
    image.dynsym = {{.name = each.symbol, .type = STT_NOTYPE, .section = SHN_UNDEF}};
    const auto file = ElfFile::from_bytes(image.bytes(), "prog");
    ASSERT_TRUE(file);
    EXPECT_EQ(may_unwind(*file), each.unwinds) << each.symbol;
  }
}

}  // namespace
}  // namespace peregrine
