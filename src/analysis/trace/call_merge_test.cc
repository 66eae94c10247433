#include "analysis/trace/call_merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The output, in order: calls by number with their data, hits by event, names.
class CallMergeTest : public ::testing::Test, public CallReader {
 public:
  bool call(const TracedCall& call) override {
    std::string pieces;
    for (unsigned i = 0; i < call.pieces; ++i) pieces += " " + text_of(call.piece[i].bytes);
    if (call.caller != nullptr) pieces += fmt::format(" from {}", fmt::join(call.caller->frames, " "));
    shown.push_back(fmt::format("call {}{}", call.number, pieces));
    return shown.size() < enough;
  }
  bool interrupted(const TracedCall&) override { return true; }
  void name(i32, i32 tid, std::string_view comm) override { shown.push_back(fmt::format("name {} {}", tid, comm)); }

 protected:
  static TracedCall ended(u32 number, u64 start, u64 end) {
    TracedCall call;
    call.number = number;
    call.start = start;
    call.duration = end - start;
    return call;
  }
  static EventHit hit(u64 time, std::size_t event) { return {.time = time, .event = event, .record = {}}; }

  std::vector<std::string> shown;
  std::size_t enough = 100;
  CallMerge merge{*this, [this](const EventHit& hit) {
                    shown.push_back(fmt::format("event {}", hit.event));
                    return shown.size() < enough;
                  }};
};

TEST_F(CallMergeTest, PutsCallsWhereTheyEnd) {
  merge.call(ended(1, 10, 50));
  merge.call(ended(2, 20, 60));
  merge.add({hit(30, 7), hit(55, 8), hit(70, 9)});
  EXPECT_TRUE(merge.release(100));
  EXPECT_THAT(shown, ElementsAre("event 7", "call 1", "event 8", "call 2", "event 9"));
}

TEST_F(CallMergeTest, KeepsWhatIsYoungerUntilItsNeighboursAreHere) {
  merge.call(ended(1, 10, 50));
  merge.add({hit(60, 7), hit(90, 8)});
  EXPECT_TRUE(merge.release(50));
  EXPECT_THAT(shown, IsEmpty());
  EXPECT_TRUE(merge.release(61));
  EXPECT_THAT(shown, ElementsAre("call 1", "event 7"));
  merge.call(ended(2, 70, 80));
  merge.add({hit(75, 9)});  // from a ring that was read before that of event 8
  EXPECT_TRUE(merge.release_all());
  EXPECT_THAT(shown, ElementsAre("call 1", "event 7", "event 9", "call 2", "event 8"));
}

TEST_F(CallMergeTest, OwnsWhatCallsCarry) {
  std::vector<std::byte> memory{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  TracedCall call = ended(1, 10, 50);
  call.pieces = 2;
  call.piece[0].bytes = Bytes(memory).first(2);
  call.piece[1].bytes = Bytes(memory).last(1);
  CallerStack caller{.frames = {7, 8}, .registers = {}, .stack = {}};
  call.caller = &caller;
  merge.call(call);
  memory.assign(3, std::byte{'x'});
  caller.frames.clear();
  for (u32 number = 2; number < 50; ++number) merge.call(ended(number, 60, 70));
  EXPECT_TRUE(merge.release(51));
  EXPECT_THAT(shown, ElementsAre("call 1 ab c from 7 8"));
}

TEST_F(CallMergeTest, KnowsNamesBeforeTheCallsThatFollowThem) {
  merge.add({hit(5, 7)});
  merge.name(3, 4, "old");
  merge.call(ended(1, 10, 50));
  merge.name(3, 4, "new");
  merge.call(ended(2, 60, 70));
  EXPECT_TRUE(merge.release(55));
  EXPECT_THAT(shown, ElementsAre("name 4 old", "event 7", "call 1", "name 4 new"));
}

TEST_F(CallMergeTest, EndsWhenTheReaderHasEnough) {
  enough = 2;
  merge.call(ended(1, 10, 50));
  merge.call(ended(2, 20, 60));
  merge.add({hit(30, 7)});
  EXPECT_FALSE(merge.release(100));
  EXPECT_THAT(shown, ElementsAre("event 7", "call 1"));
  EXPECT_FALSE(merge.release_all());
  EXPECT_FALSE(merge.call(ended(3, 70, 80)));
}

}  // namespace
}  // namespace peregrine
