#include "session/record/record_session.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "data/reader/reader.h"
#include "event/syntax/parse.h"
#include "support/kept_messages.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

class RecordingRun : public ::testing::Test {
 protected:
  // The error message; empty on success.
  std::optional<Error> record(std::string_view words) {
    RecordSession session(request_, sources_, heard_);
    EventList events;
    if (auto done = parse_events(words, sources_, events); !done) return done.error();
    if (auto done = session.find_target(); !done) return done.error();
    if (auto done = session.configure(std::move(events)); !done) return done.error();
    if (auto done = session.start({}); !done) return done.error();
    auto summary = session.run();
    if (!summary) return summary.error();
    summary_ = std::move(*summary);
    return std::nullopt;
  }

  EventSources sources_;
  testing::KeptMessages heard_;
  RecordRequest request_;
  RecordingSummary summary_;
};

TEST_F(RecordingRun, WritesAFileAndReportsIt) {
  const TemporaryFolder folder;
  request_.recording.run.command = {"sh", "-c", "exit 3"};
  request_.recording.output.path = folder.path() + "/perf.data";
  request_.recording.output.command_line = {"perf", "record"};
  request_.search_path = "/usr/bin:/bin";
  if (const auto error = record("cpu-clock:u")) GTEST_SKIP() << "perf events are not allowed here: " << error->message;
  ASSERT_TRUE(summary_.exit);
  EXPECT_EQ(summary_.exit->code(), 3);
  const std::string heard = heard_.take();
  EXPECT_NE(heard.find("[ perf record: Captured and wrote "), std::string::npos) << heard;
  const auto reader = data::Reader::open(request_.recording.output.path);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->evlist().size(), 1u);
}

TEST_F(RecordingRun, ShowsFiltersOfAddressesIfVerbose) {
  request_.verbose = 1;
  request_.recording.run.command = {"true"};
  RecordSession session(request_, sources_, heard_);
  EventList events;
  ASSERT_TRUE(parse_events("cpu-clock", sources_, events));
  events[0].filter = "filter main";
  events[0].filters_addresses = true;
  ASSERT_TRUE(session.find_target());
  ASSERT_TRUE(session.configure(std::move(events)));
  EXPECT_EQ(heard_.take(), "note: Address filter: filter main\n");
}

}  // namespace
}  // namespace peregrine
