#include "event/syntax/event_hint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(EventHint, SaysHowToListAndDefineMarkers) {
  for (const char* event : {"*", "start"}) {
    const std::string hint = undefined_event_hint("sdt_app", event);
    EXPECT_NE(hint.find("`readelf -n PROGRAM`"), std::string::npos) << hint;
    EXPECT_NE(hint.find(fmt::format("`perf probe -x PROGRAM '%sdt_app:{}'`", event)), std::string::npos) << hint;
    EXPECT_NE(hint.find("`perf record` defines"), std::string::npos) << hint;
  }
}

TEST(EventHint, SaysThatThePercentOfMarkersIsForProbe) {
  EXPECT_EQ(undefined_event_hint("%sdt_app", "start"), "write sdt_app:start: the % is for `perf probe` only");
}

TEST(EventHint, SaysHowToDefineProbes) {
  EXPECT_EQ(undefined_event_hint("probe", "vfs_open"), "define it first: perf probe vfs_open");
  EXPECT_EQ(undefined_event_hint("probe", "vfs_*"), "define it first: perf probe FUNCTION");
  EXPECT_EQ(undefined_event_hint("probe_app", "work"), "define it first: perf probe -x PROGRAM work");
  EXPECT_EQ(undefined_event_hint("probe_app", "*"), "define it first: perf probe -x PROGRAM FUNCTION");
}

TEST(EventHint, HasNoneForGlobsOfTheKernel) {
  EXPECT_EQ(undefined_event_hint("syscalls", "sys_enter_socketcal*"), "");
  EXPECT_EQ(undefined_event_hint("sched", "sched_switch"), "");
  EXPECT_NE(undefined_event_hint("syscalls", "sys_enter_socketcall"), "");
}

}  // namespace
}  // namespace peregrine
