#include "analysis/annotate/symbol_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "abi/record.h"
#include "machine/dso/dso.h"
#include "machine/resolver/resolver.h"
#include "support/elf_image.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

// The code of support::ResolvedProgram, with functions of 0x100 bytes each.
struct SymbolCodeTest : ::testing::Test {
  const Frame& frame(u64 ip) {
    return program.resolver.at(program.resolver.frame(program.context(), ip, abi::misc_bit::User));
  }
  // A dso of that kind without a file.
  DsoId add_dso(DsoKind kind, std::string_view name, u64 start = 0) {
    const DsoId id = program.machine.dsos().find_or_add(kind, name);
    program.machine.dsos().at(id).start = start;
    return id;
  }
  static Error error_of_code(const Result<SymbolCode>& code) { return code ? Error{} : code.error(); }

  support::ResolvedProgram program{"\x55\x48\x89\xe5"};
  CodeFiles files{program.machine};
};

TEST_F(SymbolCodeTest, IsReadFromTheFileOfTheProgram) {
  const Frame& outer = frame(support::ResolvedProgram::kMapped);
  const auto code = files.read(outer.dso, outer.symbol);
  ASSERT_TRUE(code) << code.error().message;
  ASSERT_EQ(code->bytes.size(), 0x100u);
  EXPECT_EQ(code->bytes[0], std::byte{0x55});
  EXPECT_EQ(code->bytes[3], std::byte{0xe5});
  EXPECT_EQ(code->bytes[4], std::byte{0});
  EXPECT_EQ(code->file, program.file());
  EXPECT_EQ(code->address, ElfImage().text_address) << "as disassemblers show it";
  ASSERT_FALSE(code->sections.empty());
  EXPECT_EQ(code->sections.front().begin, 0u);
  EXPECT_EQ(code->sections.back().end, 0x100u);
}

TEST_F(SymbolCodeTest, AddressesOfAFileHaveSymbols) {
  const Frame& outer = frame(support::ResolvedProgram::kMapped);
  const Frame& inner = frame(support::ResolvedProgram::kInner);
  const u64 text = ElfImage().text_address;
  EXPECT_EQ(files.find_symbol(outer.dso, text).symbol, outer.symbol);
  EXPECT_EQ(files.find_symbol(outer.dso, text + 0xff).offset, 0xffu);
  EXPECT_EQ(files.find_symbol(outer.dso, text + 0x100).symbol, inner.symbol);
  EXPECT_EQ(files.find_symbol(outer.dso, text + 0x100).offset, 0u);
  EXPECT_FALSE(files.find_symbol(outer.dso, text + 0x900).symbol) << "behind both functions";
  EXPECT_FALSE(files.find_symbol(outer.dso, 0).symbol);
  EXPECT_FALSE(files.find_symbol(outer.dso, ~u64{0}).symbol);
}

TEST_F(SymbolCodeTest, ASymbolThatWasReleasedIsNotRead) {
  const Frame& outer = frame(support::ResolvedProgram::kMapped);
  const Error error = error_of_code(files.read(outer.dso, SymbolIndex(1000)));
  EXPECT_EQ(error.kind, ErrorKind::NotFound);
  EXPECT_EQ(error.message, program.file() + " is no longer mapped, and its symbols were released");
}

TEST_F(SymbolCodeTest, CodeMadeAtRunTimeIsInNoFile) {
  const Error error = error_of_code(files.read(add_dso(DsoKind::Anonymous, "/tmp/perf-40.map"), SymbolIndex(0)));
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_EQ(error.message, "its code was generated at run time and is not in a file");
  EXPECT_EQ(error.hint, "enable jitdump in the program, and record with -k mono");
}

TEST_F(SymbolCodeTest, AFileThatIsGoneIsAnErrorEachTime) {
  const DsoId gone = add_dso(DsoKind::File, "/nonexistent/program");
  const Error first = error_of_code(files.read(gone, SymbolIndex(0)));
  EXPECT_FALSE(first.message.empty());
  EXPECT_EQ(error_of_code(files.read(gone, SymbolIndex(1))).message, first.message);
  EXPECT_FALSE(files.find_symbol(gone, 0x1000).symbol);
}

TEST_F(SymbolCodeTest, BpfProgramsAreInTheRecordingOrNowhere) {
  constexpr u64 kStart = 0xffffffffc0001000;
  const DsoId program_of_bpf = add_dso(DsoKind::Generated, "bpf_prog_1234", kStart);
  const Error missing = error_of_code(files.read(program_of_bpf, SymbolIndex(0)));
  EXPECT_EQ(missing.kind, ErrorKind::NotFound);
  EXPECT_EQ(missing.message, "the recording does not contain the code of this BPF program");
  const std::byte code[] = {std::byte{0xf3}, std::byte{0x0f}, std::byte{0x1e}, std::byte{0xfa}};
  files.add(kStart, code, Isa::X86_64);
  const auto found = files.read(program_of_bpf, SymbolIndex(0));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->bytes, ::testing::ElementsAreArray(code));
  EXPECT_EQ(found->address, kStart);
  EXPECT_EQ(found->isa, Isa::X86_64);
  ASSERT_EQ(found->sections.size(), 1u);
  EXPECT_EQ(found->sections[0].end, 4u);
}

}  // namespace
}  // namespace peregrine
