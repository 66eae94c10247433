#include "base/judged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

class JudgedFileTest : public ::testing::Test {
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
  EXPECT_EQ(fault("file", {.no_writers = S_IWOTH}), FileFault::Writable);
  EXPECT_EQ(fault("file", {.kind = S_IFDIR}), FileFault::Kind);
  EXPECT_EQ(fault("link", {}), FileFault::None);
  EXPECT_EQ(fault("link", {.follow_link = false}), FileFault::Kind);
  const Fd folder(::open(folder_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto below = open_and_judge(folder.get(), "link", path("link"), {.follow_link = false});
  ASSERT_TRUE(below);
  EXPECT_EQ(below->fault, FileFault::Kind);
  EXPECT_FALSE(below->fd);
}

TEST_F(JudgedFileTest, ReadsARegularFileAndNeverWaitsForAnother) {
  std::ofstream(path("file")) << "text";
  EXPECT_EQ(read_regular_file(path("file")).value_or(""), "text");
  EXPECT_FALSE(read_regular_file(path("file"), 3)) << "larger than its limit";
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("fifo", path("link").c_str()), 0);
  for (const char* name : {"fifo", "link", "none", "."}) EXPECT_FALSE(read_regular_file(path(name))) << name;
  EXPECT_FALSE(read_regular_file("/dev/zero"));
  EXPECT_TRUE(read_regular_file("/proc/self/status").value_or("").starts_with("Name:"));
}

TEST_F(JudgedFileTest, LooksAndOpensInsideTheRootOfAProcess) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root for another root folder";
  namespace fs = std::filesystem;
  fs::create_directories(path("root/etc"));
  std::ofstream(path("root/etc/inner")) << "inside";
  fs::create_symlink("/etc/inner", path("root/link"));  // the file does not exist on the host
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chroot(path("root").c_str()) == 0) ::pause();
    ::_exit(1);
  }
  const std::string there = fmt::format("/proc/{}/root/", child);
  for (int i = 0; i < 2000 && ::access((there + "etc/inner").c_str(), F_OK) != 0; ++i) ::usleep(1000);
  EXPECT_EQ(read_regular_file(there + "link").value_or(""), "inside");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
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
