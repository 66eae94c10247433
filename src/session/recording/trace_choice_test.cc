#include "session/recording/trace_choice.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(TraceChoice, KeepsTheDefaultWithoutAValue) {
  TraceChoice choice;
  ASSERT_TRUE(choice.take("", false));
  EXPECT_TRUE(choice.decode);
  EXPECT_FALSE(choice.requested);
}

TEST(TraceChoice, TakesTheLastValue) {
  TraceChoice choice;
  ASSERT_TRUE(choice.take("b", false));
  ASSERT_TRUE(choice.take("i", false));
  ASSERT_TRUE(choice.requested);
  EXPECT_TRUE(choice.requested->instructions);
  EXPECT_FALSE(choice.requested->branches);
}

TEST(TraceChoice, DecodesNothingIfNegated) {
  TraceChoice choice;
  ASSERT_TRUE(choice.take("", true));
  EXPECT_FALSE(choice.decode);
}

TEST(TraceChoice, RejectsUnknownLetters) {
  TraceChoice choice;
  const auto taken = choice.take("?", false);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::Usage);
}

TEST(TraceChoice, SumsInstructionsWithTheirCallersByDefault) {
  const ItraceOptions usual = usual_itrace();
  EXPECT_TRUE(usual.instructions && usual.callchain && usual.add_callchain);
  EXPECT_FALSE(usual.branches);
}

}  // namespace
}  // namespace peregrine
