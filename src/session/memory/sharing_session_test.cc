#include "session/memory/sharing_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/kept_messages.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

// A recording of samples without the address of their data.
TracedRecording plain_recording() {
  support::PerfDataBuilder data;
  data.attr({{"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
  data.feature("arch", {{"text", "aarch64"}});
  data.record("sample", {{"ip", 0x401000}, {"pid", 7}, {"tid", 7}, {"time", 2000}});
  auto reader = data::Reader::open_fd(support::memory_file(data.bytes()), "perf.data");
  EXPECT_TRUE(reader);
  SymbolPlaces places;
  places.load = false;
  TracedRecording recording;
  recording.reader = std::make_unique<OpenedRecording>(std::move(*reader));
  recording.machine = std::make_unique<Machine>(std::move(places));
  return recording;
}

TEST(SharingKeys, TellRowsApartByTheNamedFieldsOnly) {
  const auto keys = sharing_keys("pid,dso");
  ASSERT_TRUE(keys);
  EXPECT_TRUE(keys->pid);
  EXPECT_TRUE(keys->dso);
  EXPECT_FALSE(keys->tid);
  EXPECT_FALSE(keys->code);
  EXPECT_EQ(sharing_keys("pid,line").error().message, "-c: no field 'line'");
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
