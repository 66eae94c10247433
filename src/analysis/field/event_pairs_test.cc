#include "analysis/field/event_pairs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "analysis/field/field_tally.h"
#include "analysis/stat/value_distribution.h"
#include "base/result.h"
#include "event/tracepoint/trace_formats.h"
#include "pipeline/replay/recorded_formats.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Requests of a device: "disk:issue" and "disk:complete", each with a sector and a kind.
class DiskRecording : public TracepointRecording {
 public:
  DiskRecording() {
    event("disk:issue", {"sector", "kind[8]", "bytes"}, R"("%s", __print_symbolic(REC->bytes, { 4096, "a page" }))");
    event("disk:complete", {"sector"});
    event("disk:flush", {"device"});
    comm(7, "writer");
  }
  void issue(u64 time, u64 sector, const char* kind = "read", u64 bytes = 512, u32 cpu = 0) {
    hit("disk:issue", {.time = time, .cpu = cpu}, {sector, kind, bytes});
  }
  void complete(u64 time, u64 sector) { hit("disk:complete", {.time = time}, {sector}); }
};

// A replay, and access to fields by name.
struct FieldReplay {
  explicit FieldReplay(const TracepointRecording& recording) : replayed(recording) {
    auto read = recorded_formats(replayed.reader());
    EXPECT_TRUE(read);
    if (read) formats = std::move(*read);
  }
  Result<std::vector<SampleField>> parse(std::string_view words) {
    return make_sample_fields(words, replayed.reader().evlist(), names, formats);
  }
  std::vector<SampleField> fields(std::string_view words) {
    auto made = parse(words);
    EXPECT_TRUE(made) << words;
    return made ? std::move(*made) : std::vector<SampleField>();
  }

  ReplayedRecording replayed;
  TraceFormats formats;
  std::vector<std::string> names{"disk:issue", "disk:complete", "disk:flush"};
};

// The pairs of issue and complete, matched by sector.
EventPairs disk_pairs(const DiskRecording& recording, std::string_view group_by = "", bool points = false) {
  FieldReplay replay(recording);
  EventPairs pairs(
      {.start = 0, .end = 1, .keys = replay.fields("sector"), .group_by = replay.fields(group_by), .points = points});
  replay.replayed.run(pairs);
  return pairs;
}

TEST(EventPairs, MeasuresBetweenEventsOfOneKey) {
  DiskRecording recording;
  recording.issue(100, 1);
  recording.issue(110, 2);
  recording.complete(150, 2);
  recording.complete(300, 1);
  const auto rows = disk_pairs(recording).rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].pairs, 2u);
  EXPECT_EQ(rows[0].total, 240u);
  EXPECT_EQ(rows[0].least, 40u);
  EXPECT_EQ(rows[0].most, 200u);
}

TEST(EventPairs, AStartIsUsedOnce) {
  DiskRecording recording;
  recording.issue(100, 1);
  recording.complete(110, 1);
  recording.complete(120, 1);
  const EventPairs pairs = disk_pairs(recording);
  EXPECT_EQ(pairs.rows().at(0).pairs, 1u);
  EXPECT_EQ(pairs.unstarted(), 1u);
}

TEST(EventPairs, ASecondStartReplacesTheFirst) {
  DiskRecording recording;
  recording.issue(100, 1);
  recording.issue(150, 1);
  recording.complete(160, 1);
  recording.issue(200, 1);
  const EventPairs pairs = disk_pairs(recording);
  EXPECT_EQ(pairs.rows().at(0).total, 10u);
  EXPECT_EQ(pairs.replaced(), 1u);
  EXPECT_EQ(pairs.unended(), 1u);
}

TEST(EventPairs, GroupsByFieldsOfTheStart) {
  DiskRecording recording;
  u64 time = 0;
  for (const char* kind : {"read", "write", "read"}) {
    recording.issue(time += 100, 1, kind);
    recording.complete(time += *kind == 'r' ? 10 : 50, 1);
  }
  std::vector<std::string> texts;
  for (const PairRow& row : disk_pairs(recording, "kind").rows())
    texts.push_back(fmt::format("{} {} {}", row.group, row.pairs, row.total));
  EXPECT_THAT(texts, ElementsAre("write 1 50", "read 2 20")) << "the largest total first";
}

TEST(EventPairs, PercentilesAreOfTheNearestRank) {
  DiskRecording recording;
  for (u64 i = 1; i <= 100; ++i) {
    recording.issue(1000 * i, i);
    recording.complete(1000 * i + i, i);
  }
  const PairRow row = disk_pairs(recording).rows().at(0);
  EXPECT_EQ(row.half, 50u);
  EXPECT_EQ(row.most_95, 95u);
  EXPECT_EQ(row.most_99, 99u);
}

TEST(EventPairs, OneEventMayBeStartAndEnd) {
  DiskRecording recording;
  for (const u64 time : {100, 130, 170}) recording.issue(time, 1);
  FieldReplay replay(recording);
  EventPairs pairs({.start = 0, .end = 0, .keys = replay.fields("sector"), .group_by = {}});
  replay.replayed.run(pairs);
  EXPECT_EQ(pairs.rows().at(0).pairs, 2u);
  EXPECT_EQ(pairs.rows().at(0).total, 70u);
  EXPECT_EQ(pairs.replaced(), 0u);
  EXPECT_EQ(pairs.unstarted(), 0u);
}

TEST(EventPairs, CountsSamplesWithoutTheKey) {
  DiskRecording recording;
  recording.issue(100, 1);
  FieldReplay replay(recording);
  EventPairs pairs({.start = 0, .end = 1, .keys = replay.fields("disk:flush.device"), .group_by = {}});
  replay.replayed.run(pairs);
  EXPECT_EQ(pairs.keyless(), 1u);
  EXPECT_THAT(pairs.rows(), IsEmpty());
}

TEST(EventPairs, KeepsWhenPairsEndedOnlyOnRequest) {
  DiskRecording recording;
  recording.issue(100, 1);
  recording.complete(130, 1);
  EXPECT_THAT(disk_pairs(recording).points(), IsEmpty());
  EXPECT_EQ(disk_pairs(recording, "", true).points().size(), 1u);
}

// "key count sum" of each row, in order.
std::vector<std::string> tally_texts(const FieldTally& sink) {
  std::vector<std::string> texts;
  for (const TallyRow& row : sink.rows()) texts.push_back(fmt::format("{} {} {}", row.key, row.count, row.sum));
  return texts;
}

std::vector<std::string> tally(const DiskRecording& recording, std::string_view keys, std::string_view value = "",
                               u64* passed_over = nullptr) {
  FieldReplay replay(recording);
  FieldTally::Request request{.keys = replay.fields(keys), .value = {}};
  if (!value.empty()) request.value = replay.fields(value).at(0);
  FieldTally sink(std::move(request));
  replay.replayed.run(sink);
  if (passed_over != nullptr) *passed_over = sink.passed_over();
  return tally_texts(sink);
}

TEST(FieldTally, CountsByTheTextOfFields) {
  DiskRecording recording;
  recording.issue(1, 1, "write");
  recording.issue(2, 2, "read");
  recording.issue(3, 3, "read");
  EXPECT_THAT(tally(recording, "kind"), ElementsAre("read 2 0", "write 1 0"));
  EXPECT_THAT(tally(recording, ""), ElementsAre(" 3 0")) << "without keys all are one row";
}

TEST(FieldTally, SumsAFieldLargestFirst) {
  DiskRecording recording;
  recording.issue(1, 1, "read", 10);
  recording.issue(2, 2, "read", 10);
  recording.issue(3, 3, "write", 50);
  EXPECT_THAT(tally(recording, "kind", "bytes"), ElementsAre("write 1 50", "read 2 20"));
}

TEST(FieldTally, GivesTheSameRowsAgain) {
  DiskRecording recording;
  recording.issue(1, 1, "read", 10);
  recording.issue(2, 2, "write", 50);
  FieldReplay replay(recording);
  FieldTally sink({.keys = replay.fields("kind"), .value = replay.fields("bytes").at(0)});
  replay.replayed.run(sink);
  const std::vector<std::string> first = tally_texts(sink);
  EXPECT_THAT(first, ElementsAre("write 1 50", "read 1 10"));
  EXPECT_EQ(tally_texts(sink), first);
}

TEST(FieldTally, PassesOverEventsWithoutTheField) {
  DiskRecording recording;
  recording.issue(1, 1);
  recording.complete(2, 1);
  u64 passed_over = 0;
  EXPECT_THAT(tally(recording, "kind", "", &passed_over), ElementsAre("read 1 0"));
  EXPECT_EQ(passed_over, 1u);
}

TEST(FieldTally, FieldsOfAllSamplesJoinThoseOfTracepoints) {
  DiskRecording recording;
  recording.issue(1, 1, "read", 1, 2);
  recording.complete(2, 1);
  EXPECT_THAT(tally(recording, "comm,event,cpu"),
              ElementsAre("writer  disk:complete  0 1 0", "writer  disk:issue  2 1 0"));
}

TEST(FieldTally, NamesOfAPrintFormatAreTheText) {
  DiskRecording recording;
  recording.issue(1, 1, "read", 4096);
  recording.issue(2, 1, "read", 1);
  EXPECT_THAT(tally(recording, "bytes"), ElementsAre("0x1 1 0", "a page 1 0"));
}

TEST(FieldTally, DistributesValuesByPowersOfTwo) {
  DiskRecording recording;
  for (const u64 bytes : {0, 1, 2, 3, 4}) recording.issue(bytes + 1, 1, "read", bytes);
  FieldReplay replay(recording);
  FieldTally sink({.keys = {}, .value = replay.fields("issue.bytes").at(0), .distribute = true});
  replay.replayed.run(sink);
  const ValueDistribution values = sink.distribution("bytes");
  EXPECT_EQ(values.values(), 5u);
  EXPECT_DOUBLE_EQ(values.average(), 2);
  EXPECT_EQ(sink.passed_over(), 0u);
  std::vector<u64> counts;
  for (const ValueRange& range : values.ranges()) counts.push_back(range.count);
  EXPECT_THAT(counts, ElementsAre(1u, 1u, 2u, 1u));
}

TEST(FieldTally, DistributesLargeUnsignedValues) {
  DiskRecording recording;
  for (const u64 more : {0, 1, 2}) recording.issue(more + 1, 1, "read", ~u64{0} - more);
  FieldReplay replay(recording);
  FieldTally sink({.keys = {}, .value = replay.fields("issue.bytes").at(0), .distribute = true});
  replay.replayed.run(sink);
  const ValueDistribution values = sink.distribution("bytes");
  ASSERT_EQ(values.ranges().size(), 1u);
  EXPECT_EQ(values.ranges().front().low, "9223372036854775808");
  EXPECT_GE(values.average(), 9223372036854775808.0);
}

TEST(SampleField, FindsAFieldInTheNamedEventOnly) {
  DiskRecording recording;
  FieldReplay replay(recording);
  for (const char* word : {"issue.sector", "disk:issue.sector"}) {
    const auto fields = replay.fields(word);
    ASSERT_EQ(fields.size(), 1u);
    EXPECT_TRUE(fields[0].is_in(0));
    EXPECT_FALSE(fields[0].is_in(1));
  }
  EXPECT_TRUE(replay.fields("sector").at(0).is_in(1));
  EXPECT_FALSE(replay.parse("sue.sector")) << "only whole names";
}

TEST(SampleField, NamesTheNearestOfUnknownWords) {
  DiskRecording recording;
  FieldReplay replay(recording);
  const auto made = replay.parse("comm,sectr");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::Usage);
  EXPECT_EQ(made.error().message, "no event of this recording has a field 'sectr'");
  EXPECT_EQ(made.error().hint, "did you mean 'sector'?");
}

}  // namespace
}  // namespace peregrine
