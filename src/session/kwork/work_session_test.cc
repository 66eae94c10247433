#include "session/kwork/work_session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <utility>

#include "event/tracepoint/tracing_data.h"
#include "machine/dso/dso.h"
#include "session/recording/opened_recording.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

constexpr u32 kSoftirqRaise = 63, kSoftirqEntry = 64, kSoftirqExit = 65;
constexpr u64 kTimer = 1;

std::string softirq_format(std::string_view name, u32 id) {
  return fmt::format(
      "name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
      "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n",
      name, id);
}

// The timer softirq, raised at 1000 ns, run from 3000 to 8000 ns; without `softirqs`, a recording of other events.
TracedRecording softirq_recording(bool softirqs) {
  support::PerfDataBuilder data;
  const std::pair<const char*, u32> events[] = {
      {"softirq_raise", kSoftirqRaise}, {"softirq_entry", kSoftirqEntry}, {"softirq_exit", kSoftirqExit}};
  if (softirqs) {
    TracingData tracing;
    tracing.systems.push_back({"irq", {}});
    std::string hex;
    for (const auto& [name, id] : events) {
      data.attr({{"name", std::string("irq:") + name},
                 {"type", 2},
                 {"config", id},
                 {"sample", "identifier,ip,tid,time,cpu,raw"},
                 {"flags", "sample_id_all"},
                 {"ids", id}});
      tracing.systems[0].formats.push_back(softirq_format(name, id));
    }
    for (const std::byte byte : encode_tracing_data(tracing)) hex += fmt::format("{:02x}", static_cast<unsigned>(byte));
    data.feature("tracing_data", {{"hex", hex}});
    std::size_t event = 0;
    for (const u64 time : {1000, 3000, 8000}) {
      const u32 id = events[event].second;
      data.record("sample",
                  {{"id", id},
                   {"time", time},
                   {"cpu", 2},
                   {"raw", fmt::format("{:02x}00000000000000{:02x}00000000000000", id, kTimer)}},
                  event++);
    }
  } else {
    data.attr({{"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
    data.record("sample", {{"ip", 0x401000}, {"pid", 7}, {"tid", 7}, {"time", 2000}});
  }
  SymbolPlaces places;
  places.load = false;
  TracedRecording recording;
  recording.reader = std::make_unique<OpenedRecording>(support::open_built(data));
  recording.machine = std::make_unique<Machine>(std::move(places));
  return recording;
}

TEST(WorkSession, SumsRunTimesOrDelays) {
  testing::KeptMessages messages;
  for (const auto& [sum, expected] : {std::pair(KernelWork::Sum::Runtimes, 5000), {KernelWork::Sum::Delays, 2000}}) {
    TracedRecording recording = softirq_recording(true);
    const auto work = recorded_work(recording, {.sum = sum}, messages);
    ASSERT_TRUE(work) << work.error().message;
    ASSERT_EQ(work->rows.size(), 1u);
    EXPECT_EQ(work->rows[0].total, static_cast<u64>(expected));
    EXPECT_EQ(work->rows[0].cpu, 2u);
  }
}

TEST(WorkSession, LeavesOutOtherKindsNamesAndCpus) {
  testing::KeptMessages messages;
  const WorkRequest others[] = {{.kinds = {true, false, false}}, {.name = "NET_RX"}, {.cpus = {0}}};
  for (const WorkRequest& request : others) {
    TracedRecording recording = softirq_recording(true);
    const auto work = recorded_work(recording, request, messages);
    ASSERT_TRUE(work) << work.error().message;
    EXPECT_TRUE(work->rows.empty());
  }
}

TEST(WorkSession, PrintsTitlesEvenIfNothingRan) {
  testing::KeptMessages messages;
  Sink out;
  TracedRecording recording = softirq_recording(true);
  ASSERT_TRUE(show_work_runs(recording, {.cpus = {0}}, 0, out, messages));
  EXPECT_THAT(out.take(), HasSubstr("Kwork name"));
}

TEST(WorkSession, NamesTheCommandThatRecordsWork) {
  testing::KeptMessages messages;
  TracedRecording recording = softirq_recording(false);
  const auto work = recorded_work(recording, {}, messages);
  ASSERT_FALSE(work);
  EXPECT_EQ(work.error().hint, "record with `perf kwork record`");
  TracedRecording switchless = softirq_recording(false);
  EXPECT_THAT(recorded_usage(switchless, {}, messages).error().hint, HasSubstr("`perf kwork -k sched"));
}

}  // namespace
}  // namespace peregrine
