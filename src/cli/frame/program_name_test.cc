#include "cli/frame/program_name.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(ProgramName, ReplacesCommandLines) {
  EXPECT_EQ(with_program_name("falcon", "perf record -g"), "falcon record -g");
  EXPECT_EQ(with_program_name("falcon", "'perf list' and `perf -v`, (perf stat)"),
            "'falcon list' and `falcon -v`, (falcon stat)");
  EXPECT_EQ(with_program_name("falcon", "whole: perf record\nperf report"), "whole: falcon record\nfalcon report");
  EXPECT_EQ(with_program_name("perf", "perf record, perf report"), "perf record, perf report");
}

TEST(ProgramName, KeepsOtherMeaningsOfTheWord) {
  for (const char* text :
       {"", "perf", "perf ", "linux-perf record", "perf.data of it", "perf events", "python3 -X perf (since 3.12)",
        "node --perf-basic-prof", "superperf record", "perf || exit"})
    EXPECT_EQ(with_program_name("falcon", text), text);
}

}  // namespace
}  // namespace peregrine
