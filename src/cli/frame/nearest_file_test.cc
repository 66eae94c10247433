#include "cli/frame/nearest_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/fd.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(NearestFile, LooksBesideTheFileAndInThePath) {
  const std::string folder = ::testing::TempDir() + "nearest_file_test";
  mkdir(folder.c_str(), 0700);
  for (const char* name : {"/perf.data", "/perf.data.old", "/gcc"})
    ASSERT_TRUE(open_file(folder + name, O_CREAT | O_WRONLY, 0600));
  EXPECT_EQ(nearest_file_hint(folder + "/perf.dta"), "did you mean '" + folder + "/perf.data'?");
  EXPECT_EQ(nearest_file_hint(folder + "/perf.data.of-today"), "did you mean '" + folder + "/perf.data'?");
  EXPECT_EQ(nearest_file_hint(folder + "/something-else-entirely"), "");
  EXPECT_EQ(nearest_file_hint(folder + "-absent/perf.data"), "");
}

TEST(NearestFile, HasNoHintInARemovedFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string folder = ::testing::TempDir() + "nearest_file_removed";
  ::mkdir(folder.c_str(), 0700);
  std::filesystem::current_path(folder);
  ASSERT_EQ(::rmdir(folder.c_str()), 0);
  EXPECT_EQ(nearest_file_hint("perf.data"), "");
  EXPECT_EQ(nearest_file_hint("absent/perf.data"), "");
  std::filesystem::current_path(before);
}

// Runs in a separate folder as the current one.
class NearestProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::mkdir((folder_ + "/bin").c_str(), 0700), 0);
    for (const char* name : {"/wl", "/bin/python3", "/bin/touch", "/bin/ls", "/bin/reboot", "/bin/systemctl"})
      ASSERT_TRUE(open_file(folder_ + name, O_CREAT | O_WRONLY, 0700));
    ASSERT_TRUE(open_file(folder_ + "/plain", O_CREAT | O_WRONLY, 0600));
    std::filesystem::current_path(folder_);
  }
  void TearDown() override { std::filesystem::current_path(before_); }

  std::string hint(std::string_view word) const {
    static constexpr Command kReport{.name = "report", .summary = "rows"};
    static constexpr Command kHidden{.name = "secret", .summary = "rows", .shown = Shown::Hidden};
    static constexpr const Command* kCommands[] = {&kReport, &kHidden};
    const std::string path = "/nonexistent:" + folder_ + "/bin";
    return nearest_program_hint(word, {.search_path = path, .own_name = "falcon", .commands = kCommands});
  }
  std::string none(std::string_view word) const { return fmt::format("program '{}' not found in $PATH", word); }

  TemporaryFolder holder_;
  const std::string folder_ = holder_.path();
  const std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(NearestProgram, MayBeInTheCurrentFolder) {
  EXPECT_EQ(hint("wl"), "did you mean './wl'?");
  EXPECT_EQ(hint("plain"), none("plain")) << "not executable";
  EXPECT_EQ(hint("./wll"), "did you mean './wl'?");
}

TEST_F(NearestProgram, MayBeACommandOfOurs) {
  EXPECT_EQ(hint("report"), "did you mean 'falcon report'?");
  EXPECT_EQ(hint("secret"), none("secret"));
}

TEST_F(NearestProgram, HasATypo) {
  EXPECT_EQ(hint("tuoch"), "did you mean 'touch'?") << "a swap is one edit";
  EXPECT_EQ(hint("pythn3"), "did you mean 'python3'?");
  EXPECT_EQ(hint("pythn"), none("pythn")) << "two edits of five letters";
  EXPECT_EQ(hint("systmctrl"), "did you mean 'systemctl'?");
  EXPECT_EQ(hint("lss"), none("lss")) << "too short";
  EXPECT_EQ(hint("nosuch"), none("nosuch"));
  EXPECT_EQ(hint("repot"), none("repot"));
}

TEST_F(NearestProgram, IsNotTheOneThatCannotStart) {
  EXPECT_EQ(hint("touch"), "");
  EXPECT_EQ(hint("./wl"), "");
}

}  // namespace
}  // namespace peregrine
