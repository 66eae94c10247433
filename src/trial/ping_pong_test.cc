#include "trial/ping_pong.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/temporary_folder.h"
#include "trial/bit_search.h"
#include "trial/memory_copy.h"
#include "trial/messaging.h"

namespace peregrine {
namespace {

// A folder that looks like a control group: a process that enters writes a zero, which means the writing process.
std::string add_group(const TemporaryFolder& folder) {
  folder.write("cgroup.procs", "");
  return folder.path();
}
std::string group_members(const std::string& group) {
  std::ifstream file(group + "/cgroup.procs");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PingPongInGroups, BothSidesEnterTheirGroupsBeforeTheyPlay) {
  const TemporaryFolder first, second;
  const std::string sender = add_group(first), receiver = add_group(second);
  const auto seconds = run_ping_pong({.loops = 10, .sender_group = sender, .receiver_group = receiver});
  ASSERT_TRUE(seconds) << seconds.error().message;
  EXPECT_EQ(group_members(sender), "0");
  EXPECT_EQ(group_members(receiver), "0");
}

TEST(PingPongInGroups, OneSideMayStayWhereItIs) {
  const TemporaryFolder folder;
  const std::string group = add_group(folder);
  const auto seconds = run_ping_pong({.loops = 10, .receiver_group = group});
  ASSERT_TRUE(seconds) << seconds.error().message;
  EXPECT_EQ(group_members(group), "0");
}

// Whichever side fails, the other one must not wait for it forever.
TEST(PingPongInGroups, AGroupThatCannotBeEnteredEndsBothSides) {
  const TemporaryFolder folder;
  const std::string group = add_group(folder), none = "/nonexistent/group";
  const PingPong games[] = {{.loops = 10, .sender_group = none, .receiver_group = group},
                            {.loops = 10, .sender_group = group, .receiver_group = none},
                            {.loops = 10, .sender_group = none, .receiver_group = none}};
  for (const PingPong& game : games) {
    const auto seconds = run_ping_pong(game);
    ASSERT_FALSE(seconds);
    EXPECT_EQ(seconds.error().kind, ErrorKind::Denied);
    EXPECT_EQ(seconds.error().message, "failed to enter the control groups");
    EXPECT_EQ(seconds.error().hint, "cgroup.procs must be writable");
  }
}

TEST(PingPongGames, OfNoRoundsEndToo) {
  for (const bool threads : {false, true}) EXPECT_TRUE(run_ping_pong({.loops = 0, .threads = threads}));
  EXPECT_GE(run_system_calls(CheapCall::GetPpid, 0), 0);
}

TEST(MessagingGroups, MayBeNoneOrHaveNothingToSay) {
  for (const bool pipes : {false, true}) {
    EXPECT_TRUE(run_messaging({.groups = 0, .loops = 5, .threads = true, .pipes = pipes}));
    EXPECT_TRUE(run_messaging({.groups = 1, .loops = 0, .threads = true, .pipes = pipes}));
  }
}

TEST(MemoryBlocks, ThatCannotBeHadAreNamedByTheirSize) {
  constexpr u64 kExbibyte = u64{1} << 60;
  const auto copied = run_memory(MemoryWork::Copy, kExbibyte, 1);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message, "cannot allocate 1152921504606846976 bytes: Cannot allocate memory");
  for (const MappingWay& way : kMappingWays) {
    const auto mapped = run_mapping(way.work, kExbibyte, 1);
    ASSERT_FALSE(mapped) << way.name;
    EXPECT_EQ(mapped.error().message, copied.error().message);
  }
}

TEST(MemoryBlocks, AreMappedByEitherWayAndNeedNotBeWholePages) {
  for (const MappingWay& way : kMappingWays)
    for (const u64 bytes : {u64{1}, u64{4097}, u64{1} << 20}) {
      const auto speed = run_mapping(way.work, bytes, 3);
      ASSERT_TRUE(speed) << way.name;
      EXPECT_GT(*speed, 0);
    }
}

// Words have 64 bits; a search must end at the last one, whether it has a bit set or not.
TEST(BitSearches, EndInMapsOfAnySize) {
  for (const unsigned bits : {1u, 63u, 64u, 65u, 128u, 1000u})
    for (const unsigned set : {0u, 1u, bits / 2, bits}) {
      EXPECT_GE(run_next_set_bit({.bits = bits, .set = set, .loops = 2}), 0) << set << " of " << bits;
      EXPECT_GE(run_each_bit({.bits = bits, .set = set, .loops = 2}), 0) << set << " of " << bits;
    }
}

}  // namespace
}  // namespace peregrine
