#include "session/events/event_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EventFilesTest : public ::testing::Test {
 protected:
  EventFilesTest() {
    for (const char* name : {"b.json", "a.json", "notes.txt"})
      machine_.write(std::string("/home/.config/peregrine/events/") + name + " = []");
  }
  const std::string folder_ = "/home/.config/peregrine/events";
  testing::Machine machine_;
};

TEST_F(EventFilesTest, AreTheJsonFilesOfTheFolderByName) {
  EXPECT_THAT(find_event_files({.folder = folder_}, machine_.root()),
              ElementsAre(folder_ + "/a.json", folder_ + "/b.json"));
  EXPECT_THAT(find_event_files({.folder = "/home/absent"}, machine_.root()), IsEmpty());
  EXPECT_THAT(find_event_files({}, machine_.root()), IsEmpty());
}

TEST_F(EventFilesTest, AreListedInTheOrderOfTheVariable) {
  EXPECT_THAT(find_event_files({.listed = "/x/absent.json::" + folder_, .folder = folder_}, machine_.root()),
              ElementsAre("/x/absent.json", folder_ + "/a.json", folder_ + "/b.json"));
  EXPECT_THAT(find_event_files({.listed = "", .folder = folder_}, machine_.root()), IsEmpty());
}

}  // namespace
}  // namespace peregrine
