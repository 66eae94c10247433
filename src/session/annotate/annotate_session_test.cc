#include "session/annotate/annotate_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

class AnnotateSession : public ::testing::Test {
 protected:
  // One sample from a process without maps.
  static support::PerfDataBuilder one_sample(const char* fields = "ip,tid,time") {
    support::PerfDataBuilder data;
    data.attr({{"sample", fields}, {"flags", "comm,sample_id_all"}});
    data.record("sample", {{"ip", 0x401000}, {"pid", 7}, {"tid", 7}, {"time", 2000}});
    return data;
  }
  Result<AnnotateEnd> annotate(const support::PerfDataBuilder& data, const AnnotateRequest& request) {
    OpenedRecording recording(support::open_built(data));
    return annotate_recording(recording, {}, request, {}, out_, messages_);
  }
  Sink out_;
  testing::KeptMessages messages_;
};

TEST_F(AnnotateSession, NeedsRecordedCpusToChooseByCpu) {
  AnnotateRequest request;
  request.cpus = "0";
  EXPECT_EQ(annotate(one_sample(), request), AnnotateEnd::NoCpus);
  EXPECT_EQ(messages_.take(), "File does not contain CPU events. Remove -C option to proceed.\n");
}

TEST_F(AnnotateSession, SaysThatARecordingHasNoSamples) {
  support::PerfDataBuilder data;
  data.attr({{"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
  AnnotateRequest request;
  request.recording = "x.data";
  EXPECT_EQ(annotate(data, request), AnnotateEnd::NothingFound);
  EXPECT_THAT(messages_.take(), ::testing::EndsWith("Error:\nThe x.data data has no samples!\n"));
  EXPECT_EQ(out_.take(), "");
}

TEST_F(AnnotateSession, NamesTheSymbolThatNoSampleHit) {
  AnnotateRequest request;
  request.recording = "x.data";
  request.symbol = "main";
  EXPECT_EQ(annotate(one_sample(), request), AnnotateEnd::NothingFound);
  EXPECT_EQ(messages_.take(),
            "note: 'x.data' has no samples in 'main'\nhint: list the names with: perf report -s symbol\n");
}

TEST_F(AnnotateSession, WarnsIfNoFunctionIsKnown) {
  EXPECT_EQ(annotate(one_sample(), {}), AnnotateEnd::Shown);
  EXPECT_THAT(messages_.take(), HasSubstr("warning: no samples in a known function\n"));
}

TEST_F(AnnotateSession, DumpEndsWithCountsOfRecords) {
  AnnotateRequest request;
  request.dump = true;
  EXPECT_EQ(annotate(one_sample(), request), AnnotateEnd::Shown);
  EXPECT_THAT(out_.take(), HasSubstr("SAMPLE events:"));
}

TEST_F(AnnotateSession, CountsOfTypesHaveNoFormat) {
  AnnotateRequest request;
  request.look.format = "csv";
  request.types.counts = true;
  const auto end = annotate(one_sample(), request);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace peregrine
