#include "session/io/io_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(IoRecording, LeavesOutTheCallsOfTheRecorder) {
  testing::Machine machine;
  machine.write("/sys/kernel/tracing/events/header_page = x");
  for (const char* name : {"block/block_rq_issue", "raw_syscalls/sys_enter", "filemap/mm_filemap_fault"})
    machine.write(std::string("/sys/kernel/tracing/events/") + name + "/id = 1");
  const auto recording = io_recording(machine.root());
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_THAT(recording->arguments,
              ElementsAre("-a", "-R", "-m", "1024", "-c", "1", "-e", "block:block_rq_issue", "--file-names", "-e",
                          "raw_syscalls:sys_enter", StartsWith("--filter=id == "), "--exclude-perf", "-e",
                          "filemap:mm_filemap_fault", "--exclude-perf"));
}

}  // namespace
}  // namespace peregrine
