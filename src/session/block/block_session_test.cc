#include "session/block/block_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "abi/blktrace_record.h"
#include "base/bytes.h"
#include "session/block/blktrace_export.h"
#include "session/block/block_recording.h"
#include "support/kept_messages.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using abi::BlockAction;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const BlockNames kNames({{254u << 20, 254u << 20, "vda"}, {259u << 20 | 1, 254u << 20, "vda1"}});

std::string written_stream() {
  ByteWriter out;
  for (const BlockAction action : {BlockAction::Queue, BlockAction::Issue, BlockAction::Complete}) {
    abi::BlktraceRecord record;
    record.time = 1000 * (1 + static_cast<u64>(action));
    record.action = static_cast<u8>(action);
    record.traits = static_cast<u16>(abi::traits_of(action) | abi::block_trait::Read);
    record.sector = 8;
    record.bytes = 4096;
    record.device = 8u << 20;
    abi::encode_blktrace_record(record, out);
  }
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

TEST(BlockNames, FindDevicesAndTheirPartitions) {
  EXPECT_EQ(kNames.name(259u << 20 | 1), "vda1");
  EXPECT_EQ(kNames.name(8u << 20 | 3), "8,3");
  EXPECT_EQ(kNames.disk_of(259u << 20 | 1), 254u << 20);
  EXPECT_EQ(kNames.disk_of(5), 5u);
  EXPECT_EQ(*kNames.find("/dev/vda"), 254u << 20);
  EXPECT_EQ(*kNames.find("8:3"), 8u << 20 | 3);
  EXPECT_EQ(kNames.find("sdq").error().message, "block device 'sdq' not found");
  EXPECT_THAT(kNames.with_partitions(254u << 20), ElementsAre(254u << 20, 259u << 20 | 1));
}

TEST(BlockChoice, BecomesAFilterOfTheKernel) {
  const std::vector<std::string> disk{"vda"}, reads{"read"}, issues{"issue"};
  const BlockTracepoint queue = kBlockTracepoints[0], plug{"block_plug", BlockAction::Plug, false},
                        issue{"block_rq_issue", BlockAction::Issue};
  EXPECT_EQ(kernel_filter(queue, *choose_block_events({}, {}, kNames)), "");
  EXPECT_EQ(kernel_filter(queue, *choose_block_events(disk, {}, kNames)), "(dev == 266338304 || dev == 271581185)");
  EXPECT_EQ(kernel_filter(plug, *choose_block_events(disk, {}, kNames)), "");
  EXPECT_EQ(kernel_filter(queue, *choose_block_events({}, reads, kNames)), "(rwbs ~ \"*R*\")");
  EXPECT_EQ(kernel_filter(plug, *choose_block_events({}, reads, kNames)), std::nullopt);
  EXPECT_EQ(kernel_filter(queue, *choose_block_events({}, issues, kNames)), std::nullopt);
  EXPECT_EQ(kernel_filter(issue, *choose_block_events({}, issues, kNames)), "");
  const std::vector<std::string> unknown{"reads"};
  EXPECT_THAT(choose_block_events({}, unknown, kNames).error().message, HasSubstr("invalid -a 'reads'"));
}

TEST(BlockKeys, AreSeparatedByCommas) {
  EXPECT_THAT(*parse_block_keys("device,chain"), ElementsAre(BlockKey::Device, BlockKey::Chain));
  EXPECT_THAT(parse_block_keys("disk").error().message, HasSubstr("unknown --by key 'disk'"));
}

TEST(BlockSession, ReadsStreamsOfBlktrace) {
  const TemporaryFolder folder;
  const std::string path = folder.write("sda.blktrace.0", written_stream());
  testing::KeptMessages messages;
  Sink lines, report;
  BlockInput input = block_input({path}, "sda");
  ASSERT_TRUE(show_block_lines(input, {}, lines, messages));
  EXPECT_THAT(std::string(lines.text()), HasSubstr("CPU0 (sda):\n Reads Queued:           1,        4KiB\t Writes"));
  ASSERT_TRUE(show_block_report(input, {.keys = {BlockKey::Device}}, report, messages));
  EXPECT_THAT(std::string(report.text()),
              HasSubstr("Q2C               0.000007000   0.000007000   0.000007000           1\n"));
}

TEST(BlktraceExport, WritesTheSameRecordsAndOverwritesNothing) {
  const TemporaryFolder folder;
  const std::string stream = written_stream(), path = folder.write("sda.blktrace.0", stream);
  testing::KeptMessages messages;
  BlockInput input = block_input({path}, "sda");
  ASSERT_TRUE(write_blktrace(input, {}, folder.path("copy"), messages));
  EXPECT_EQ(folder.text("copy.blktrace.0"), stream);
  const auto again = write_blktrace(input, {}, folder.path("copy"), messages);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().hint, "choose another name, or delete the file first");
  EXPECT_EQ(folder.text("copy.blktrace.0"), stream);
  folder.write("text.blktrace.0", "a text");
  const auto over_text = write_blktrace(input, {}, folder.path("text"), messages);
  ASSERT_FALSE(over_text);
  EXPECT_EQ(over_text.error().hint, "choose another name with -o, or delete the file first");
  const auto nowhere = write_blktrace(input, {}, folder.path("none/copy"), messages);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().hint, Not(HasSubstr("another name")));
}

TEST(BlockSpan, IsInSeconds) {
  const auto until = parse_block_span("1.5"), between = parse_block_span("0.25:1");
  ASSERT_TRUE(until && between);
  EXPECT_EQ(until->begin, 0u);
  EXPECT_EQ(until->end, 1'500'000'000u);
  EXPECT_EQ(between->begin, 250'000'000u);
  EXPECT_EQ(between->end, 1'000'000'000u);
  for (const char* wrong : {"", ":", "1:", ":1", "2:1", "-1", "x", "1:2:3", "nan"})
    EXPECT_FALSE(parse_block_span(wrong)) << wrong;
}

}  // namespace
}  // namespace peregrine
