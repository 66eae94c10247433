// Notes about kernel state that outlives its creators: who holds a note, and who finds it when its owner is dead.
#include "sys/kernel/ownership_record.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class OwnershipRecords : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(run_);
    set_boot("one");
  }
  void TearDown() override { fs::remove_all(top_); }

  void set_boot(const std::string& id) const {
    fs::create_directories(top_ + "/proc/sys/kernel/random");
    std::ofstream(top_ + "/proc/sys/kernel/random/boot_id") << id << '\n';
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> found;
    for (const OwnershipRecord& record : OwnershipRecord::abandoned(root_)) found.emplace_back(record.text());
    return found;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string add_draft(const std::string& name) const {
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/" + name) << "boot one\nhalf";
    return folder_ + "/" + name;
  }
  // A process that creates a note and is killed; if `guarded`, a child process still holds the note.
  pid_t run_owner(const std::string& text, bool guarded = false) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t owner = ::fork();
    if (owner == 0) {
      auto record = OwnershipRecord::create(root_, text);
      if (guarded && ::fork() == 0) {
        ::close(guard_ends_[1]);
        char byte = 0;
        ::_exit(static_cast<int>(::read(guard_ends_[0], &byte, 1)));  // until the test closes its end
      }
      ::close(guard_ends_[1]);
      const char made = record ? 'y' : 'n';
      static_cast<void>(!::write(ends[1], &made, 1));
      ::pause();
      ::_exit(0);
    }
    char made = 0;
    EXPECT_EQ(::read(ends[0], &made, 1), 1);
    EXPECT_EQ(made, 'y');
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    return owner;
  }

  std::string top_ = ::testing::TempDir() + "ownership." + std::to_string(::getpid());
  std::string run_ = top_ + (::geteuid() == 0 ? "/run" : "/run/user/" + std::to_string(::geteuid()));
  std::string folder_ = run_ + "/peregrine";
  Root root_{top_};
  int guard_ends_[2] = {-1, -1};
};

TEST_F(OwnershipRecords, OfALivingOwnerIsNotAbandoned) {
  auto record = OwnershipRecord::create(root_, "probes\n");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(texts().empty());
  record->settle();
  EXPECT_EQ(files(), 0u);
}

TEST_F(OwnershipRecords, OfAKilledOwnerIsFoundUntilSettled) {
  const pid_t owner = run_owner("probes\nprobe one\n");
  EXPECT_EQ(texts(), std::vector<std::string>{"probes\nprobe one\n"});
  auto found = OwnershipRecord::abandoned(root_);
  ASSERT_EQ(found.size(), 1u) << "looking at it does not remove it";
  EXPECT_EQ(found[0].owner(), owner);
  EXPECT_TRUE(texts().empty()) << "one process at a time undoes it";
  found[0].settle();
  found.clear();
  EXPECT_EQ(files(), 0u);
}

TEST_F(OwnershipRecords, WaitsForAGuardAtWork) {
  ASSERT_EQ(::pipe(guard_ends_), 0);
  run_owner("settings\n", true);
  std::thread work([this] {
    ::usleep(200'000);
    ::close(guard_ends_[1]);
  });
  EXPECT_EQ(texts(), std::vector<std::string>{"settings\n"});
  work.join();
  ::close(guard_ends_[0]);
}

TEST_F(OwnershipRecords, BelongsToForkedGuardAsWell) {
  ASSERT_EQ(::pipe(guard_ends_), 0);
  run_owner("instance\n", true);
  EXPECT_TRUE(texts().empty()) << "the guard lives";
  ::close(guard_ends_[1]);
  EXPECT_EQ(texts(), std::vector<std::string>{"instance\n"});
  ::close(guard_ends_[0]);
}

TEST_F(OwnershipRecords, GrowsWhenMoreIsKnown) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto record = OwnershipRecord::create(root_, "a\n");
    ::_exit(record && record->append("b\n") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(texts(), std::vector<std::string>{"a\nb\n"});
}

// Its owner was killed after creating the note and before naming it.
TEST_F(OwnershipRecords, ADraftOfAKilledOwnerIsRemoved) {
  run_owner("probes\n");
  const std::string draft = add_draft("new.4194304.a1b2c3");
  EXPECT_EQ(texts(), std::vector<std::string>{"probes\n"});
  EXPECT_FALSE(fs::exists(draft));
  EXPECT_EQ(files(), 1u);
}

TEST_F(OwnershipRecords, ADraftThatIsBeingWrittenStays) {
  run_owner("probes\n");
  const std::string draft = add_draft("new.1.a1b2c3");
  const Fd writer(::open(draft.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX | LOCK_NB), 0);
  texts();
  EXPECT_TRUE(fs::exists(draft));
}

TEST_F(OwnershipRecords, OfAnEarlierBootIsDropped) {
  run_owner("probes\n");
  set_boot("two");
  EXPECT_TRUE(texts().empty());
  EXPECT_EQ(files(), 0u);
}

TEST_F(OwnershipRecords, OfAFolderThatOthersCanWriteIsNotBelieved) {
  run_owner("probes\n");
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  EXPECT_TRUE(texts().empty());
  EXPECT_FALSE(OwnershipRecord::create(root_, "probes\n"));
}

TEST_F(OwnershipRecords, BehindASymbolicLinkIsNotBelieved) {
  run_owner("probes\n");
  fs::rename(folder_, folder_ + ".real");
  fs::create_directory_symlink(folder_ + ".real", folder_);
  EXPECT_TRUE(texts().empty());
  EXPECT_FALSE(OwnershipRecord::create(root_, "probes\n"));
}

}  // namespace
}  // namespace peregrine
