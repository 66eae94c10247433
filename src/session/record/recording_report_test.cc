#include "session/record/recording_report.h"

#include <gtest/gtest.h>

#include <string>

#include "abi/attr.h"
#include "base/types.h"
#include "capture/target/workload.h"
#include "support/kept_messages.h"

namespace peregrine {
namespace {

class RecordingReporting : public ::testing::Test {
 protected:
  std::string reported() {
    report_recording(Root(), request_, events_, controlled_, summary_, heard_);
    return heard_.take();
  }

  testing::KeptMessages heard_;
  RecordRequest request_;
  EventList events_ = EventList(1);
  bool controlled_ = false;
  RecordingSummary summary_;
};

TEST_F(RecordingReporting, TellsSizesInTheLinesThatScriptsMatch) {
  summary_.wakeups = 3;
  summary_.bytes = 1 << 20;
  summary_.samples = 12;
  EXPECT_EQ(reported(),
            "[ perf record: Woken up 3 times to write data ]\n"
            "[ perf record: Captured and wrote 1.000 MB perf.data (12 samples) ]\n");
  summary_.put_away = "perf.data.2026";
  summary_.record_bytes = 3 << 20;
  summary_.compressed_bytes = 1 << 20;
  EXPECT_EQ(reported(),
            "[ perf record: Woken up 3 times to write data ]\n"
            "[ perf record: Dump perf.data.2026 ]\n"
            "[ perf record: Captured and wrote 1.000 MB perf.data.<timestamp> (12 samples), compressed (original 3.000 "
            "MB, ratio is 3.000) ]\n");
  request_.quiet = true;
  EXPECT_EQ(reported(), "");
}

TEST_F(RecordingReporting, NamesLossesByPlace) {
  request_.quiet = true;
  summary_.samples = 98;
  summary_.ring_bytes = 1 << 20;
  summary_.losses = {{.cpu = 2, .lost_records = 1, .lost_samples = 1}, {.thread = 77, .throttles = 4}};
  EXPECT_EQ(reported(),
            "warning: 2 records were lost (2.0 % of all):\n"
            "  CPU 2: 1 lost (ring full), 1 sample dropped by the kernel, throttled 0 times\n"
            "  thread 77: 0 lost (ring full), 0 samples dropped by the kernel, throttled 4 times\n"
            "hint: use larger buffers (-m 4M), sample less often (-F, -c), or record with -r 1\n");
  summary_.losses.erase(summary_.losses.begin());
  EXPECT_TRUE(reported().starts_with("warning: the kernel throttled events that occurred too often:\n"));
}

TEST_F(RecordingReporting, ListsFiveUnreadProcesses) {
  request_.quiet = true;
  summary_.samples = 1;
  summary_.unread_processes = {1};
  EXPECT_TRUE(
      reported().starts_with("warning: cannot read the maps of 1 process (PID 1): its user code has no symbols"));
  summary_.unread_processes = {1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(reported().starts_with(
      "warning: cannot read the maps of 6 processes (PID 1, 2, 3, 4, 5, …): their user code has no symbols"));
}

TEST_F(RecordingReporting, ExplainsWhyAFilterLeftNothing) {
  request_.quiet = true;
  summary_.filtered_out = 1;
  EXPECT_EQ(reported(), "warning: no sample passed the filter; 1 was seen\n");
  summary_.filtered_out = 0;
  EXPECT_EQ(reported(), "");
  events_[0].name = "sched:sched_switch";
  events_[0].attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  events_[0].system = "sched";
  events_[0].tracepoint = "sched_switch";
  events_[0].filter = "prev_pid == 1";
  EXPECT_TRUE(reported().starts_with("warning: no event passed the filter 'prev_pid == 1'\n"));
  events_.push_back(events_[0]);
  EXPECT_TRUE(reported().starts_with("warning: none of 2 events passed the filter 'prev_pid == 1'\n"));
  for (const char* filter : {"a", "b", "c"}) {
    events_.push_back(events_[0]);
    events_.back().filter = filter;
  }
  EXPECT_TRUE(
      reported().starts_with("warning: none of 5 events passed the filter 'prev_pid == 1', 'a', 'b', and 1 more\n"));
}

TEST_F(RecordingReporting, ExplainsAnEmptyRecording) {
  EXPECT_TRUE(
      reported().ends_with("note: no samples: the command ran too briefly for this frequency (raise -F), or "
                           "its events did not occur\n"));
  events_[0].attr.type = 11;  // a hardware trace, which has no samples
  EXPECT_TRUE(reported().ends_with(" ]\n"));
}

// A clock at 1 kHz, and a command that used one second of CPU time.
class CoverageReporting : public RecordingReporting {
 protected:
  CoverageReporting() {
    request_.quiet = true;
    abi::EventAttr& attr = events_[0].attr;
    attr.type = static_cast<u32>(abi::EventType::Software);
    attr.config = static_cast<u64>(abi::SoftwareEvent::CpuClock);
    attr.sample_period = 1'000'000;
    attr.set(abi::attr_flag::Inherit);
    attr.set(abi::attr_flag::EnableOnExec);
    summary_.exit = WorkloadExit{};
    summary_.exit->usage.ru_utime.tv_sec = 1;
    summary_.samples = 500;
  }
};

TEST_F(CoverageReporting, WarnsIfSamplesMissMuchOfTheCommand) {
  EXPECT_TRUE(
      reported().starts_with("warning: samples cover 50 % of the command's CPU time (0.50 of 1.00 s): threads shorter "
                             "than 1.0 ms are missed\n"));
  summary_.samples = 900;
  EXPECT_EQ(reported(), "");
}

TEST_F(CoverageReporting, DoesNotJudgeEventsThatWereOffMeanwhile) {
  controlled_ = true;
  EXPECT_EQ(reported(), "");
  controlled_ = false;
  request_.recording.run.max_bytes = 1;
  EXPECT_EQ(reported(), "");
}

}  // namespace
}  // namespace peregrine
