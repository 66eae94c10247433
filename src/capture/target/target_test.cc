#include "capture/target/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DropOverridden, KeepsProcessesRatherThanAnythingElse) {
  TargetRequest request{.system_wide = true, .cpus = "0", .pids = "1", .tids = "2", .user = "0"};
  EXPECT_THAT(drop_overridden(request),
              ElementsAre("PID switch overriding TID", "PID/TID switch overriding UID", "PID/TID switch overriding CPU",
                          "PID/TID switch overriding SYSTEM"));
  EXPECT_EQ(request.pids, "1");
  EXPECT_TRUE(request.tids.empty() && request.user.empty() && request.cpus.empty() && !request.system_wide);
}

TEST(DropOverridden, KeepsAUserRatherThanCpus) {
  TargetRequest request{.system_wide = true, .cpus = "0", .pids = {}, .tids = {}, .user = "0"};
  EXPECT_THAT(drop_overridden(request), ElementsAre("UID switch overriding CPU", "UID switch overriding SYSTEM"));
  EXPECT_EQ(request.user, "0");
}

TEST(DropOverridden, KeepsChoicesThatGoTogether) {
  TargetRequest request{.system_wide = true, .cpus = "0", .pids = {}, .tids = {}, .user = {}};
  EXPECT_THAT(drop_overridden(request), IsEmpty());
  EXPECT_TRUE(request.system_wide);
  EXPECT_EQ(request.cpus, "0");
}

}  // namespace
}  // namespace peregrine
