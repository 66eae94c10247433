#include "data/reader/recording_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string_view>
#include <thread>

#include "support/temporary_folder.h"

namespace peregrine::data {
namespace {

namespace fs = std::filesystem;

class RecordingFileTest : public ::testing::Test {
 protected:
  RecordingFileTest() { fs::create_directory(top_ + "/folder"); }

  std::string write(const std::string& name, std::string_view text = "PERFILE2") const {
    return folder_.write(name, text);
  }
  void give_away(const std::string& name) const { folder_.give_away(name); }
  Result<RecordingFile> open(const std::string& name, TrustedOwner owner = TrustedOwner::SelfOrRoot) const {
    return open_recording_file(top_ + "/" + name, owner);
  }

  TemporaryFolder folder_;
  std::string top_ = folder_.path();
};

TEST_F(RecordingFileTest, OpensAFile) {
  write("file");
  const auto file = open("file");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->regular());
  EXPECT_FALSE(file->folder);
}

TEST_F(RecordingFileTest, OpensTheFilesOfAFolder) {
  for (const char* name : {"folder/data", "folder/data.0", "folder/data.1", "folder/data.3"}) write(name);
  const auto file = open("folder");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->folder);
  EXPECT_EQ(file->further.size(), 2u);
}

TEST_F(RecordingFileTest, SaysThatAFolderIsNoRecording) {
  const auto file = open("folder");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::Malformed);
  EXPECT_EQ(file.error().message, top_ + "/folder: not a recording: this folder has no file 'data'");
}

TEST_F(RecordingFileTest, RefusesAFifoInAFolderWithoutWaiting) {
  write("folder/data");
  ASSERT_EQ(::mkfifo((top_ + "/folder/data.0").c_str(), 0600), 0);
  const auto further = open("folder", TrustedOwner::Anyone);
  ASSERT_FALSE(further);
  EXPECT_TRUE(further.error().message.ends_with("data.0: not a regular file")) << further.error().message;
  fs::rename(top_ + "/folder/data.0", top_ + "/folder/data");
  const auto main = open("folder", TrustedOwner::Anyone);
  ASSERT_FALSE(main);
  EXPECT_EQ(main.error().kind, ErrorKind::Denied);
}

TEST_F(RecordingFileTest, FollowsNoLinkInAFolder) {
  write("elsewhere");
  write("folder/data");
  fs::create_symlink("../elsewhere", top_ + "/folder/data.0");
  const auto file = open("folder");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::Denied);
}

TEST_F(RecordingFileTest, OpensTheKernelCopyBelowItsFolder) {
  fs::create_directory(top_ + "/folder/kcore_dir");
  write("folder/data");
  EXPECT_FALSE(open("folder")->kallsyms);
  for (const char* name : {"folder/kcore_dir/kallsyms", "folder/kcore_dir/kcore"}) write(name, name);
  const auto file = open("folder");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(pread_all(file->kallsyms.get(), "").value_or(""), "folder/kcore_dir/kallsyms");
  EXPECT_EQ(pread_all(file->kcore.get(), "").value_or(""), "folder/kcore_dir/kcore");
}

TEST_F(RecordingFileTest, RefusesAKernelCopyThatIsNoFileOrFolder) {
  write("folder/data");
  fs::create_directory(top_ + "/elsewhere");
  fs::create_symlink("../elsewhere", top_ + "/folder/kcore_dir");
  const auto link = open("folder");
  ASSERT_FALSE(link);
  EXPECT_TRUE(link.error().message.ends_with("kcore_dir: not a folder, but a symbolic link")) << link.error().message;
  fs::remove(top_ + "/folder/kcore_dir");
  fs::create_directory(top_ + "/folder/kcore_dir");
  ASSERT_EQ(::mkfifo((top_ + "/folder/kcore_dir/kallsyms").c_str(), 0600), 0);
  const auto fifo = open("folder", TrustedOwner::Anyone);
  ASSERT_FALSE(fifo);
  EXPECT_TRUE(fifo.error().message.ends_with("kallsyms: not a regular file")) << fifo.error().message;
}

TEST_F(RecordingFileTest, RefusesAKernelCopyOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  fs::create_directory(top_ + "/folder/kcore_dir");
  write("folder/data");
  for (const char* name : {"folder/kcore_dir/kallsyms", "folder/kcore_dir/kcore", "folder/kcore_dir"}) {
    if (!std::string_view(name).ends_with("dir")) write(name);
    give_away(name);
    EXPECT_FALSE(open("folder")) << name;
    EXPECT_TRUE(open("folder", TrustedOwner::Anyone)) << name;
    ASSERT_EQ(::chown((top_ + "/" + name).c_str(), 0, 0), 0);
  }
}

TEST_F(RecordingFileTest, RefusesEveryFileOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  for (const char* name : {"file", "folder/data", "folder/data.0"}) write(name);
  for (const char* name : {"file", "folder/data", "folder/data.0", "folder"}) {
    const std::string asked = std::string(name).substr(0, std::string(name).find('/'));
    EXPECT_TRUE(open(asked)) << name;
    give_away(name);
    const auto refused = open(asked);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().message,
              "File " + top_ + "/" + name + " not owned by current user or root (use -f to override)");
    EXPECT_TRUE(open(asked, TrustedOwner::Anyone)) << name;
    ASSERT_EQ(::chown((top_ + "/" + name).c_str(), 0, 0), 0);
  }
}

TEST_F(RecordingFileTest, ReadsAFifoWhoseWriterComesLater) {
  ASSERT_EQ(::mkfifo((top_ + "/fifo").c_str(), 0600), 0);
  std::jthread writer([this] {
    ::usleep(50'000);
    write("fifo", "PERFILE2");
  });
  const auto file = open("fifo");
  ASSERT_TRUE(file) << file.error().message;
  char text[8] = {};
  EXPECT_EQ(read_full(file->main.get(), text, sizeof text).value_or(0), sizeof text);
}

// The link leads to root's file when it is checked, and perhaps to the attacker's when it is opened.
TEST_F(RecordingFileTest, NeverOpensAStrangersFileThroughALinkThatIsSwapped) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  write("mine", "mine");
  write("theirs", "theirs");
  give_away("theirs");
  fs::create_symlink("mine", top_ + "/link");
  std::atomic<bool> stop = false;
  std::jthread attacker([&] {
    for (bool mine = false; !stop; mine = !mine) {
      fs::create_symlink(mine ? "mine" : "theirs", top_ + "/next");
      fs::rename(top_ + "/next", top_ + "/link");
    }
  });
  unsigned opened = 0, refused = 0;
  for (unsigned attempt = 0; attempt < 20'000 && (opened < 500 || refused < 500); ++attempt) {
    const auto file = open("link");
    ++(file ? opened : refused);
    if (file) ASSERT_EQ(read_all(file->main.get(), "link", 100).value_or(""), "mine");
  }
  stop = true;
  EXPECT_GT(opened, 0u);
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace peregrine::data
