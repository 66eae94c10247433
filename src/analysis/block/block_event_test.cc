#include "analysis/block/block_event.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "abi/blktrace_record.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;

constexpr u32 kDisk = 254u << 20, kPartition = 259u << 20 | 1;

// "action disk sector+sectors kind comm" of each event.
std::vector<std::string> events_of(const TracepointRecording& recording) {
  std::vector<std::string> texts;
  ReplayedRecording replayed(recording);
  BlockSink sink(
      replayed.reader(), [](u32 device) { return device == kPartition ? kDisk : device; },
      [&](const BlockEvent& event) {
        const abi::BlktraceRecord& record = event.record;
        texts.push_back(fmt::format("{} {} {}+{} {} {} #{} {}", record.action, event.group == kDisk ? "disk" : "other",
                                    record.sector, record.sectors(), abi::block_kind_text(record), event.comm,
                                    record.sequence, record.number()));
      });
  replayed.run(sink);
  EXPECT_TRUE(sink.outcome());
  return texts;
}

TEST(BlockSink, TurnsTracepointsIntoRecordsOfBlktrace) {
  TracepointRecording recording;
  recording.event("block:block_bio_queue", {"dev", "sector", "nr_sector", "rwbs[8]", "comm[16]"});
  recording.event("block:block_rq_complete", {"dev", "sector", "nr_sector", "error", "rwbs[8]"});
  recording.event("block:block_split", {"dev", "sector", "new_sector", "rwbs[8]", "comm[16]"});
  recording.hit("block:block_bio_queue", {.time = 10, .cpu = 1}, {kPartition, 100, 8, "WS", "dd"});
  recording.hit("block:block_split", {.time = 20, .cpu = 1}, {kPartition, 100, 104, "WS", "dd"});
  recording.hit("block:block_rq_complete", {.time = 30, .cpu = 0}, {kDisk, 100, 8, 0, "WS"});
  EXPECT_THAT(events_of(recording),
              ElementsAre("1 disk 100+8 WS dd #1 0", "13 disk 100+4 WS dd #2 104", "8 disk 100+8 WS  #1 0"));
}

TEST(BlockSink, GivesPlugsTheDeviceOfTheirThread) {
  TracepointRecording recording;
  recording.event("block:block_getrq", {"dev", "sector", "nr_sector", "rwbs[8]", "comm[16]"});
  recording.event("block:block_plug", {"comm[16]"});
  recording.event("block:block_unplug", {"comm[16]", "nr_rq"});
  recording.hit("block:block_plug", {.time = 5, .tid = 9}, {"other"});
  recording.hit("block:block_getrq", {.time = 10, .tid = 8}, {kPartition, 100, 8, "R", "dd"});
  recording.hit("block:block_plug", {.time = 11, .tid = 8}, {"dd"});
  recording.hit("block:block_unplug", {.time = 12, .tid = 8}, {"dd", 3});
  recording.hit("block:block_plug", {.time = 13, .tid = 8}, {"dd"});
  EXPECT_THAT(events_of(recording),
              ElementsAre("4 disk 100+8 R dd #1 0", "9 disk 0+0 N dd #2 0", "10 disk 0+0 N dd #3 3"));
}

TEST(BlockSink, NamesTheCommandThatRecordsBlockEvents) {
  TracepointRecording recording;
  recording.event("town:knock", {"door"});
  ReplayedRecording replayed(recording);
  BlockSink sink(replayed.reader(), [](u32 device) { return device; }, [](const BlockEvent&) {});
  replayed.run(sink);
  ASSERT_FALSE(sink.outcome());
  EXPECT_EQ(sink.outcome().error().hint, "record with `perf blk record`");
}

TEST(BlockProcessNames, ComeFromNotices) {
  BlockProcessNames names;
  abi::BlktraceRecord record;
  record.pid = 7;
  EXPECT_EQ(names.name_of(record), "");
  record.traits = abi::block_trait::Notice;
  const std::string comm("dd\0\0", 4);
  record.pdu = std::as_bytes(std::span(comm));
  EXPECT_EQ(names.name_of(record), "dd");
  record.traits = 0;
  EXPECT_EQ(names.name_of(record), "dd");
}

}  // namespace
}  // namespace peregrine
