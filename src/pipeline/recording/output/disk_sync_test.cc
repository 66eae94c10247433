#include "pipeline/recording/output/disk_sync.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

// Reports a write-back error once, like the kernel.
std::atomic<int> calls = 0;
int fail_once(int) {
  if (calls++ != 0) return 0;
  errno = EIO;
  return -1;
}
int refuse(int) {
  ++calls;
  errno = EINVAL;
  return -1;
}

class DiskSyncTest : public ::testing::Test {
 protected:
  DiskSyncTest() { calls = 0; }
  // Requests syncs until `count` calls were made.
  static void request(DiskSync& sync, int count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (calls < count && std::chrono::steady_clock::now() < end) {
      sync.request();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_GE(calls, count);
  }
  TemporaryFolder folder_;
  Fd file_{::open(folder_.path("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  int files_[1] = {file_.get()};
};

TEST_F(DiskSyncTest, SucceedsOnAFile) {
  auto sync = DiskSync::start(files_, "perf.data");
  ASSERT_TRUE(sync);
  (*sync)->request();
  EXPECT_TRUE((*sync)->finish());
}

TEST_F(DiskSyncTest, KeepsAnErrorThatTheKernelReportsOnce) {
  auto sync = DiskSync::start(files_, "perf.data", fail_once);
  ASSERT_TRUE(sync);
  request(**sync, 3);
  const auto finished = (*sync)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().system_errno, EIO);
  EXPECT_TRUE(finished.error().message.starts_with("perf.data: cannot flush the recording to disk"))
      << finished.error().message;
}

TEST_F(DiskSyncTest, IgnoresWhatHasNoDisk) {
  auto sync = DiskSync::start(files_, "/dev/null", refuse);
  ASSERT_TRUE(sync);
  request(**sync, 1);
  EXPECT_TRUE((*sync)->finish());
}

}  // namespace
}  // namespace peregrine
