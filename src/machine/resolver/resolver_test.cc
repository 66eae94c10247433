#include "machine/resolver/resolver.h"

#include <gtest/gtest.h>

#include "abi/record.h"
#include "support/elf_image.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;

class ResolverTest : public ::testing::Test {
 protected:
  const Frame& at(u64 ip, u16 mode = abi::misc_bit::User) {
    return program.resolver.at(program.resolver.frame(program.context(), ip, mode));
  }
  ResolvedProgram program;
};

TEST_F(ResolverTest, AFrameIsAnOffsetInItsFile) {
  const Frame& frame = at(ResolvedProgram::kInner + 8);
  EXPECT_EQ(frame.address, ElfImage::kTextOffset + 0x108);
  EXPECT_EQ(frame.kind, FrameKind::User);
  EXPECT_EQ(program.machine.dsos().at(frame.dso).name, program.file());
  EXPECT_EQ(program.resolver.symbol_name(frame), "inner");
  EXPECT_EQ(program.resolver.symbol_start(frame), ElfImage::kTextOffset + 0x100);
  EXPECT_EQ(program.resolver.symbol_offset(frame), 8u);
}

TEST_F(ResolverTest, EqualCodeIsOneFrame) {
  const FrameId first = program.resolver.frame(program.context(), ResolvedProgram::kInner, abi::misc_bit::User);
  const FrameId other = program.resolver.frame(program.context(), ResolvedProgram::kInner + 1, abi::misc_bit::User);
  EXPECT_EQ(program.resolver.frame(program.context(), ResolvedProgram::kInner, abi::misc_bit::User), first);
  EXPECT_NE(other, first);
}

TEST_F(ResolverTest, TheLastAddressOfAMapIsInItAndTheNextIsNot) {
  EXPECT_TRUE(at(ResolvedProgram::kMapped + ElfImage::kTextSize - 1).dso);
  EXPECT_FALSE(at(ResolvedProgram::kMapped + ElfImage::kTextSize).dso);
  EXPECT_FALSE(at(ResolvedProgram::kMapped - 1).dso);
}

TEST_F(ResolverTest, CodeBetweenFunctionsHasADsoAndNoSymbol) {
  const Frame& frame = at(ResolvedProgram::kMapped + 0x900);
  EXPECT_TRUE(frame.dso);
  EXPECT_FALSE(frame.symbol);
  EXPECT_EQ(program.resolver.symbol_name(frame), "");
}

TEST_F(ResolverTest, AddressesOfTheKernelAreNotLookedUpInTheProgram) {
  const Frame& frame = at(ResolvedProgram::kMapped, abi::misc_bit::Kernel);
  EXPECT_EQ(frame.kind, FrameKind::Kernel);
  EXPECT_TRUE(program.resolver.symbol_name(frame).empty());
}

TEST_F(ResolverTest, EachKindOfFrameHasALetter) {
  EXPECT_EQ(frame_letter(FrameKind::User), '.');
  EXPECT_EQ(frame_letter(FrameKind::Kernel), 'k');
  EXPECT_EQ(frame_letter(FrameKind::GuestKernel), 'g');
  EXPECT_EQ(frame_letter(FrameKind::GuestUser), 'u');
  EXPECT_EQ(frame_letter(FrameKind::Hypervisor), 'H');
}

TEST_F(ResolverTest, AnAddressMayBeOfTheProgramOrOfTheKernel) {
  const Frame& user = program.resolver.at(program.resolver.frame_anywhere(program.context(), ResolvedProgram::kInner));
  EXPECT_EQ(program.resolver.symbol_name(user), "inner");
  const Frame& nowhere = program.resolver.at(program.resolver.frame_anywhere(program.context(), 0x900000));
  EXPECT_EQ(nowhere.kind, FrameKind::Hypervisor);
  EXPECT_EQ(nowhere.address, 0x900000u);
}

TEST_F(ResolverTest, ChainsAreLimitedAndKeepTheirAddresses) {
  const u64 chain[] = {~u64{511}, ResolvedProgram::kInner, ResolvedProgram::kMapped + 4, 0x900000};
  std::vector<FrameId> frames;
  std::vector<u64> ips;
  program.resolver.chain(program.context(), chain, 2, frames, &ips);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(ips, (std::vector<u64>{ResolvedProgram::kInner, ResolvedProgram::kMapped + 4}));
  EXPECT_EQ(program.resolver.symbol_name(program.resolver.at(frames[1])), "outer");
}

TEST_F(ResolverTest, AChainWithAnUnknownMarkerHasNoFrames) {
  const u64 chain[] = {~u64{511}, ResolvedProgram::kInner, ~u64{100}};
  std::vector<FrameId> frames;
  program.resolver.chain(program.context(), chain, 10, frames);
  EXPECT_TRUE(frames.empty());
}

TEST_F(ResolverTest, ThreadsAreNamedAtTheSamplesMoment) {
  EXPECT_EQ(program.resolver.comm(program.resolver.context(ResolvedProgram::kPid, ResolvedProgram::kTid, 2)), "shell");
  EXPECT_EQ(program.resolver.comm(program.resolver.context(7, 8, 2)), ":8");
}

}  // namespace
}  // namespace peregrine
