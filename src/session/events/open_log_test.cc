#include "session/events/open_log.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "abi/attr.h"
#include "support/kept_messages.h"
#include "sys/root.h"

namespace peregrine {
namespace {

abi::EventAttr cpu_clock() {
  abi::EventAttr attr;
  attr.type = 1;
  attr.sample_period = 4000;
  attr.set(abi::attr_flag::Freq);
  return attr;
}

TEST(OpenLog, ShowsTheAttrOnceAndEachCall) {
  const auto attr = cpu_clock();
  const std::string first = attempt_text({attr, 12, 0, -1, 8, 5, false});
  EXPECT_EQ(first,
            "------------------------------------------------------------\n"
            "perf_event_attr:\n"
            "  type                             1\n"
            "  size                             128\n"
            "  { sample_period, sample_freq }   4000\n"
            "  freq                             1\n"
            "------------------------------------------------------------\n"
            "sys_perf_event_open: pid 12  cpu 0  group_fd -1  flags 0x8 = 5\n");
  EXPECT_EQ(attempt_text({attr, 12, 1, -1, 8, -2, true}),
            "sys_perf_event_open: pid 12  cpu 1  group_fd -1  flags 0x8\nsys_perf_event_open failed, error -2\n");
}

TEST(OpenLog, ListensOnlyIfSomebodyWantsToKnow) {
  testing::KeptMessages heard;
  EXPECT_FALSE(OpenLog(heard, false, "").listener());
}

TEST(OpenLog, TellsItsListenerOfAttempts) {
  testing::KeptMessages heard;
  OpenLog log(heard, true, "");
  const auto listener = log.listener();
  ASSERT_TRUE(listener);
  const auto attr = cpu_clock();
  listener({attr, 12, 0, -1, 8, 5, true});
  EXPECT_EQ(heard.take(), "sys_perf_event_open: pid 12  cpu 0  group_fd -1  flags 0x8 = 5\n");
}

TEST(OpenLog, WarnsOnceIfItsFolderCannotBeWrittenTo) {
  testing::KeptMessages heard;
  OpenLog log(heard, false, "/nonexistent");
  const auto listener = log.listener();
  const auto attr = cpu_clock();
  listener({attr, 12, 0, -1, 8, 5, false});
  listener({attr, 12, 1, -1, 8, 6, false});
  EXPECT_EQ(heard.take(),
            "warning: cannot write an event attr to /nonexistent/event-1-0-5\n"
            "hint: PERF_TEST_ATTR must name a writable folder\n");
}

TEST(OpenLog, WritesOneFilePerAttemptEvenIfRefused) {
  std::string folder = std::filesystem::temp_directory_path() / "open_log.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  testing::KeptMessages heard;
  OpenLog log(heard, false, folder);
  const auto listener = log.listener();
  ASSERT_TRUE(listener);
  const auto attr = cpu_clock();
  listener({attr, 12, 0, -1, 8, -22, false});
  listener({attr, 12, 0, -1, 8, -22, false});
  listener({attr, 12, 0, 3, 8, 5, false, true, 1, 0});
  listener({attr, 12, 0, -1, 8, -2, false, false, 2, 0});
  const Root root(folder);
  EXPECT_EQ(root.sorted_names("/"), (std::vector<std::string>{"event-1-0-5", "event-1-0-refused1", "event-1-0-refused2",
                                                              "event-1-0-refused3"}));
  const std::string text = root.read("/event-1-0-5").value_or("");
  EXPECT_TRUE(text.starts_with("[event-1-0-5]\nfd=5\ngroup_fd=3\ncpu=0\npid=12\nflags=8\ntype=1\nsize=128\nconfig=0\n"))
      << text;
  EXPECT_NE(text.find("\nsample_period=4000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nfreq=1\n"), std::string::npos) << text;
  EXPECT_NE(root.read("/event-1-0-refused1").value_or("").find("\nfd=-2\n"), std::string::npos);
  EXPECT_NE(root.read("/event-1-0-refused3").value_or("").find("\nfd=-4\ngroup_fd=-2\n"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace peregrine
