#include "capture/bpf/syscall/syscall_plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "abi/arch/syscall.h"
#include "base/types.h"
#include "event/syscall/struct_layout.h"

namespace peregrine {
namespace {

// The numbers are those of x86-64, which has a table of names on every machine.
constexpr u32 kReadCall = 0, kWriteCall = 1, kGetpidCall = 39, kExecveCall = 59, kExitGroupCall = 231,
              kOpenatCall = 257;

class SyscallPlanTest : public ::testing::Test {
 protected:
  // The plan of one call if only that call is chosen.
  const call_plan& plan_of(u32 number, unsigned buffer_bytes = 0) {
    std::vector<bool> chosen(number + 1, false);
    chosen[number] = true;
    plan_calls(signatures_, chosen, buffer_bytes, plans_);
    return plans_[number];
  }

  Signatures signatures_{abi::SyscallSet::X86_64};
  std::vector<call_plan> plans_ = std::vector<call_plan>(kTracedCalls);
};

TEST_F(SyscallPlanTest, TracesWhatIsChosenOnly) {
  EXPECT_EQ(plan_of(kOpenatCall).chosen, 1);
  EXPECT_EQ(plans_[kOpenatCall - 1].chosen, 0);
  EXPECT_EQ(plans_[kOpenatCall + 1].chosen, 0) << "beyond the list of choices";
  EXPECT_EQ(plan_of(kGetpidCall).chosen, 1);
  EXPECT_EQ(plans_[kOpenatCall].chosen, 0) << "an earlier plan is forgotten";
  EXPECT_EQ(plans_[kOpenatCall].captures, 0);
}

TEST_F(SyscallPlanTest, ReadsPathsAsStringsAtEntry) {
  ASSERT_EQ(signatures_.of(kOpenatCall).name, "openat");
  const call_plan& plan = plan_of(kOpenatCall);
  ASSERT_EQ(plan.captures, 1);
  EXPECT_EQ(plan.capture[0].how, kCaptureString);
  EXPECT_EQ(plan.capture[0].argument, 1);
  EXPECT_EQ(plan.capture[0].at_exit, kAtEntry);
  EXPECT_EQ(plan.capture[0].most, kPieceBytes);
}

TEST_F(SyscallPlanTest, ReadsNothingOfACallWithoutArguments) {
  ASSERT_EQ(signatures_.of(kGetpidCall).name, "getpid");
  EXPECT_EQ(plan_of(kGetpidCall).captures, 0);
}

TEST_F(SyscallPlanTest, ReadsBuffersOnRequestOnlyAndUpToTheLimit) {
  ASSERT_EQ(signatures_.of(kWriteCall).name, "write");
  EXPECT_EQ(plan_of(kWriteCall).captures, 0);
  ASSERT_EQ(plan_of(kWriteCall, 100).captures, 1);
  EXPECT_EQ(plan_of(kWriteCall, 100).capture[0].most, 100);
  EXPECT_EQ(plan_of(kWriteCall, 1u << 20).capture[0].most, kPieceBytes);
  EXPECT_EQ(plan_of(kWriteCall, 100).capture[0].at_exit, kAtEntry);
}

// The buffer that read(2) fills is available when the call has ended.
TEST_F(SyscallPlanTest, ReadsFilledBuffersAtTheExit) {
  ASSERT_EQ(signatures_.of(kReadCall).name, "read");
  const call_plan& plan = plan_of(kReadCall, 100);
  ASSERT_EQ(plan.captures, 1);
  EXPECT_EQ(plan.capture[0].argument, 1);
  EXPECT_EQ(plan.capture[0].at_exit, kAtExitOfSuccess);
}

TEST_F(SyscallPlanTest, MarksCallsThatDoNotReturnOrReplaceTheirMemory) {
  EXPECT_EQ(plan_of(kExitGroupCall).no_return, 1);
  EXPECT_EQ(plan_of(kExitGroupCall).new_memory, 0);
  const call_plan& exec = plan_of(kExecveCall);
  EXPECT_EQ(exec.new_memory, 1);
  EXPECT_EQ(exec.no_return, 0);
  ASSERT_EQ(exec.captures, 3);
  EXPECT_EQ(exec.capture[0].how, kCaptureString);
  EXPECT_EQ(exec.capture[1].how, kCaptureStrings);
  EXPECT_EQ(exec.capture[2].how, kCaptureLength) << "of the environment, only the number of variables";
}

TEST_F(SyscallPlanTest, KeepsWithinTheLimitsOfTheProgram) {
  plan_calls(signatures_, std::vector<bool>(kTracedCalls + 100, true), 1u << 20, plans_);
  for (const call_plan& plan : plans_) {
    EXPECT_EQ(plan.chosen, 1);
    ASSERT_LE(plan.captures, kCapturesPerCall);
    for (unsigned i = 0; i < plan.captures; ++i) {
      EXPECT_NE(plan.capture[i].how, kCaptureNothing);
      EXPECT_LT(plan.capture[i].argument, kMostArguments);
      EXPECT_GT(plan.capture[i].unit, 0);
      EXPECT_LE(plan.capture[i].most, kPieceBytes);
    }
  }
}

// The kernel's type information may claim that a struct is larger than ours, or that it is empty.
TEST_F(SyscallPlanTest, ReadsTheFirstStructWholeHoweverLargeItIs) {
  constexpr u32 kNanosleepCall = 35;
  ASSERT_EQ(signatures_.of(kNanosleepCall).name, "nanosleep");
  const u16 small = signatures_.of(kNanosleepCall).arguments[0].layout->size;
  EXPECT_EQ(plan_of(kNanosleepCall).capture[0].unit, small);
  EXPECT_EQ(plan_of(kNanosleepCall).capture[0].most, 512 / small * small) << "an array is cut between structs";
  const auto of_size = [&](u16 size) {
    signatures_.replace_layouts([&](const StructLayout& layout) {
      StructLayout changed = layout;
      changed.size = size;
      return std::optional(std::move(changed));
    });
  };
  of_size(600);
  EXPECT_EQ(plan_of(kNanosleepCall).capture[0].unit, 600);
  EXPECT_EQ(plan_of(kNanosleepCall).capture[0].most, 600);
  of_size(0);
  EXPECT_EQ(plan_of(kNanosleepCall).captures, 0);
}

}  // namespace
}  // namespace peregrine
