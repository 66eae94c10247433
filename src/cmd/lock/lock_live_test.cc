// When `lock contention` watches the running system instead of reading a recording.
#include "cmd/lock/lock_live.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/frame/config.h"
#include "cli/frame/message.h"
#include "cmd/command_table.h"
#include "output/sink.h"

namespace peregrine::cmd {
namespace {

bool is_live(const LockLiveOptions& options, std::vector<std::string> words = {}) {
  const Config config;
  Messages messages("perf", -1);
  Sink out;
  return options.asked({.command = kLock,
                        .config = config,
                        .messages = messages,
                        .out = out,
                        .argv = {},
                        .arguments = {},
                        .words = std::move(words)});
}

TEST(LockLive, RecordingsAreTheDefault) {
  EXPECT_FALSE(is_live({}));
  EXPECT_TRUE(is_live({}, {"true"})) << "a command is watched";
}

TEST(LockLive, TargetsAreWatched) {
  EXPECT_TRUE(is_live({.target = {.system_wide = true}, .choice = {}}));
  EXPECT_TRUE(is_live({.target = {.cpus = "0"}, .choice = {}}));
  EXPECT_TRUE(is_live({.target = {.pids = "1"}, .choice = {}}));
  EXPECT_TRUE(is_live({.target = {.tids = "1"}, .choice = {}}));
}

TEST(LockLive, WatchesIfARecordingWouldLackTheData) {
  EXPECT_TRUE(is_live({.use_bpf = true, .choice = {}}));
  EXPECT_TRUE(is_live({.choice = {.cgroups = "system.slice"}}));
  EXPECT_TRUE(is_live({.choice = {.delays = "1us@lock"}}));
  EXPECT_TRUE(is_live({.choice = {.by_owner = true}}));
  EXPECT_TRUE(is_live({.user_locks = true, .choice = {}}));
  EXPECT_FALSE(is_live({.user_locks = false, .choice = {}})) << "the user wants none of them";
}

TEST(LockLive, FiltersApplyToRecordingsAsWell) {
  EXPECT_FALSE(is_live({.choice = {.types = "mutex"}}));
  EXPECT_FALSE(is_live({.choice = {.locks = "0x1000"}}));
  EXPECT_FALSE(is_live({.choice = {.most_kinds = 5}}));
}

}  // namespace
}  // namespace peregrine::cmd
