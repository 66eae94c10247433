#include "session/sandbox/reader_sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

const ReaderHome kHome{.program = "/opt/bin/peregrine",
                       .home = "/home/x",
                       .build_ids = "/home/x/.debug",
                       .own_cache = "/home/x/.cache/peregrine",
                       .temporary_folder = "/tmp",
                       .servers_cache = "/home/x/.cache/debuginfod_client"};

TEST(ReaderSandbox, AllowsTheRecordingAndOurOwnFiles) {
  const SandboxPlan plan = sandbox_plan({.inputs = {"perf.data"}}, kHome);
  EXPECT_THAT(plan.readable,
              ElementsAre("perf.data", "perf.data.old", "/opt/bin", "/opt/lib", "/home/x/.debug", "/tmp"));
  EXPECT_THAT(plan.outputs, ElementsAre("/home/x/.cache/peregrine", "/tmp/peregrine-unpacked-*"));
  EXPECT_THAT(plan.programs, IsEmpty());
  EXPECT_EQ(plan.home, "/home/x");
  EXPECT_FALSE(plan.network || plan.kernel_memory || plan.links);
}

TEST(ReaderSandbox, AllowsDevicesAsOutputsToBeOpened) {
  const SandboxPlan plan = sandbox_plan({.outputs = {"", "-", "out.html", "/dev/stdout", "/dev/shm/x"}}, kHome);
  EXPECT_THAT(plan.devices, ElementsAre("/dev/stdout"));
  EXPECT_THAT(plan.outputs,
              ElementsAre("out.html", "/dev/shm/x", "/home/x/.cache/peregrine", "/tmp/peregrine-unpacked-*"));
}

TEST(ReaderSandbox, AllowsTheNetworkForServersOnly) {
  EXPECT_TRUE(sandbox_plan({.servers = true}, kHome).network);
  EXPECT_THAT(sandbox_plan({.servers = true}, kHome).outputs, Contains(kHome.servers_cache));
  EXPECT_THAT(sandbox_plan({}, kHome).outputs, Not(Contains(kHome.servers_cache)));
}

TEST(ReaderSandbox, StartsTheProgramsThatACommandNames) {
  EXPECT_THAT(sandbox_plan({.objdump = "/usr/bin/objdump", .screen = true}, kHome).programs,
              ElementsAre("/usr/bin/objdump", "/opt/bin/peregrine"));
}

TEST(ReaderSandbox, GrantsNothingForFoldersThatAreUnknown) {
  const SandboxPlan plan =
      sandbox_plan({.servers = true}, {.program = "/opt/bin/peregrine", .temporary_folder = "/tmp"});
  EXPECT_THAT(plan.outputs, ElementsAre("/tmp/peregrine-unpacked-*"));
}

}  // namespace
}  // namespace peregrine
