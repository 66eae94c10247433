#include "base/file/replace_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/fd.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(ReplaceFile, WritesAllOrNothing) {
  const TemporaryFolder temporary;
  const std::string& folder = temporary.path();
  std::filesystem::create_directories(folder + "/in_the_way");
  ASSERT_TRUE(replace_file(folder + "/file", "old", 0600));
  ASSERT_TRUE(replace_file(folder + "/file", "new", 0640));
  EXPECT_EQ(*read_file(folder + "/file"), "new");
  struct stat status{};
  ASSERT_EQ(::stat((folder + "/file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0137, 0u);
  EXPECT_FALSE(replace_file(folder + "/in_the_way", "x", 0600));
  EXPECT_FALSE(replace_file(folder + "/absent/file", "x", 0600));
  EXPECT_EQ(temporary.names(), 2u);
}

}  // namespace
}  // namespace peregrine
