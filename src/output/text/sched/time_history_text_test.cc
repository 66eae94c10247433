#include "output/text/sched/time_history_text.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

std::string history_titles(const TimeHistoryLook& look) {
  Sink out;
  TimeHistoryText(look, out).print_titles();
  return out.take();
}

TEST(TimeHistoryText, TitlesNameTheTimesOfATask) {
  EXPECT_EQ(history_titles({}),
            "           time    cpu  task name                       wait time  sch delay   run time\n"
            "                        [tid/pid]                          (msec)     (msec)     (msec)\n"
            "--------------- ------  ------------------------------  ---------  ---------  ---------\n");
}

TEST(TimeHistoryText, ThePictureHasADigitPerCpu) {
  EXPECT_EQ(
      history_titles({.cpus = 18, .picture = true}),
      "           time    cpu  0123456789ABCDEF01  task name                       wait time  sch delay   run time\n"
      "                                            [tid/pid]                          (msec)     (msec)     (msec)\n"
      "--------------- ------  ------------------  ------------------------------  ---------  ---------  "
      "---------\n");
}

TEST(TimeHistoryText, OptionsAddColumnsAtTheEnd) {
  const std::string text = history_titles({.state = true, .priority = true, .pre_migrations = true});
  EXPECT_TRUE(text.contains("   run time  pre-mig time  prio out->in   state\n")) << text;
  EXPECT_TRUE(text.contains("     (msec)        (msec)" + std::string(22, ' ') + "\n")) << text;
  EXPECT_TRUE(text.contains("  ---------  ------------  -------------  -----\n")) << text;
}

TEST(TimeHistoryText, LostEventsHaveALineOfTheirOwn) {
  Sink out;
  TimeHistoryText({}, out).print_lost(5'001'000'000, 7, 2);
  EXPECT_EQ(out.take(), "       5.001000 lost 7 events on cpu 2\n");
}

}  // namespace
}  // namespace peregrine
