// How `blk` handles its arguments.
#include <gtest/gtest.h>

#include "cli/frame/command.h"
#include "cmd/blk/blk_parts.h"
#include "support/called_command.h"

namespace peregrine::cmd {
namespace {

TEST(BlkStopwatch, IsAPositiveNumber) {
  for (const Command* command : {&kBlkRecord, &kBlkLive, &kBlkTop}) {
    EXPECT_EQ(misuse_of(*command, {"-w", "0"}), "-w must be more than 0") << command->name;
    EXPECT_EQ(misuse_of(*command, {"-w", "5x"}), "invalid -w '5x': must be a number of seconds") << command->name;
  }
}

}  // namespace
}  // namespace peregrine::cmd
