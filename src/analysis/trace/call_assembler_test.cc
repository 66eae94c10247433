#include "analysis/trace/call_assembler.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "abi/arch/syscall.h"

namespace peregrine {
namespace {

// The reported steps, each as a letter and the thread: c call, r resumed, n continued, i interrupted, u unended.
class Told : public CallReader {
 public:
  bool call(const TracedCall& call) override {
    const char kind = call.unended ? 'u' : call.resumed ? 'r' : call.continued ? 'n' : 'c';
    text += kind + std::to_string(call.tid) + " ";
    last = call;
    return !full;
  }
  bool interrupted(const TracedCall& call) override {
    text += "i" + std::to_string(call.tid) + " ";
    return !full;
  }
  void name(i32, i32, std::string_view) override {}
  std::string text;
  TracedCall last;
  bool full = false;
};

class Assembler : public ::testing::Test {
 protected:
  static constexpr u32 kRead = 0, kWait = 61, kExit = 231;
  bool enter(i32 tid, u64 time, u32 number = kRead) { return held_->enter(1, tid, time, number, {tid == 1 ? 4u : 5u}); }
  bool leave(i32 tid, u64 time, i64 result = 0, u32 number = kRead) {
    return held_->leave(1, tid, time, number, result);
  }
  void filter(CallFilter filter) { held_.emplace(signatures_, std::move(filter), told_); }

  Signatures signatures_{abi::SyscallSet::X86_64};
  Told told_;
  std::optional<CallAssembler> held_{std::in_place, signatures_, CallFilter{}, told_};
};

TEST_F(Assembler, PutsBeginAndEndTogether) {
  enter(1, 100);
  leave(1, 140, 7);
  EXPECT_EQ(told_.text, "c1 ");
  EXPECT_EQ(told_.last.duration, 40u);
  EXPECT_EQ(told_.last.result, 7);
  EXPECT_EQ(told_.last.arguments[0], 4u);
}

TEST_F(Assembler, TellsWhatGoesOnMeanwhile) {
  enter(1, 100, kWait);
  enter(2, 110);
  leave(2, 120);
  leave(1, 200, 0, kWait);
  EXPECT_EQ(told_.text, "i1 c2 r1 ");
  EXPECT_EQ(told_.last.start, 100u);
  told_.text.clear();
  enter(1, 300);
  held_->interrupt();
  held_->interrupt();  // reported once
  leave(1, 400);
  EXPECT_EQ(told_.text, "i1 r1 ");
}

TEST_F(Assembler, KnowsEndsWithoutBeginAndTheOtherWayRound) {
  leave(1, 100);
  enter(1, 110, kExit);
  EXPECT_EQ(told_.text, "n1 u1 ");
  told_.text.clear();
  enter(2, 200);            // its exit is missing
  leave(2, 300, 0, kWait);  // the exit of another call, which has no enter
  EXPECT_EQ(told_.text, "n2 ");
  EXPECT_EQ(told_.last.duration, 0u);
}

TEST_F(Assembler, ReportsWholeCallsOnRequest) {
  filter({.chosen = {}, .whole = true});
  enter(1, 100, kWait);
  enter(2, 110);
  leave(2, 120);
  leave(1, 130, 0, kWait);
  EXPECT_EQ(told_.text, "c2 c1 ");
}

TEST_F(Assembler, LeavesOutCallsThatAreNotChosen) {
  CallFilter chosen;
  chosen.chosen.assign(512, false);
  chosen.chosen[kWait] = true;
  filter(chosen);
  enter(1, 100);
  leave(1, 500);
  enter(1, 610, kWait);
  leave(1, 620, 0, kWait);
  EXPECT_EQ(told_.text, "c1 ");
  EXPECT_EQ(told_.last.number, kWait);
}

TEST_F(Assembler, EndsWhenTheReaderHasEnough) {
  told_.full = true;
  EXPECT_TRUE(enter(1, 100));
  EXPECT_FALSE(enter(2, 110));
  EXPECT_FALSE(leave(2, 120));
}

}  // namespace
}  // namespace peregrine
