#include "script/replay_answers.h"

#include <elf.h>
#include <gtest/gtest.h>

#include "abi/record.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "support/resolved_program.h"

namespace peregrine::script {
namespace {

using support::ResolvedProgram;

// The answers about one sample of the program.
class Asked : public ::testing::Test {
 protected:
  // `code`: the first bytes of the program.
  void take(u64 ip, std::string_view code = {}) {
    program.emplace(code);
    sources.emplace(program->machine.dsos(), true);
    answers.emplace(program->machine.dsos(), *sources, abi::Arch::X86, 127, [](std::string_view key) {
      return key == "known.key" ? std::optional<std::string>("value") : std::nullopt;
    });
    sample.ip = ip;
    sample.misc = abi::misc_bit::User;
    context = program->context();
    answers->take(replayed, program->resolver);
  }

  std::optional<ResolvedProgram> program;
  std::optional<SourceTable> sources;
  std::optional<ReplayAnswers> answers;
  abi::Sample sample;
  Resolver::Context context;
  const ReplaySample replayed{
      .sample = sample, .context = context, .event = 0, .period = 1, .moment = 2, .file_offset = 0};
};

TEST_F(Asked, CodeIsTheFunctionWithItsMapAndBuildId) {
  take(ResolvedProgram::kInner + 8);
  const PlaceAnswer place = answers->code();
  EXPECT_EQ(place.dso, program->file());
  EXPECT_EQ(place.address, 0x1108u);
  EXPECT_EQ(place.build_id, "0102030405060708");
  EXPECT_EQ(place.map_start, 0x401000u);
  EXPECT_EQ(place.map_end, 0x402000u);
  ASSERT_TRUE(place.symbol);
  EXPECT_EQ(place.symbol->name, "inner");
  EXPECT_EQ(place.symbol->start, 0x1100u);
  EXPECT_EQ(place.symbol->end, 0x1200u);
  EXPECT_EQ(place.symbol->binding, STB_LOCAL);
}

TEST_F(Asked, AnAddressInNoMapHasNoDso) {
  take(ResolvedProgram::kMapped);
  const PlaceAnswer place = answers->place(0x900000);
  EXPECT_TRUE(place.dso.empty());
  EXPECT_FALSE(place.symbol);
  EXPECT_EQ(place.address, 0x900000u);
  EXPECT_EQ(place.map_end, 0u);
}

TEST_F(Asked, AnyAddressOfTheProcessCanBeResolved) {
  take(ResolvedProgram::kMapped);
  const PlaceAnswer place = answers->place(ResolvedProgram::kInner);
  ASSERT_TRUE(place.symbol);
  EXPECT_EQ(place.symbol->name, "inner");
  EXPECT_EQ(place.build_id, "0102030405060708");
}

TEST_F(Asked, TheChainHasOneFramePerAddressInnermostFirst) {
  take(ResolvedProgram::kInner);
  EXPECT_TRUE(answers->chain().empty()) << "the sample has none";
  const u64 chain[] = {/* user context */ ~u64{511}, ResolvedProgram::kInner + 4, ResolvedProgram::kMapped + 9};
  sample.callchain = chain;
  const std::span<const ChainFrame> frames = answers->chain();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].ip, ResolvedProgram::kInner + 4);
  EXPECT_EQ(answers->frame(frames[0].frame).symbol->name, "inner");
  EXPECT_EQ(answers->frame(frames[1].frame).symbol->name, "outer");
  EXPECT_TRUE(answers->frame(frames[1].frame).build_id.empty()) << "frames have neither build-id nor map";
}

TEST_F(Asked, TheCommIsThatOfTheSamplesThread) {
  take(ResolvedProgram::kMapped);
  EXPECT_EQ(answers->comm(), "shell");
}

TEST_F(Asked, RegistersAreNamedByTheRecordedArchitecture) {
  take(ResolvedProgram::kMapped);
  const u64 values[] = {0x10, 0x7ff0};
  EXPECT_EQ(answers->registers({.mask = 1u << 0 | 1u << 8, .values = values}), "   AX:0x10    IP:0x7ff0 ");
  EXPECT_EQ(answers->registers({.mask = 1u << 0 | 1u << 8, .values = std::span(values, 1)}), "   AX:0x10 ")
      << "a mask may claim more than there is";
  EXPECT_EQ(answers->registers({}), "");
}

TEST_F(Asked, TheInstructionIsAsLongAsTheDisassemblerSays) {
  if (const auto opened = open_disassembler(Isa::X86_64); !opened) GTEST_SKIP() << opened.error().message;
  take(ResolvedProgram::kMapped, "\x0f\x05\x90");  // syscall; nop
  const Bytes bytes = answers->instruction();
  ASSERT_EQ(bytes.size(), 2u);
  EXPECT_EQ(bytes[1], std::byte{0x05});
}

TEST_F(Asked, ThereIsNoInstructionOutsideOfFiles) {
  take(0x900000);
  EXPECT_TRUE(answers->instruction().empty());
}

TEST_F(Asked, CodeIsReadUpToTheEndOfTheBuffer) {
  take(ResolvedProgram::kMapped, "abcdef");
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(answers->code_at(ResolvedProgram::kMapped + 1, buffer), 4u);
  EXPECT_EQ(static_cast<char>(buffer[0]), 'b');
  EXPECT_EQ(answers->code_at(0x900000, buffer), 0u);
}

TEST_F(Asked, AProgramWithoutDebugInformationHasNoSourceLines) {
  take(ResolvedProgram::kMapped);
  const Answers::SourceAnswer source = answers->source(ResolvedProgram::kMapped, true);
  EXPECT_TRUE(source.path.empty());
  EXPECT_EQ(source.line, 0u);
}

TEST_F(Asked, SyscallsAndSettingsAreLookedUp) {
  take(ResolvedProgram::kMapped);
  EXPECT_EQ(answers->syscall_name(1), "write") << "on x86-64";
  EXPECT_EQ(answers->setting("known.key"), "value");
  EXPECT_FALSE(answers->setting("other.key"));
  EXPECT_TRUE(answers->is_64_bit());
}

}  // namespace
}  // namespace peregrine::script
