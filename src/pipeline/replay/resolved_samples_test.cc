// The processing of samples between the decoder and a sink: callers, user stacks, filters.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/call_site.h"
#include "pipeline/replay/deferred_chains.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/watchpoint.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;
using ::testing::ElementsAre;

constexpr u64 kUserContext = ~u64{511};  // PERF_CONTEXT_USER

TEST(DeferredUserStacks, ReplaceTheMarkerAndItsCookie) {
  DeferredChains chains;
  const u64 user[] = {kUserContext, 0x401010, 0x401020},
            recorded[] = {0xffffffff81000010, abi::kContextUserDeferred, 5};
  chains.add(41, 5, user);
  std::span<const u64> chain = recorded;
  std::vector<u64> scratch;
  EXPECT_EQ(deferred_cookie(chain), 5u);
  EXPECT_EQ(chains.merge(41, chain, scratch), DeferredChains::Merged::Whole);
  EXPECT_THAT(chain, ElementsAre(0xffffffff81000010, kUserContext, 0x401010, 0x401020));
}

TEST(DeferredUserStacks, AreOfOneThreadAndOneCookie) {
  DeferredChains chains;
  const u64 user[] = {kUserContext, 0x401010}, recorded[] = {0xffffffff81000010, abi::kContextUserDeferred, 5};
  chains.add(41, 6, user);
  chains.add(42, 5, user);
  std::span<const u64> chain = recorded;
  std::vector<u64> scratch;
  EXPECT_EQ(chains.merge(41, chain, scratch), DeferredChains::Merged::Missing);
  EXPECT_THAT(chain, ElementsAre(0xffffffff81000010)) << "the kernel's part remains";
}

TEST(DeferredUserStacks, SeveralSamplesMayShareOne) {
  DeferredChains chains;
  const u64 user[] = {kUserContext, 0x401010}, recorded[] = {abi::kContextUserDeferred, 5};
  chains.add(41, 5, user);
  for (int i = 0; i < 2; ++i) {
    std::span<const u64> chain = recorded;
    std::vector<u64> scratch;
    EXPECT_EQ(chains.merge(41, chain, scratch), DeferredChains::Merged::Whole);
    EXPECT_EQ(chain.size(), 2u);
  }
  chains.clear();
  std::span<const u64> chain = recorded;
  std::vector<u64> scratch;
  EXPECT_EQ(chains.merge(41, chain, scratch), DeferredChains::Merged::Missing) << "a batch's stacks go with it";
}

TEST(DeferredUserStacks, OtherChainsStayAsTheyAre) {
  const u64 recorded[] = {kUserContext, 0x401010}, cookie_only[] = {5};
  std::span<const u64> chain = recorded;
  std::vector<u64> scratch;
  EXPECT_EQ(DeferredChains().merge(41, chain, scratch), DeferredChains::Merged::NotDeferred);
  EXPECT_EQ(chain.data(), recorded);
  EXPECT_FALSE(deferred_cookie(cookie_only));
}

// A sample of the program with this chain.
FrameId call_site_of(ResolvedProgram& program, std::span<const u64> chain, u64 ip = ResolvedProgram::kInner) {
  abi::Sample sample;
  sample.misc = abi::misc_bit::User;
  sample.ip = ip;
  sample.callchain = chain;
  const Resolver::Context context = program.context();
  return call_site({.sample = sample, .context = context, .event = 0, .period = 1, .moment = 2, .file_offset = 0},
                   program.resolver);
}

TEST(CallSite, IsTheInnermostFrameOutsideOfTheTracingCode) {
  ResolvedProgram program;
  const u64 chain[] = {kUserContext, ResolvedProgram::kInner + 4, ResolvedProgram::kMapped + 9};
  const Frame& frame = program.resolver.at(call_site_of(program, chain));
  EXPECT_EQ(program.resolver.symbol_name(frame), "inner");
  EXPECT_EQ(program.resolver.symbol_offset(frame), 4u);
}

TEST(CallSite, OfASampleWithoutChainIsTheSampledCode) {
  ResolvedProgram program;
  const Frame& frame = program.resolver.at(call_site_of(program, {}, ResolvedProgram::kMapped + 1));
  EXPECT_EQ(program.resolver.symbol_name(frame), "outer");
}

TEST(CallSite, MayBeUnknown) {
  ResolvedProgram program;
  const u64 chain[] = {kUserContext, 0x900000};
  const Frame& frame = program.resolver.at(call_site_of(program, chain));
  EXPECT_FALSE(frame.dso);
  EXPECT_EQ(frame.address, 0x900000u);
}

TEST(SampleFilters, WithoutCriteriaAcceptEverything) {
  ResolvedProgram program;
  const SampleFilter filter;
  EXPECT_FALSE(filter.any());
  EXPECT_TRUE(filter.accepts_time(5));
  EXPECT_TRUE(filter.accepts_cpu(77));
  EXPECT_TRUE(filter.accepts_mode(abi::misc_bit::GuestUser));
  EXPECT_TRUE(filter.accepts_thread(program.context(), program.resolver));
}

TEST(SampleFilters, ChooseThreadsByPidTidAndName) {
  ResolvedProgram program;
  const auto accepts = [&](SampleFilter filter) { return filter.accepts_thread(program.context(), program.resolver); };
  EXPECT_TRUE(accepts({.pids = {1, ResolvedProgram::kPid, 90}}));
  EXPECT_FALSE(accepts({.pids = {1, 90}}));
  EXPECT_TRUE(accepts({.tids = {ResolvedProgram::kTid}}));
  EXPECT_FALSE(accepts({.tids = {ResolvedProgram::kPid}}));
  EXPECT_TRUE(accepts({.comms = {"other", "shell"}}));
  EXPECT_FALSE(accepts({.comms = {"shel"}}));
}

TEST(SampleFilters, TimesAreInclusiveAndSamplesWithoutTimePass) {
  const SampleFilter filter{.times = {{10, 20}, {40, 50}}};
  for (const u64 time : {0, 10, 20, 45}) EXPECT_TRUE(filter.accepts_time(time)) << time;
  for (const u64 time : {9, 21, 51}) EXPECT_FALSE(filter.accepts_time(time)) << time;
}

TEST(SampleFilters, GuestsAndHostsAreToldByTheMode) {
  const SampleFilter guests{.hosts = false}, hosts{.guests = false};
  EXPECT_TRUE(guests.accepts_mode(abi::misc_bit::GuestKernel));
  EXPECT_FALSE(guests.accepts_mode(abi::misc_bit::Kernel));
  EXPECT_TRUE(hosts.accepts_mode(abi::misc_bit::User));
  EXPECT_FALSE(hosts.accepts_mode(abi::misc_bit::GuestUser));
}

std::string ranges_text(std::string_view text, u64 first = 0, u64 last = 0) {
  const auto ranges = parse_time_ranges(text, first, last);
  if (!ranges) return ranges.error().message;
  std::string result;
  for (const TimeRange range : *ranges)
    result += fmt::format("{}-{} ", range.from, range.to == ~u64{0} ? "end" : std::to_string(range.to));
  return result;
}

TEST(TimeRanges, AreSecondsWithUpToNineDigits) {
  EXPECT_EQ(ranges_text("1.5,2.000000001"), "1500000000-2000000001 ");
  EXPECT_EQ(ranges_text("3,"), "3000000000-end ");
  EXPECT_EQ(ranges_text(",3"), "0-3000000000 ");
  EXPECT_EQ(ranges_text("1,2 3,4"), "1000000000-2000000000 3000000000-4000000000 ");
  for (const char* wrong : {"1.0000000001,2", "2,1", "1,2x", "-1,2", "99999999999999999999,", "1..2,3"})
    EXPECT_EQ(ranges_text(wrong), "Invalid time string") << wrong;
}

TEST(TimeRanges, AreSharesOfTheRecording) {
  EXPECT_EQ(ranges_text("10%/1", 1000, 2000), "1000-1099 ");
  EXPECT_EQ(ranges_text("10%/10", 1000, 2000), "1900-2000 ") << "the last share has the last sample";
  EXPECT_EQ(ranges_text("0%-50%,90%-100%", 1000, 2000), "1000-1499 1900-2000 ");
  EXPECT_EQ(ranges_text("25%", 1000, 2000), "1000-1249 ");
  for (const char* wrong : {"10%/0", "10%/11", "60%-50%", "110%", "x%", "10%/"})
    EXPECT_EQ(ranges_text(wrong, 1000, 2000), "Invalid time string") << wrong;
  EXPECT_THAT(ranges_text("10%/2"), ::testing::HasSubstr("first and last samples"));
}

TEST(Watchpoints, AreBreakpointsOnData) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Breakpoint);
  attr.bp_type = 3;
  EXPECT_TRUE(is_watchpoint(attr));
  attr.bp_type = 4;
  EXPECT_FALSE(is_watchpoint(attr)) << "an execution is reported where it is";
  attr.type = static_cast<u32>(abi::EventType::Hardware);
  attr.bp_type = 3;
  EXPECT_FALSE(is_watchpoint(attr));
}

// x86 reports an access after it is complete: the sampled address is that of the next instruction.
TEST(Watchpoints, SamplesMoveToTheInstructionThatAccessed) {
  if (const auto opened = open_disassembler(Isa::X86_64); !opened) GTEST_SKIP() << opened.error().message;
  ResolvedProgram program("\x90\x48\x8b\x07\x90");  // nop; mov (%rdi),%rax; nop
  WatchpointMover mover(program.machine);
  const u64 chain[] = {kUserContext, ResolvedProgram::kMapped + 4, 0x401800};
  abi::Sample sample;
  sample.misc = abi::misc_bit::User;
  sample.ip = ResolvedProgram::kMapped + 4;
  sample.callchain = chain;
  mover.move(program.context(), program.resolver, sample);
  EXPECT_EQ(sample.ip, ResolvedProgram::kMapped + 1);
  EXPECT_THAT(sample.callchain, ElementsAre(kUserContext, ResolvedProgram::kMapped + 1, 0x401800));
}

TEST(Watchpoints, SamplesBetweenInstructionsStay) {
  if (const auto opened = open_disassembler(Isa::X86_64); !opened) GTEST_SKIP() << opened.error().message;
  ResolvedProgram program("\x90\x48\x8b\x07\x90");
  WatchpointMover mover(program.machine);
  abi::Sample sample;
  sample.misc = abi::misc_bit::User;
  for (const u64 ip : {ResolvedProgram::kMapped + 2, ResolvedProgram::kMapped, u64{0x900000}}) {
    sample.ip = ip;
    mover.move(program.context(), program.resolver, sample);
    EXPECT_EQ(sample.ip, ip);
  }
}

}  // namespace
}  // namespace peregrine
