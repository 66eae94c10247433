#include "capture/daemon/base_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

class BaseFolderTest : public ::testing::Test {
 protected:
  // "opened", or the reason for refusal.
  std::string opened(const char* name) const {
    const auto file = open_private_file(fd_.get(), name, O_WRONLY, name);
    return file ? "opened" : file.error().message;
  }

  TemporaryFolder folder_;
  Fd fd_ = folder_.open();
};

TEST_F(BaseFolderTest, MustExistAndBeAFolder) {
  EXPECT_TRUE(open_base_folder(folder_.path()));
  const std::string none = folder_.path("none"), file = folder_.write("file", "");
  const auto missing = open_base_folder(none);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(missing.error().message, "base '" + none + "' does not exist");
  EXPECT_EQ(missing.error().hint, "mkdir -p " + none);
  EXPECT_EQ(open_base_folder(file).error().message, "base '" + file + "' is not a directory");
}

TEST_F(BaseFolderTest, MustNotBeWritableByOthers) {
  EXPECT_TRUE(judge_folder(fd_.get(), "base"));
  ASSERT_EQ(::fchmod(fd_.get(), 0755), 0);
  EXPECT_TRUE(judge_folder(fd_.get(), "base")) << "others may look";
  for (const mode_t mode : {mode_t{0770}, mode_t{0702}}) {
    ASSERT_EQ(::fchmod(fd_.get(), mode), 0);
    const auto judged = judge_folder(fd_.get(), "base");
    ASSERT_FALSE(judged) << mode;
    EXPECT_EQ(judged.error().kind, ErrorKind::Denied);
    EXPECT_EQ(judged.error().message, "other users can write to 'base'");
    EXPECT_EQ(judged.error().hint, "chmod go-w base");
  }
}

TEST_F(BaseFolderTest, HasFoldersOfItsOwnerAlone) {
  ASSERT_TRUE(make_private_folder(fd_.get(), "session", "session"));
  EXPECT_EQ(folder_.mode("session"), 0700u);
  EXPECT_TRUE(make_private_folder(fd_.get(), "session", "session")) << "one that is there is taken";
  std::filesystem::create_symlink("session", folder_.path("link"));
  EXPECT_FALSE(make_private_folder(fd_.get(), "link", "link"));
  folder_.write("file", "");
  EXPECT_FALSE(make_private_folder(fd_.get(), "file", "file"));
}

TEST_F(BaseFolderTest, OpensRegularFilesWithOneName) {
  EXPECT_EQ(opened("log"), "opened");
  EXPECT_EQ(folder_.mode("log"), 0600u);
  folder_.write("shared", "");
  ASSERT_EQ(::chmod(folder_.path("shared").c_str(), 0666), 0);
  EXPECT_EQ(opened("shared"), "opened");
  EXPECT_EQ(folder_.mode("shared"), 0600u) << "the mode is corrected";
  std::filesystem::create_hard_link(folder_.path("log"), folder_.path("second"));
  EXPECT_EQ(opened("log"), "'log' is not a regular file, or has several hard links");
  std::filesystem::create_symlink("shared", folder_.path("link"));
  EXPECT_EQ(opened("link"), "'link' is a symbolic link");
}

TEST_F(BaseFolderTest, ReusesItsFifosAndNothingElse) {
  ASSERT_TRUE(make_private_fifo(fd_.get(), "control", "control"));
  EXPECT_TRUE(std::filesystem::is_fifo(folder_.path("control")));
  EXPECT_EQ(folder_.mode("control") & 077, 0u);
  EXPECT_TRUE(make_private_fifo(fd_.get(), "control", "control"));
  folder_.write("file", "");
  EXPECT_EQ(make_private_fifo(fd_.get(), "file", "file").error().message, "'file' is not a fifo");
  std::filesystem::create_symlink("control", folder_.path("link"));
  EXPECT_EQ(make_private_fifo(fd_.get(), "link", "link").error().message, "'link' is not a fifo");
}

TEST_F(BaseFolderTest, RefusesWhatBelongsToAStranger) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  folder_.write("foreign", "");
  folder_.give_away("foreign");
  EXPECT_EQ(opened("foreign"), "'foreign' belongs to user 12345, not to you or root");
}

TEST_F(BaseFolderTest, RemovesOwnedNamesUnlessReleased) {
  for (const char* name : {"gone", "kept", "moved"}) folder_.write(name, "");
  {
    const OwnedName gone(fd_.get(), "gone");
    OwnedName kept(fd_.get(), "kept");
    kept.release();
  }
  EXPECT_FALSE(folder_.has("gone"));
  EXPECT_TRUE(folder_.has("kept"));
  OwnedName owner;
  {
    OwnedName first(fd_.get(), "moved");
    owner = std::move(first);
  }
  EXPECT_TRUE(folder_.has("moved")) << "its owner is alive";
  owner.remove();
  EXPECT_FALSE(folder_.has("moved"));
}

}  // namespace
}  // namespace peregrine
