// `list`: what its options request, tested with software events, which every kernel has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/frame/config.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Ignores files of the user who runs the test.
Called listing_of(std::vector<std::string> arguments) {
  return called(kList, std::move(arguments), Config::of({}, {}));
}

TEST(ListCommand, KindsSelectEvents) {
  const Called software = listing_of({"sw"});
  EXPECT_EQ(software.code, 0) << software.error.message;
  for (const char* event : {"cpu-clock", "task-clock", "page-faults OR faults", "context-switches OR cs", "dummy"})
    EXPECT_THAT(software.printed, HasSubstr(event));
  EXPECT_THAT(software.printed, HasSubstr("[Software event]"));
  EXPECT_THAT(software.printed, Not(HasSubstr("[Hardware event]")));
}

TEST(ListCommand, PartsOfNamesSelectEvents) {
  const std::string text = listing_of({"page-faul"}).printed;
  EXPECT_THAT(text, HasSubstr("page-faults"));
  EXPECT_THAT(text, Not(HasSubstr("cpu-migrations")));
}

TEST(ListCommand, NamesForCompletionAreOnOneLine) {
  const std::string names = listing_of({"--raw-dump", "sw"}).printed;
  EXPECT_THAT(names, HasSubstr("cpu-clock"));
  EXPECT_THAT(names, Not(HasSubstr("[Software event]")));
  EXPECT_EQ(names.substr(0, names.find_last_not_of(" \n") + 1).find('\n'), std::string::npos);
}

TEST(ListCommand, JsonIsAnArray) {
  const std::string text = listing_of({"-j", "sw"}).printed;
  EXPECT_THAT(text, StartsWith("["));
  EXPECT_THAT(text, EndsWith("]\n"));
  EXPECT_THAT(text, HasSubstr("\"cpu-clock\""));
}

TEST(ListCommand, ListsGoToAFile) {
  const TemporaryFolder folder;
  const Called call = listing_of({"-o", folder.path("events"), "sw"});
  EXPECT_EQ(call.code, 0) << call.error.message;
  EXPECT_EQ(call.printed, "");
  EXPECT_EQ(folder.text("events"), listing_of({"sw"}).printed);
  EXPECT_THAT(listing_of({"-o", folder.path("none/events"), "sw"}).error.message,
              HasSubstr(folder.path("none/events")));
}

// perf_event_attr begins with type (4 bytes), size (4 bytes) and config (8 bytes), little-endian.
TEST(ListCommand, AttributesAreTheBytesOfTheKernelsStruct) {
  const std::string two = listing_of({"--attr", "{cpu-clock,page-faults}"}).printed;
  EXPECT_THAT(two, HasSubstr("\"attr\":\"01000000"));
  const std::string clock = two.substr(0, two.find('\n')), faults = two.substr(two.find('\n') + 1);
  const auto config_of = [](const std::string& line) { return line.substr(line.find("\"attr\":\"") + 8 + 16, 16); };
  EXPECT_EQ(config_of(clock), "0000000000000000") << "PERF_COUNT_SW_CPU_CLOCK";
  EXPECT_EQ(config_of(faults), "0200000000000000") << "PERF_COUNT_SW_PAGE_FAULTS";
  for (const std::string& line : {clock, faults}) EXPECT_THAT(line, HasSubstr("\"leader\":0")) << "one group";
  EXPECT_EQ(listing_of({"--attr", "no-such-event"}).printed, "");
  EXPECT_THAT(listing_of({"--attr", "no-such-event"}).error.message, HasSubstr("no-such-event"));
}

}  // namespace
}  // namespace peregrine::cmd
