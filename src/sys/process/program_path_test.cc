#include "sys/process/program_path.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>

#include "base/fd.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

class ProgramPath : public ::testing::Test {
 protected:
  ProgramPath() : before_(fs::current_path()), folder_(::testing::TempDir() + "program_path_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/first/tool");
    fs::create_directories(folder_ + "/second");
    make("second/tool", 0700);
    make("first/notes", 0600);
    make("here", 0700);
    fs::current_path(folder_);
  }
  ~ProgramPath() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  void make(const std::string& name, mode_t mode) const {
    EXPECT_TRUE(open_file(folder_ + "/" + name, O_CREAT | O_WRONLY, mode));
  }
  std::string in(const std::string& name) const { return folder_ + "/" + name; }

  fs::path before_;
  std::string folder_;
};

TEST_F(ProgramPath, EmptyEntriesAreTheCurrentFolder) {
  EXPECT_THAT(search_folders("/a:/b"), ElementsAre("/a", "/b"));
  EXPECT_THAT(search_folders(":/a"), ElementsAre(".", "/a"));
  EXPECT_THAT(search_folders("/a:"), ElementsAre("/a", "."));
  EXPECT_THAT(search_folders("/a::/b"), ElementsAre("/a", ".", "/b"));
  EXPECT_THAT(search_folders(""), ElementsAre("."));
  for (const char* path : {":/nonexistent", "/nonexistent:", "/nonexistent::/bin", "", "."})
    EXPECT_EQ(find_program("here", path), "./here") << path;
  EXPECT_EQ(find_program("here", "/nonexistent"), "");
}

TEST_F(ProgramPath, FoldersAndFilesThatCannotBeRunArePassedOver) {
  EXPECT_EQ(find_program("tool", in("first") + ":" + in("second")), in("second/tool"));
  EXPECT_EQ(find_program("tool", in("first")), "");
  EXPECT_EQ(find_program("notes", in("first")), "");
  EXPECT_FALSE(is_executable(in("first/tool")));
  EXPECT_FALSE(is_executable(in("absent")));
  EXPECT_TRUE(is_executable(in("second/tool")));
}

TEST_F(ProgramPath, NamesWithASlashAreNotSearched) {
  EXPECT_EQ(find_program("./tool", in("second")), "./tool");
  EXPECT_EQ(find_program("second/tool", ""), "second/tool");
  EXPECT_EQ(find_program("", in("second")), "");
}

}  // namespace
}  // namespace peregrine
