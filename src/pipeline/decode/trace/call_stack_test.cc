#include "pipeline/decode/trace/call_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/branch_flag.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
namespace flag = abi::branch_flag;

constexpr u64 kUserMark = static_cast<u64>(-512), kKernelMark = static_cast<u64>(-128);
constexpr u64 kInKernel = 0xffffffff81000000;

class CallStackTest : public ::testing::Test {
 protected:
  void call(u64 from, u64 to, u32 more = 0, u8 length = 5) {
    calls.follow(1, {.from = from, .to = to, .flags = flag::IsBranch | flag::Call | more, .length = length});
  }
  void back(u64 from, u64 to) { calls.follow(1, {from, to, flag::IsBranch | flag::Return, 1}); }
  std::vector<u64> chain(u64 ip, std::size_t most = 16, u32 tid = 1) {
    std::vector<u64> out = {1, 2, 3};
    calls.chain(tid, ip, most, out);
    return out;
  }

  CallStack calls;
};

TEST_F(CallStackTest, KnowsWhereCallsComeBackTo) {
  EXPECT_THAT(chain(0x10), ElementsAre(kUserMark, 0x10u));
  call(0x10, 0x100);
  call(0x110, 0x200);
  EXPECT_THAT(chain(0x200), ElementsAre(kUserMark, 0x200u, 0x115u, 0x15u));
  EXPECT_THAT(chain(0x200, 2), ElementsAre(kUserMark, 0x200u, 0x115u));
  back(0x210, 0x115);
  EXPECT_THAT(chain(0x115), ElementsAre(kUserMark, 0x115u, 0x15u));
}

TEST_F(CallStackTest, EachThreadHasItsOwn) {
  call(0x10, 0x100);
  EXPECT_THAT(chain(0x100, 16, 2), ElementsAre(kUserMark, 0x100u));
}

// longjmp leaves calls without returns; the next return shows which.
TEST_F(CallStackTest, AReturnTakesAllCallsWithinTheOneItAnswers) {
  call(0x10, 0x100);
  call(0x110, 0x200);
  call(0x210, 0x300);
  back(0x1f0, 0x15);
  EXPECT_THAT(chain(0x15), ElementsAre(kUserMark, 0x15u));
}

TEST_F(CallStackTest, IgnoresReturnsWithoutACall) {
  call(0x10, 0x100);
  back(0x150, 0x999);
  EXPECT_THAT(chain(0x999), ElementsAre(kUserMark, 0x999u, 0x15u));
}

TEST_F(CallStackTest, IgnoresCallsOfTheNextInstruction) {
  call(0x10, 0x15);
  call(0x20, 0x100, 0, 0);  // of unknown length
  EXPECT_THAT(chain(0x15), ElementsAre(kUserMark, 0x15u));
}

TEST_F(CallStackTest, SystemCallsOutOfTheTraceComeBackWithoutAReturn) {
  call(0x10, 0x100);
  call(0x110, 0, flag::Syscall | flag::TraceEnd, 2);
  calls.follow(1, {.to = 0x112, .flags = flag::IsBranch | flag::TraceBegin});
  EXPECT_THAT(chain(0x112), ElementsAre(kUserMark, 0x112u, 0x15u));
  calls.follow(1, {.to = 0x112, .flags = flag::IsBranch | flag::TraceBegin});
  EXPECT_THAT(chain(0x112), ElementsAre(kUserMark, 0x112u, 0x15u));
}

TEST_F(CallStackTest, TheKernelsPartHasAMarkerOfItsOwn) {
  call(0x10, kInKernel, flag::Syscall, 2);
  EXPECT_THAT(chain(kInKernel + 8), ElementsAre(kKernelMark, kInKernel + 8, kUserMark, 0x12u));
}

TEST_F(CallStackTest, AGapForgetsAll) {
  call(0x10, 0x100);
  calls.forget(1);
  calls.forget(2);
  EXPECT_THAT(chain(0x100), ElementsAre(kUserMark, 0x100u));
}

// Unbounded recursion keeps its innermost calls, and each call costs the same.
TEST_F(CallStackTest, IsNotDeeperThanItsInnermostThousands) {
  constexpr u64 kCalls = 1'000'000;
  for (u64 i = 0; i < kCalls; ++i) call(0x1000 + 16 * i, 0x10);
  const auto all = chain(0x10, ~std::size_t{0});
  EXPECT_LE(all.size(), 4098u);
  EXPECT_GE(all.size(), 2048u);
  EXPECT_EQ(all[2], 0x1000 + 16 * (kCalls - 1) + 5);
}

}  // namespace
}  // namespace peregrine
