#include "base/judged_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

class JudgedFileTest : public testing::Test {
 protected:
  std::string path(const char* name) const { return folder_.path(name); }
  TemporaryFolder folder_;
};

TEST_F(JudgedFileTest, OpensARegularFileOfThisUser) {
  std::ofstream(path("mine")) << "text";
  auto file = open_judged(path("mine"), {.owners = owners_of(TrustedOwner::SelfOrRoot)});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->status.st_size, 4);
  EXPECT_EQ(read_all(file->fd.get(), "mine").value_or(""), "text");
}

TEST_F(JudgedFileTest, RefusesAFifoWithoutWaitingForAWriter) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  auto file = open_judged(path("fifo"), {});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::Denied);
}

TEST_F(JudgedFileTest, RefusesADirectory) {
  auto file = open_judged(folder_.path(), {});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::Denied);
}

TEST_F(JudgedFileTest, RefusesAnotherUsersFileUnlessAnyoneIsTrusted) {
  std::ofstream(path("theirs")) << "text";
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  ASSERT_EQ(::chown(path("theirs").c_str(), 12345, 12345), 0);
  auto file = open_judged(path("theirs"), {.owners = owners_of(TrustedOwner::SelfOrRoot)});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::Denied);
  EXPECT_TRUE(open_judged(path("theirs"), {}));
}

TEST_F(JudgedFileTest, JudgesWhereASymbolicLinkEnds) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  std::ofstream(path("theirs")) << "text";
  ASSERT_EQ(::chown(path("theirs").c_str(), 12345, 12345), 0);
  ASSERT_EQ(::symlink("theirs", path("link").c_str()), 0);
  EXPECT_FALSE(open_judged(path("link"), {.owners = owners_of(TrustedOwner::SelfOrRoot)}));
}

TEST_F(JudgedFileTest, NamesTheFirstBrokenRule) {
  std::ofstream(path("file")) << "text";
  ASSERT_EQ(::chmod(path("file").c_str(), 0666), 0);
  ASSERT_EQ(::symlink("file", path("link").c_str()), 0);
  const auto fault = [&](const char* name, const FileRules& rules) {
    const auto file = open_and_judge(path(name), rules);
    EXPECT_TRUE(file) << name;
    return file ? file->fault : FileFault::None;
  };
  EXPECT_EQ(fault("file", {}), FileFault::None);
  EXPECT_EQ(fault("file", {.everybody_may_write = false}), FileFault::Writable);
  EXPECT_EQ(fault("file", {.kind = S_IFDIR}), FileFault::Kind);
  EXPECT_EQ(fault("link", {}), FileFault::None);
  EXPECT_EQ(fault("link", {.follow_link = false}), FileFault::Kind);
  const Fd folder(::open(folder_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto below = open_and_judge(folder.get(), "link", path("link"), {.follow_link = false});
  ASSERT_TRUE(below);
  EXPECT_EQ(below->fault, FileFault::Kind);
  EXPECT_FALSE(below->fd);
}

TEST_F(JudgedFileTest, TrustsTheOwnersThatAreNamedAndRoot) {
  struct stat status{};
  status.st_uid = 12345;
  EXPECT_TRUE(is_trusted(status, {}));
  EXPECT_TRUE(is_trusted(status, FileOwners({7, 12345})));
  EXPECT_FALSE(is_trusted(status, FileOwners({7})));
  status.st_uid = 0;
  EXPECT_TRUE(is_trusted(status, FileOwners({7})));
}

}  // namespace
}  // namespace peregrine
