#include "base/file/absolute_path.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace peregrine {
namespace {

TEST(AbsolutePath, StartsInTheCurrentFolder) {
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_EQ(absolute_path("a/./b/../c"), (here / "a/c").string());
  EXPECT_EQ(absolute_path("/x/../y"), "/y");
}

TEST(AbsolutePath, StaysAsItIsIfTheCurrentFolderWasRemoved) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string folder = ::testing::TempDir() + "absolute_path_removed";
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  std::filesystem::remove(folder);
  const std::string path = absolute_path("a");
  std::filesystem::current_path(before);
  EXPECT_EQ(path, "a");
}

}  // namespace
}  // namespace peregrine
