#include "cli/frame/nearest_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/fd.h"

namespace peregrine {
namespace {

TEST(NearestFile, LooksBesideTheFileAndInThePath) {
  const std::string folder = ::testing::TempDir() + "nearest_file_test";
  mkdir(folder.c_str(), 0700);
  for (const char* name : {"/perf.data", "/perf.data.old", "/gcc"})
    ASSERT_TRUE(open_file(folder + name, O_CREAT | O_WRONLY, 0600));
  EXPECT_EQ(nearest_file_hint(folder + "/perf.dta"), "did you mean " + folder + "/perf.data?");
  EXPECT_EQ(nearest_file_hint(folder + "/perf.data.of-today"), "did you mean " + folder + "/perf.data?");
  EXPECT_EQ(nearest_file_hint(folder + "/something-else-entirely"), "");
  EXPECT_EQ(nearest_file_hint(folder + "-absent/perf.data"), "");
  EXPECT_EQ(nearest_program_hint("gc", "/nonexistent::" + folder), "did you mean 'gcc'?");
  EXPECT_EQ(nearest_program_hint("frobnicate", folder), "there is no program 'frobnicate' in $PATH");
  EXPECT_EQ(nearest_program_hint(folder + "/gccc", ""), "did you mean " + folder + "/gcc?");
}

}  // namespace
}  // namespace peregrine
