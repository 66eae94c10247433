#include "session/sandbox/trusted_code.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class TrustedCodeTest : public ::testing::Test {
 protected:
  TrustedCodeTest() {
    fs::create_directory(folder_);
    std::ofstream(file_) << "code";
  }
  std::string why(const std::string& path) const {
    const auto trusted = trusted_code(path);
    return trusted ? "" : trusted.error().message;
  }
  TemporaryFolder temporary_;
  std::string top_ = temporary_.path(), folder_ = top_ + "/folder", file_ = folder_ + "/x.so";
};

TEST_F(TrustedCodeTest, GivesAPathWithoutLinks) {
  fs::create_symlink("folder/x.so", top_ + "/link.so");
  EXPECT_EQ(trusted_code(top_ + "/link.so").value_or(""), fs::canonical(file_).string());
}

TEST_F(TrustedCodeTest, RefusesFilesAndFoldersOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  for (const std::string& theirs : {file_, folder_, top_}) {
    ASSERT_EQ(::chown(theirs.c_str(), TemporaryFolder::kStranger, TemporaryFolder::kStranger), 0);
    EXPECT_NE(why(file_).find("belongs to user 12345, not to you or root"), std::string::npos) << theirs;
    ASSERT_EQ(::chown(theirs.c_str(), 0, 0), 0);
    EXPECT_EQ(why(file_), "");
  }
}

TEST_F(TrustedCodeTest, RefusesWhatEverybodyCanWrite) {
  ASSERT_EQ(::chmod(file_.c_str(), 0666), 0);
  EXPECT_EQ(why(file_), file_ + ": the file is writable by everyone");
  ASSERT_EQ(::chmod(file_.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  EXPECT_EQ(why(file_), file_ + ": its folder is writable by everyone");
  ASSERT_EQ(::chmod(folder_.c_str(), 01777), 0);
  EXPECT_EQ(why(file_), "");
}

TEST_F(TrustedCodeTest, RefusesWhatItsGroupCanWrite) {
  ASSERT_EQ(::chmod(file_.c_str(), 0664), 0);
  EXPECT_EQ(why(file_), file_ + ": the file is writable by its group");
  ASSERT_EQ(::chmod(file_.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0775), 0);
  EXPECT_EQ(why(file_), file_ + ": its folder is writable by its group");
  ASSERT_EQ(::chmod(folder_.c_str(), 01775), 0);
  EXPECT_EQ(why(file_), "");
}

TEST_F(TrustedCodeTest, RefusesWhatIsNoFile) {
  EXPECT_EQ(why(folder_), folder_ + ": not a regular file");
  EXPECT_NE(why(top_ + "/none"), "");
  ASSERT_EQ(::mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  EXPECT_NE(why(folder_ + "/fifo"), "");
}

}  // namespace
}  // namespace peregrine
