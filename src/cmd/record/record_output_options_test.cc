// Options of record that determine when and how the recording is written.
#include "cmd/record/record_output_options.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "cmd/command_table.h"
#include "cmd/record/record_options.h"
#include "cmd/test_options.h"
#include "event/config/callgraph.h"
#include "pipeline/recording/recording.h"

namespace peregrine::cmd {
namespace {

Result<RecordingRequest> requested(const std::vector<std::string>& arguments) {
  auto options = options_of<RecordCommandOptions>(kRecord, arguments);
  if (!options) return std::unexpected(std::move(options.error()));
  return std::move(options->request.recording);
}
std::string not_recorded(const std::vector<std::string>& arguments) {
  return refusal_of<RecordCommandOptions>(kRecord, arguments);
}

TEST(RecordOutput, SizesHaveUnits) {
  EXPECT_EQ(requested({})->run.max_bytes, 0u);
  EXPECT_EQ(requested({"--max-size", "100M"})->run.max_bytes, u64{100} << 20);
  EXPECT_EQ(requested({"--max-size=2G", "--no-max-size"})->run.max_bytes, 0u);
  const auto wrong = options_of<RecordCommandOptions>(kRecord, {"--max-size", "much"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "invalid --max-size 'much'");
  EXPECT_EQ(wrong.error().hint, "must be a number with suffix B, K, M or G, such as 100M");
}

TEST(RecordOutput, RingsAreFlushedFromANumberOfBytes) {
  EXPECT_EQ(requested({})->rings.least_bytes, 1u);
  EXPECT_EQ(requested({"--mmap-flush", "4096"})->rings.least_bytes, 4096u);
  EXPECT_EQ(requested({"--mmap-flush", "16K"})->rings.least_bytes, 16384u);
  EXPECT_EQ(requested({"--mmap-flush=16K", "--no-mmap-flush"})->rings.least_bytes, 1u);
  EXPECT_EQ(not_recorded({"--mmap-flush", "x"}), "invalid --mmap-flush 'x': must be a number of bytes");
}

TEST(RecordOutput, RingsHaveAPowerOfTwoOfPages) {
  const auto pages = [page = requested({"-m", "1"})->rings.ring_bytes](const char* text) {
    return requested({"-m", text})->rings.ring_bytes / page;
  };
  EXPECT_EQ(pages("2"), 2u);
  EXPECT_EQ(pages("3"), 4u);
  EXPECT_EQ(pages("64,128"), 64u) << "the second number is of the AUX area";
  EXPECT_EQ(requested({"-m", "4M"})->rings.ring_bytes, std::size_t{4} << 20);
  for (const char* wrong : {"", "0", "x", "4T", "4MB", "-1"})
    EXPECT_EQ(not_recorded({"-m", wrong}), "Invalid argument for --mmap_pages/-m") << wrong;
  EXPECT_EQ(not_recorded({"-m", "18446744073709551615"}), "--mmap_pages/-m value too big");
  EXPECT_EQ(not_recorded({"-m", "1025G"}), "--mmap_pages/-m value too big");
}

TEST(RecordOutput, ReadersStayOnANodeOrACpu) {
  EXPECT_EQ(requested({})->rings.affinity, RingAffinity::Anywhere);
  EXPECT_EQ(requested({"--affinity", "node"})->rings.affinity, RingAffinity::Node);
  EXPECT_EQ(requested({"--affinity=cpu"})->rings.affinity, RingAffinity::Cpu);
  EXPECT_EQ(requested({"--affinity=cpu", "--no-affinity"})->rings.affinity, RingAffinity::Anywhere);
  EXPECT_EQ(not_recorded({"--affinity", "socket"}), "invalid --affinity 'socket': must be node or cpu");
}

TEST(RecordOutput, StacksAreUnwoundNowOrLater) {
  EXPECT_TRUE(requested({"--unwind", "now"})->run.unwind);
  EXPECT_FALSE(requested({"--unwind", "now", "--unwind", "later"})->run.unwind);
  EXPECT_FALSE(requested({"--unwind=now", "--no-unwind"})->run.unwind);
  EXPECT_EQ(not_recorded({"--unwind", "never"}), "invalid --unwind 'never': must be now or later");
}

TEST(RecordOutput, DelaysAreTimesOrRanges) {
  const auto delayed = options_of<RecordCommandOptions>(kRecord, {"-D", "500"});
  ASSERT_TRUE(delayed) << delayed.error().message;
  EXPECT_EQ(delayed->request.recording.config.sampling.initial_delay_ms, 500);
  EXPECT_EQ(requested({"-D", "-1"})->config.sampling.initial_delay_ms, -1) << "start disabled";
  EXPECT_EQ(requested({"-D", "10-20,30-40"})->config.sampling.initial_delay_ms, 10);
  for (const char* wrong : {"x", "20-10", "10-20,15-30"}) EXPECT_NE(not_recorded({"-D", wrong}), "accepted") << wrong;
}

TEST(RecordOutput, FilesAreSwitchedOnACondition) {
  EXPECT_FALSE(requested({})->switching.when);
  EXPECT_TRUE(requested({"--switch-output"})->switching.when);
  EXPECT_TRUE(requested({"--switch-output"})->switching.when->by_signal);
  EXPECT_FALSE(requested({"--switch-output=1G"})->switching.when->by_signal);
  EXPECT_FALSE(requested({"--switch-output", "--no-switch-output"})->switching.when);
  EXPECT_NE(not_recorded({"--switch-output=sometimes"}), "accepted");
}

TEST(RecordOutput, FrequenciesAreNumbersOrTheMaximum) {
  EXPECT_EQ(requested({"-F", "99"})->config.sampling.frequency, 99u);
  EXPECT_TRUE(requested({"-F", "max"})->config.sampling.frequency_max);
  EXPECT_FALSE(requested({"-F", "max", "-F", "99"})->config.sampling.frequency_max);
  for (const char* wrong : {"", "x", "-1", "1.5", "maximum"})
    EXPECT_EQ(not_recorded({"-F", wrong}), "Invalid frequency \"" + std::string(wrong) + "\"");
}

TEST(RecordOutput, ChainsAreTakenBack) {
  const auto mode = [](const std::vector<std::string>& arguments) {
    return requested(arguments)->config.callchains.callgraph.mode;
  };
  EXPECT_EQ(mode({"-g"}), CallgraphMode::FramePointer);
  EXPECT_EQ(mode({"--call-graph", "lbr", "-g"}), CallgraphMode::Lbr) << "-g keeps a mode that was chosen";
  EXPECT_EQ(mode({"-g", "--no-call-graph"}), CallgraphMode::None);
  EXPECT_TRUE(requested({"--call-graph", "dwarf"})->config.fields.addresses) << "the unwinder reads mapped files";
  EXPECT_EQ(not_recorded({"--call-graph", "square"}), "callchain: Unknown --call-graph option value: square");
}

}  // namespace
}  // namespace peregrine::cmd
