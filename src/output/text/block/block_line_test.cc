#include "output/text/block/block_line.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "abi/blktrace_record.h"

namespace peregrine {
namespace {

using abi::BlockAction;
namespace trait = abi::block_trait;

constexpr u32 kDisk = 8u << 20 | 1;

BlockEvent request_event(BlockAction action, u16 traits = trait::Write) {
  BlockEvent event;
  event.record.time = 1'000'000'000;
  event.record.sequence = 7;
  event.record.action = static_cast<u8>(action);
  event.record.traits = static_cast<u16>(abi::traits_of(action) | traits);
  event.record.sector = 92;
  event.record.bytes = 12288;
  event.record.pid = 77;
  event.record.device = kDisk;
  event.comm = "dd";
  return event;
}

std::string line_of(const BlockEvent& event) {
  Sink out;
  BlockLine(out).print(event);
  return out.take();
}

// The expected lines are those of blkparse 1.2 for the same records.
TEST(BlockLine, LooksAsInBlkparse) {
  EXPECT_EQ(line_of(request_event(BlockAction::Queue, trait::Write | trait::Sync)),
            "  8,1    0        7     0.000000000    77  Q  WS 92 + 24 [dd]\n");
  EXPECT_EQ(line_of(request_event(BlockAction::Complete)),
            "  8,1    0        7     0.000000000    77  C   W 92 + 24 [0]\n");
  EXPECT_EQ(line_of(request_event(BlockAction::FrontMerge, trait::Write | trait::Ahead)),
            "  8,1    0        7     0.000000000    77  F  WA 92 + 24 [dd]\n");
  BlockEvent flush = request_event(BlockAction::Issue, trait::Flush);
  flush.record.bytes = 0;
  EXPECT_EQ(line_of(flush), "  8,1    0        7     0.000000000    77  D  FN [dd]\n");
  flush.record.action = static_cast<u8>(BlockAction::Complete);
  flush.record.sector = 0;
  EXPECT_EQ(line_of(flush), "  8,1    0        7     0.000000000    77  C  FN 0 [0]\n");
  BlockEvent unknown = request_event(BlockAction::Queue);
  unknown.comm = {};
  EXPECT_EQ(line_of(unknown), "  8,1    0        7     0.000000000    77  Q   W 92 + 24 [(null)]\n");
}

TEST(BlockLine, ShowsTheTimeSinceTheStepBefore) {
  const auto line_after = [](const BlockEvent& event, std::optional<u64> took, std::string_view format = {}) {
    Sink out;
    BlockLine line(out);
    if (!format.empty()) EXPECT_TRUE(line.use_format(format));
    line.print(event, took);
    return out.take();
  };
  EXPECT_EQ(line_after(request_event(BlockAction::Issue), 4898),
            "  8,1    0        7     0.000000000    77  D   W 92 + 24 (    4898) [dd]\n");
  EXPECT_EQ(line_after(request_event(BlockAction::Complete), 94220),
            "  8,1    0        7     0.000000000    77  C   W 92 + 24 (   94220) [0]\n");
  EXPECT_EQ(line_after(request_event(BlockAction::Complete), 94220, "%a %u"), "C 94");
  EXPECT_EQ(line_after(request_event(BlockAction::Queue), {}, "%a %u"), "Q -");
}

TEST(BlockLine, ShowsWhatAnActionAdds) {
  BlockEvent unplug = request_event(BlockAction::TimedUnplug, 0);
  const auto four = abi::encode_block_number(4), split = abi::encode_block_number(96);
  unplug.record.pdu = four;
  unplug.record.bytes = 0;
  EXPECT_EQ(line_of(unplug), "  8,1    0        7     0.000000000    77 UT   N [dd] 4\n");
  BlockEvent in_two = request_event(BlockAction::Split);
  in_two.record.pdu = split;
  EXPECT_EQ(line_of(in_two), "  8,1    0        7     0.000000000    77  X   W 92 / 96 [dd]\n");
  BlockEvent moved = request_event(BlockAction::Remap);
  const auto remap = abi::encode_block_remap({.from = 8u << 20 | 17, .to = 8u << 20 | 16, .from_sector = 29});
  moved.record.pdu = remap;
  EXPECT_EQ(line_of(moved), "  8,16   0        7     0.000000000    77  A   W 92 + 24 <- (8,17) 29\n");
}

TEST(BlockLine, ShowsThePayloadOfCommands) {
  BlockEvent command = request_event(BlockAction::Issue, trait::Passthrough | trait::Read);
  command.record.bytes = 512;
  constexpr std::array<std::byte, 4> kPayload = {std::byte{0x12}};
  command.record.pdu = kPayload;
  EXPECT_EQ(line_of(command), "  8,1    0        7     0.000000000    77  D   R 512 (12 00 ..) [dd]\n");
  command.record.action = static_cast<u8>(BlockAction::Complete);
  EXPECT_EQ(line_of(command), "  8,1    0        7     0.000000000    77  C   R (12 00 ..) [0]\n");
  command.record.pdu = {};
  EXPECT_EQ(line_of(command), "  8,1    0        7     0.000000000    77  C   R [0]\n");
}

TEST(BlockLine, ShowsMessagesButNotNames) {
  BlockEvent notice;
  notice.record.device = kDisk;
  notice.record.traits = trait::Notice;
  notice.record.action = static_cast<u8>(abi::BlockNotice::Message);
  constexpr std::string_view kText = "cfq77 hello";
  notice.record.pdu = std::as_bytes(std::span(kText));
  EXPECT_EQ(line_of(notice), "  8,1    0        0     0.000000000     0  m   N cfq77 hello\n");
  notice.record.action = static_cast<u8>(abi::BlockNotice::Process);
  EXPECT_EQ(line_of(notice), "");
}

TEST(BlockLine, CountsTimeFromTheFirstEvent) {
  Sink out;
  BlockLine line(out);
  BlockEvent event = request_event(BlockAction::Plug, 0);
  line.print(event);
  out.clear();
  event.record.time += 2'000'000'003;
  event.record.bytes = 0;
  line.print(event);
  EXPECT_EQ(out.text(), "  8,1    0        7     2.000000003    77  P   N [dd]\n");
}

TEST(BlockLine, TakesFormats) {
  Sink out;
  BlockLine line(out);
  ASSERT_TRUE(line.use_format("%a|%2c|%-4C|%d|%M,%m|%n %N|%p %s %S|%T.%t|%%\\n"));
  ASSERT_TRUE(line.use_action_format("C,%S done %e\\n"));
  line.print(request_event(BlockAction::Queue));
  line.print(request_event(BlockAction::Complete));
  EXPECT_EQ(out.text(), "Q| 0|dd  |W|8,1|24 12288|77 7 92|0.000000000|%\n92 done 0\n");
}

TEST(BlockLine, RejectsInvalidFormats) {
  Sink out;
  BlockLine line(out);
  EXPECT_EQ(line.use_format("%x").error().message, "invalid format '%x': unknown field '%x'");
  EXPECT_FALSE(line.use_format("%-12"));
  EXPECT_FALSE(line.use_action_format("Z,%S"));
  EXPECT_FALSE(line.use_action_format("%S"));
}

}  // namespace
}  // namespace peregrine
