// The code bytes at a frame, and the callers from a sample's stack, in a program with known functions.
#include "machine/resolver/code_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "machine/resolver/cfi_tables.h"
#include "machine/resolver/stack_unwinder.h"
#include "support/byte_buffer.h"
#include "support/elf_image.h"
#include "support/resolved_program.h"
#include "unwind/unwinder.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::ResolvedProgram;

class CodeOfAProgram : public ::testing::Test {
 protected:
  const Frame& frame_at(u64 ip) {
    return program_.resolver.at(program_.resolver.frame(program_.context(), ip, abi::misc_bit::User));
  }
  ResolvedProgram program_{"\x55\x48\x89\xe5"};
  CodeReader reader_{program_.machine.dsos()};
};

TEST_F(CodeOfAProgram, IsReadFromItsFile) {
  std::array<std::byte, 6> bytes{};
  EXPECT_EQ(reader_.read(frame_at(ResolvedProgram::kMapped), bytes), 6u);
  EXPECT_EQ(bytes, (std::array{std::byte{0x55}, std::byte{0x48}, std::byte{0x89}, std::byte{0xe5}, std::byte{0},
                               std::byte{0}}));
  EXPECT_EQ(reader_.read(frame_at(ResolvedProgram::kMapped + 3), std::span(bytes).first(1)), 1u);
  EXPECT_EQ(bytes[0], std::byte{0xe5});
  EXPECT_EQ(reader_.isa(frame_at(ResolvedProgram::kMapped).dso), Isa::X86_64);
}

TEST_F(CodeOfAProgram, EndsWithTheFile) {
  const Frame& frame = frame_at(ResolvedProgram::kMapped);
  std::vector<std::byte> bytes(std::size_t{1} << 20);
  const u64 size = std::filesystem::file_size(program_.file());
  EXPECT_EQ(reader_.read(frame, bytes), size - ElfImage::kTextOffset);
}

TEST_F(CodeOfAProgram, IsNowhereWithoutAFile) {
  std::array<std::byte, 4> bytes{};
  EXPECT_EQ(reader_.read(frame_at(0x900000), bytes), 0u) << "nothing is mapped there";
  EXPECT_EQ(reader_.isa(DsoId()), Isa::Unknown);
  DsoTable& dsos = program_.machine.dsos();
  const DsoId gone = dsos.find_or_add(DsoKind::File, "/nowhere/program");
  EXPECT_EQ(reader_.read(Frame{.address = 0x1000, .dso = gone}, bytes), 0u);
  EXPECT_EQ(reader_.isa(gone), Isa::Unknown);
}

TEST_F(CodeOfAProgram, HasAddressesOfThreeKinds) {
  const auto image = CodeImage::open(program_.machine.dsos(), frame_at(ResolvedProgram::kMapped).dso);
  ASSERT_TRUE(image) << image.error().message;
  const u64 text = ElfImage().text_address;
  EXPECT_EQ(image->virtual_address(ElfImage::kTextOffset + 0x10), text + 0x10);
  EXPECT_EQ(image->dso_address(text + 0x10), ElfImage::kTextOffset + 0x10);
  EXPECT_EQ(image->file_offset(text + 0x10), ElfImage::kTextOffset + 0x10);
  EXPECT_EQ(image->virtual_address(0), std::nullopt) << "the head of the file is not loaded";
  EXPECT_EQ(image->file_offset(text + ElfImage::kTextSize), std::nullopt);
}

// x86-64 in perf's numbering: the frame pointer is register 6, followed by stack pointer and pc. There are no unwind
// tables.
class StackOfAProgram : public ::testing::Test {
 protected:
  static constexpr u64 kStack = 0x7ffe0000;

  // Unwinds a sample in `inner` with this frame pointer and stack.
  std::string callers(u64 frame_pointer, const ByteBuffer& stack, u64 registers_abi = 2, u64 mask = 0x1c0) {
    const std::array<u64, 3> values = {frame_pointer, kStack, ResolvedProgram::kInner};
    abi::Sample sample;
    sample.user_registers = {registers_abi, mask, values};
    sample.user_stack = stack.bytes();
    sample.user_stack_size = 8192;
    CfiTables tables(program_.machine.dsos());
    tables.grow();
    StackUnwinder unwinder(program_.machine, tables);
    std::vector<u64> ips;
    stop_ = unwinder.unwind(program_.context().space, abi::Arch::X86, ByteOrder::Little, sample, {}, ips);
    std::string text;
    for (const u64 ip : ips) text += fmt::format("{:x} ", ip);
    return text;
  }

  ResolvedProgram program_;
  UnwindStop stop_ = UnwindStop::Ended;
};

TEST_F(StackOfAProgram, IsFollowedByFramePointersIntoMappedCode) {
  ByteBuffer stack;
  stack.zeros(16).put64(kStack + 0x30).put64(ResolvedProgram::kMapped + 0x20);  // at +0x10
  stack.zeros(16).put64(0).put64(ResolvedProgram::kMapped + 0x44);              // at +0x30
  EXPECT_EQ(callers(kStack + 0x10, stack), "401100 40101f 401043 ");
  EXPECT_EQ(stop_, UnwindStop::Ended);
}

TEST_F(StackOfAProgram, EndsWhereAReturnAddressIsNotCode) {
  ByteBuffer stack;
  stack.zeros(16).put64(kStack + 0x30).put64(0x900000);
  EXPECT_EQ(callers(kStack + 0x10, stack), "401100 ");
  EXPECT_EQ(stop_, UnwindStop::NoCfi);
}

TEST_F(StackOfAProgram, NeedsSupportedRegisters) {
  EXPECT_EQ(callers(0, ByteBuffer().zeros(16), 0), "");
  EXPECT_EQ(stop_, UnwindStop::Unsupported) << "no registers were recorded";
  EXPECT_EQ(callers(0, ByteBuffer().zeros(16), 2, 0x7), "");
  EXPECT_EQ(stop_, UnwindStop::Unsupported) << "neither pc nor stack pointer";
}

TEST_F(StackOfAProgram, IsThereWithRegistersAndBytes) {
  const std::array<u64, 1> values = {1};
  const std::array<std::byte, 8> bytes{};
  abi::Sample sample;
  EXPECT_FALSE(StackUnwinder::has_stack(sample));
  sample.user_registers.values = values;
  EXPECT_FALSE(StackUnwinder::has_stack(sample));
  sample.user_stack = bytes;
  EXPECT_TRUE(StackUnwinder::has_stack(sample));
}

}  // namespace
}  // namespace peregrine
