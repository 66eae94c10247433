#include "analysis/guest/guest_exits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr u64 kIntel = 1, kAmd = 2;

class GuestRecording : public TracepointRecording {
 public:
  GuestRecording() {
    event("kvm:kvm_entry", {"vcpu_id"});
    event("kvm:kvm_exit", {"exit_reason", "isa", "vcpu_id"},
          R"("%s", (REC->isa == 1) ? __print_symbolic(REC->exit_reason, { 12, "HLT" }, { 48, "EPT" }) : )"
          R"(__print_symbolic(REC->exit_reason, { 120, "hlt" }))");
    event("kvm:kvm_mmio", {"type", "gpa"});
    event("kvm:kvm_pio", {"rw", "port"});
  }
  void exit(u64 time, u64 reason, u32 tid = 7, u64 set = kIntel) {
    hit("kvm:kvm_exit", {.time = time, .pid = 5, .tid = tid}, {reason, set, tid - 7});
  }
  void enter(u64 time, u32 tid = 7) { hit("kvm:kvm_entry", {.time = time, .pid = 5, .tid = tid}, {tid - 7}); }
  void mmio(u64 time, u64 type, u64 address) { hit("kvm:kvm_mmio", {.time = time, .pid = 5}, {type, address}); }
  void port(u64 time, u64 writes, u64 port) { hit("kvm:kvm_pio", {.time = time, .pid = 5}, {writes, port}); }
};

template <class Look>
void exits_of(const TracepointRecording& recording, GuestExits::Request request, const Look& look) {
  ReplayedRecording replayed(recording);
  GuestExits exits(replayed.reader(), std::move(request));
  replayed.run(exits);
  look(exits);
}

// "NAME count total least-most" for each exit.
std::vector<std::string> exit_texts(const TracepointRecording& recording, GuestExits::Request request = {}) {
  std::vector<std::string> texts;
  exits_of(recording, std::move(request), [&](const GuestExits& exits) {
    for (const GuestRow& row : exits.rows())
      texts.push_back(fmt::format("{} {} {} {}-{}", row.name, row.times.count(), row.total, row.least, row.most));
  });
  return texts;
}

TEST(GuestExits, MeasuresFromTheExitToTheEntry) {
  GuestRecording recording;
  recording.exit(100, 48);
  recording.enter(130);
  recording.exit(200, 12);
  recording.enter(210);
  recording.exit(300, 48);
  recording.enter(305);
  EXPECT_THAT(exit_texts(recording), ElementsAre("HLT 1 10 10-10", "EPT 2 35 5-30"));
}

TEST(GuestExits, MatchesEachVirtualCpuByItsThread) {
  GuestRecording recording;
  recording.exit(100, 48, 7);
  recording.exit(110, 48, 8);
  recording.enter(120, 7);
  recording.enter(140, 8);
  EXPECT_THAT(exit_texts(recording), ElementsAre("EPT 2 50 20-30"));
  EXPECT_THAT(exit_texts(recording, {.vcpu = 1}), ElementsAre("EPT 1 30 30-30"));
  EXPECT_THAT(exit_texts(recording, {.vcpu = 2}), IsEmpty());
}

TEST(GuestExits, AnExitWithoutAnEntryIsNotCounted) {
  GuestRecording recording;
  recording.enter(90);      // the exit came before the recording
  recording.exit(100, 48);  // the entry was lost
  recording.exit(200, 12);
  recording.enter(210);
  recording.enter(220);
  EXPECT_THAT(exit_texts(recording), ElementsAre("HLT 1 10 10-10"));
}

TEST(GuestExits, HasReasonsOfBothInstructionSets) {
  GuestRecording recording;
  recording.exit(100, 120, 7, kAmd);
  recording.enter(101);
  recording.exit(200, 77, 7, kIntel);
  recording.enter(201);
  EXPECT_THAT(exit_texts(recording), ElementsAre("0x4d 1 1 1-1", "hlt 1 1 1-1"));
}

TEST(GuestExits, FlagsOfAReasonDoNotSeparateRows) {
  GuestRecording recording;
  recording.exit(100, 48);
  recording.enter(101);
  recording.exit(200, 0x80000000 | 48);
  recording.enter(203);
  EXPECT_THAT(exit_texts(recording), ElementsAre("EPT 2 4 1-3"));
}

TEST(GuestExits, AWriteToMemoryTakesUntilTheEntry) {
  GuestRecording recording;
  recording.exit(100, 48);
  recording.mmio(120, 2, 0xfee00300);
  recording.enter(150);
  EXPECT_THAT(exit_texts(recording, {.event = GuestEvent::Mmio}), ElementsAre("0xfee00300:W 1 30 30-30"));
}

TEST(GuestExits, AReadOfMemoryTakesFromTheExit) {
  GuestRecording recording;
  recording.mmio(90, 1, 0x1000);  // the matching exit was not recorded
  recording.exit(100, 48);
  recording.mmio(120, 1, 0xfee00300);
  recording.enter(150);
  EXPECT_THAT(exit_texts(recording, {.event = GuestEvent::Mmio}), ElementsAre("0xfee00300:R 1 20 20-20"));
}

TEST(GuestExits, NamesPortsByDirection) {
  GuestRecording recording;
  for (const u64 writes : {1, 0}) {
    recording.exit(100 + 50 * writes, 30);
    recording.port(110 + 50 * writes, writes, 0x3f8);
    recording.enter(115 + 50 * writes);
  }
  EXPECT_THAT(exit_texts(recording, {.event = GuestEvent::IoPort}),
              ElementsAre("0x3f8:PIN 1 5 5-5", "0x3f8:POUT 1 5 5-5"));
}

TEST(GuestExits, KeepsSlowExitsButNotThoseOfIdleGuests) {
  GuestRecording recording;
  recording.exit(100, 12);
  recording.enter(900);  // the guest was idle
  recording.exit(1000, 48);
  recording.enter(1100);  // exactly the limit
  recording.exit(2000, 48);
  recording.enter(2101);
  exits_of(recording, {.longer_than = 100}, [](GuestExits& exits) {
    const auto slow = exits.take_long();
    ASSERT_EQ(slow.size(), 1u);
    EXPECT_EQ(slow[0].time, 2101u);
    EXPECT_EQ(slow[0].took, 101u);
    EXPECT_EQ(slow[0].name, "EPT");
    EXPECT_EQ(slow[0].pid, 5u);
    EXPECT_THAT(exits.take_long(), IsEmpty());
  });
}

TEST(GuestExits, TakingTheRowsStartsAgainFromZero) {
  GuestRecording recording;
  recording.exit(100, 48);
  recording.enter(130);
  exits_of(recording, {}, [](GuestExits& exits) {
    EXPECT_EQ(exits.take().size(), 1u);
    EXPECT_THAT(exits.rows(), IsEmpty());
  });
}

TEST(GuestExits, KeepsOnlyTheChosenProcesses) {
  GuestRecording recording;
  recording.exit(100, 48);
  recording.enter(130);
  EXPECT_THAT(exit_texts(recording, {.pids = {4, 6}}), IsEmpty());
  EXPECT_EQ(exit_texts(recording, {.pids = {4, 5}}).size(), 1u);
}

}  // namespace
}  // namespace peregrine
