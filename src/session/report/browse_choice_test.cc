#include "session/report/browse_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(BrowseChoice, ListsRecordingsByTheirContents) {
  const TemporaryFolder folder;
  folder.write("perf.data", "PERFILE2 and more");
  folder.write("other", "2ELIFREP, big-endian");
  folder.write("third.data", "PERFILE2");
  folder.write("notes.data", "PERFILE");
  EXPECT_THAT(recordings_in(folder.path(), "perf.data"), UnorderedElementsAre("other", "third.data"));
  EXPECT_THAT(recordings_in(folder.path("none"), ""), IsEmpty());
}

TEST(BrowseChoice, OpensFilesWithBlanksInTheirNames) {
  const BrowseStep step = parse_browse_step("open a b.data");
  EXPECT_EQ(step.opened, "a b.data");
  EXPECT_TRUE(step.whole_time);
}

TEST(BrowseChoice, ChoosesAPartOfTheTime) {
  const BrowseStep step = parse_browse_step("time 12.5%-50%");
  EXPECT_EQ(step.opened, "");
  EXPECT_FALSE(step.whole_time);
  EXPECT_DOUBLE_EQ(step.from, 12.5);
  EXPECT_DOUBLE_EQ(step.to, 50);
}

TEST(BrowseChoice, ReturnsToAllOfTheTime) {
  for (const std::string_view word : {"time ", "time", "time 5", "time x%-y%"})
    EXPECT_TRUE(parse_browse_step(word).whole_time) << word;
}

}  // namespace
}  // namespace peregrine
