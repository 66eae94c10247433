#include "session/memory/sharing_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "session/recording/opened_recording.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

// A recording of samples without data addresses.
TracedRecording plain_recording() {
  support::PerfDataBuilder data;
  data.attr({{"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
  data.feature("arch", {{"text", "aarch64"}});
  data.record("sample", {{"ip", 0x401000}, {"pid", 7}, {"tid", 7}, {"time", 2000}});
  SymbolPlaces places;
  places.load = false;
  TracedRecording recording;
  recording.reader = std::make_unique<OpenedRecording>(support::open_built(data));
  recording.machine = std::make_unique<Machine>(std::move(places));
  return recording;
}

TEST(SharingGrouping, TellsRowsApartByTheNamedFieldsOnly) {
  const auto grouping = parse_sharing_grouping("pid,dso");
  ASSERT_TRUE(grouping);
  EXPECT_EQ(grouping->fields, "pid,dso");
  EXPECT_TRUE(grouping->keys.pid);
  EXPECT_TRUE(grouping->keys.dso);
  EXPECT_FALSE(grouping->keys.tid);
  EXPECT_FALSE(grouping->keys.code);
  EXPECT_EQ(parse_sharing_grouping("pid,line").error().message, "-c: unknown field 'line'");
}

TEST(SharingGrouping, IsByCodeUnlessFieldsAreNamed) {
  EXPECT_TRUE(SharingGrouping().keys.code);
  EXPECT_TRUE(check_has_functions({}));
  EXPECT_TRUE(check_has_functions(*parse_sharing_grouping("tid,iaddr")));
  const auto merged = check_has_functions(*parse_sharing_grouping("tid"));
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().hint, "add the code address: -c tid,iaddr");
}

TEST(SharingSession, HasNothingToShowWithoutSamplesOfAccesses) {
  TracedRecording recording = plain_recording();
  SharingSession session(recording, {});
  testing::KeptMessages messages;
  ASSERT_TRUE(session.read(messages));
  EXPECT_FALSE(session.any());
  EXPECT_TRUE(session.lines().empty());
  EXPECT_EQ(messages.take(), "");
}

TEST(SharingSession, RefusesAnUnknownOrder) {
  TracedRecording recording = plain_recording();
  SharingSession session(recording, {.display = "far"});
  testing::KeptMessages messages;
  const auto read = session.read(messages);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("'far'"));
}

TEST(SharingSession, WarnsIfThereAreNoBranchRecordsToJoin) {
  TracedRecording recording = plain_recording();
  SharingSession session(recording, {.stitch_branches = true});
  testing::KeptMessages messages;
  ASSERT_TRUE(session.read(messages));
  EXPECT_THAT(messages.take(), HasSubstr("Can't find LBR callchain"));
}

}  // namespace
}  // namespace peregrine
