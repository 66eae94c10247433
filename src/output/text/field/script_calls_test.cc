#include "output/text/field/script_calls.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "abi/attr.h"
#include "abi/branch_flag.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "insn/disassembler.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

namespace flag = abi::branch_flag;
using support::ResolvedProgram;

constexpr u64 kCaller = ResolvedProgram::kMapped, kCallee = ResolvedProgram::kInner;
constexpr u64 kElsewhere = 0x700000;  // outside all files

// outer: 0  call inner │ 5  je 0 │ 7  jmp 0       inner: 100  call outer │ 105  ret
std::string code_of_calls() {
  std::string code("\xe8\xfb\x00\x00\x00\x74\xf9\xeb\xf7", 9);
  code.resize(0x100, '\x90');
  return code + std::string("\xe8\xfb\xfe\xff\xff\xc3", 6);
}

class FollowedCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto opened = open_disassembler(Isa::X86_64); !opened) GTEST_SKIP() << opened.error().message;
  }
  BranchStep step(u64 from, u64 to, u32 thread = ResolvedProgram::kTid) {
    abi::Sample sample;
    sample.misc = abi::misc_bit::User;
    sample.pid = ResolvedProgram::kPid;
    sample.tid = thread;
    sample.ip = from;
    sample.addr = to;
    return step(sample);
  }
  BranchStep traced(u32 flags, u32 depth, u64 from = kElsewhere, u64 to = kElsewhere) {
    abi::Sample sample;
    sample.fields = abi::sample_bit::Traced;
    sample.misc = abi::misc_bit::User;
    sample.tid = ResolvedProgram::kTid;
    sample.ip = from;
    sample.addr = to;
    sample.traced = {.flags = flag::IsBranch | flags, .depth = depth};
    return step(sample);
  }
  BranchStep step(const abi::Sample& sample) {
    const ReplaySample replayed{
        .sample = sample, .context = program.context(), .event = 0, .period = 1, .moment = 2, .file_offset = 0};
    return calls.step(replayed, program.resolver, code);
  }

  std::vector<std::string> chosen;  // functions of --graph-function
  ResolvedProgram program{code_of_calls()};
  ScriptCalls calls{chosen};
  ScriptCode code{program.machine.dsos(), nullptr, false};
};

TEST_F(FollowedCalls, TheInstructionSaysWhatABranchIs) {
  struct Case {
    u64 from, to;
    BranchKind kind;
    NamedEnd named;
  };
  constexpr Case kCases[] = {
      {kCaller, kCallee, BranchKind::Call, NamedEnd::To},
      {kCallee + 5, kCaller + 5, BranchKind::Return, NamedEnd::From},
      {kCaller + 5, kCaller, BranchKind::Conditional, NamedEnd::None},
      {kCaller + 7, kCaller, BranchKind::Jump, NamedEnd::None},
      {kElsewhere, kCallee, BranchKind::Call, NamedEnd::To},        // to the start of a function
      {kElsewhere, kCallee + 1, BranchKind::Jump, NamedEnd::None},  // into the middle of a function
      {kElsewhere, kElsewhere, BranchKind::Jump, NamedEnd::None},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(fmt::format("{:#x} to {:#x}", one.from, one.to));
    const BranchStep made = step(one.from, one.to);
    EXPECT_EQ(made.kind, one.kind);
    EXPECT_EQ(made.named, one.named);
    EXPECT_TRUE(made.inside) << "all functions are shown";
  }
}

TEST_F(FollowedCalls, DepthGrowsWithCallsAndShrinksWithReturns) {
  EXPECT_EQ(step(kCaller, kCallee).depth, 0u);
  EXPECT_EQ(step(kCallee, kCaller).depth, 1u);
  EXPECT_EQ(step(kCaller + 5, kCaller).depth, 2u) << "a branch inside a function changes nothing";
  EXPECT_EQ(step(kCaller, kCallee).depth, 2u);
  EXPECT_EQ(step(kCallee + 5, kCaller + 5).depth, 2u);
  EXPECT_EQ(step(kElsewhere, kElsewhere).depth, 2u);
}

TEST_F(FollowedCalls, ThreadsHaveSeparateStacks) {
  EXPECT_EQ(step(kCaller, kCallee, 1).depth, 0u);
  EXPECT_EQ(step(kCallee, kCaller, 1).depth, 1u);
  EXPECT_EQ(step(kCaller, kCallee, 2).depth, 0u);
  EXPECT_EQ(step(kCaller, kCallee, 1).depth, 2u);
}

// Samples were lost, or longjmp() left several functions: the target of a return shows which call it ends.
TEST_F(FollowedCalls, AReturnEndsTheCallThatItReturnsFrom) {
  step(kCaller, kCallee);  // returns to kCaller + 5
  step(kCallee, kCaller);  // returns to kCallee + 5
  step(kElsewhere, kCallee);
  EXPECT_EQ(step(kCallee + 5, kCaller + 5).depth, 0u);
}

TEST_F(FollowedCalls, AReturnToAnUnknownPlaceEndsOneCall) {
  EXPECT_EQ(step(kCallee + 5, kElsewhere).depth, 0u) << "there is no call to end";
  step(kCaller, kCallee);
  step(kCallee, kCaller);
  EXPECT_EQ(step(kCallee + 5, kElsewhere).depth, 1u);
}

TEST_F(FollowedCalls, OnlyChosenFunctionsAndTheirCalleesAreInside) {
  chosen = {"inner"};
  EXPECT_FALSE(step(kCaller + 5, kCaller).inside);
  EXPECT_FALSE(calls.inside(ResolvedProgram::kTid));
  EXPECT_TRUE(step(kCaller, kCallee).inside) << "the call itself is shown";
  EXPECT_TRUE(step(kCallee, kCaller).inside);
  EXPECT_TRUE(step(kCaller + 5, kCaller).inside) << "called by inner";
  EXPECT_TRUE(calls.inside(ResolvedProgram::kTid));
  EXPECT_FALSE(calls.inside(1)) << "another thread";
  EXPECT_TRUE(step(kCallee + 5, kCallee + 5).inside);
  EXPECT_TRUE(step(kCallee + 5, kCaller + 5).inside) << "and so is its return";
  EXPECT_FALSE(step(kCaller + 5, kCaller).inside);
  EXPECT_FALSE(calls.inside(ResolvedProgram::kTid));
}

TEST_F(FollowedCalls, ADecoderKnowsKindsAndDepths) {
  struct Case {
    u32 flags, depth;
    BranchKind kind;
    NamedEnd named;
    std::size_t shown_depth;
  };
  constexpr Case kCases[] = {
      {flag::Call, 3, BranchKind::Call, NamedEnd::To, 3},
      {flag::Return, 3, BranchKind::Return, NamedEnd::From, 4},
      {flag::Conditional, 3, BranchKind::Conditional, NamedEnd::None, 3},
      {0, 3, BranchKind::Jump, NamedEnd::None, 3},
      {flag::TraceBegin, 0, BranchKind::Jump, NamedEnd::To, 0},
      {flag::TraceEnd, 2, BranchKind::Jump, NamedEnd::From, 2},
      {flag::Call | flag::TraceEnd, 2, BranchKind::Call, NamedEnd::To, 2},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(fmt::format("flags {:#x}", one.flags));
    const BranchStep made = traced(one.flags, one.depth, kCaller, kCaller);  // the code there is not checked
    EXPECT_EQ(made.kind, one.kind);
    EXPECT_EQ(made.named, one.named);
    EXPECT_EQ(made.depth, one.shown_depth);
  }
}

TEST_F(FollowedCalls, ADecodersDepthSaysWhatAChosenFunctionCalls) {
  chosen = {"inner"};
  EXPECT_FALSE(traced(flag::Call, 1, kElsewhere, kCaller).inside);
  EXPECT_TRUE(traced(flag::Call, 2, kCaller, kCallee).inside);
  EXPECT_TRUE(traced(flag::Call, 3, kCallee, kCaller).inside);
  EXPECT_TRUE(traced(flag::Return, 2, kCaller, kCallee).inside);
  EXPECT_TRUE(traced(flag::Return, 1, kCallee, kCaller).inside) << "the return of inner";
  EXPECT_FALSE(traced(flag::Return, 0, kCaller, kElsewhere).inside);
}

// Branches that are not shown may be missing between two shown ones.
TEST_F(FollowedCalls, ADecodersLowerDepthLeavesAChosenFunction) {
  chosen = {"inner"};
  EXPECT_TRUE(traced(flag::Call, 5, kCaller, kCallee).inside);
  EXPECT_FALSE(traced(0, 5, kCaller, kCaller).inside) << "a branch of the caller";
  EXPECT_TRUE(traced(flag::Call, 5, kCaller, kCallee).inside);
  EXPECT_FALSE(traced(flag::Return, 1, kCaller, kElsewhere).inside) << "a return from further out";
}

}  // namespace
}  // namespace peregrine
