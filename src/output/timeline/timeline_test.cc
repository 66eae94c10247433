#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "output/sink.h"
#include "output/timeline/chrome_timeline.h"
#include "output/timeline/perfetto_timeline.h"
#include "output/timeline/timeline_sink.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Writer>
std::string timeline_of(const TracepointRecording& recording) {
  ReplayedRecording replayed(recording);
  Sink out;
  Writer writer(out);
  const auto names = [&replayed] {
    std::vector<std::string> names;
    for (const data::Event& event : replayed.reader().evlist()) names.push_back(event.name);
    return names;
  };
  TimelineSink sink(replayed.reader(), names, writer);
  replayed.run(sink);
  EXPECT_TRUE(sink.finish());
  return out.take();
}

TracepointRecording switches() {
  TracepointRecording recording;
  recording.event("sched:sched_switch", {"prev_pid", "prev_state", "next_pid", "next_prio", "next_comm[16]"});
  recording.comm(7, "load");
  recording.hit("sched:sched_switch", {.time = 1000, .cpu = 1}, {0, 0, 7, 120, "load"});
  recording.hit("sched:sched_switch", {.time = 3500, .cpu = 1}, {7, 2, 0, 120, "swapper"});
  return recording;
}

TEST(Timeline, ASwitchEndsTheSliceOfTheThreadThatRan) {
  const std::string text = timeline_of<ChromeTimeline>(switches());
  EXPECT_THAT(text, HasSubstr(R"("ph":"M","name":"thread_name","pid":1073741824,"tid":1,"args":{"name":"CPU 1"})"));
  EXPECT_THAT(text,
              HasSubstr(R"({"ph":"X","name":"load","cat":"sched","pid":1073741824,"tid":1,"ts":1.000,"dur":2.500,)"
                        R"("args":{"tid":7,"priority":120,"prev_state":2}})"));
  EXPECT_THAT(text, Not(HasSubstr("swapper"))) << "idle times are gaps";
}

TEST(Timeline, ASystemCallIsASliceOfItsThread) {
  TracepointRecording recording;
  recording.event("syscalls:sys_enter_read", {"__syscall_nr", "fd"});
  recording.event("syscalls:sys_exit_read", {"__syscall_nr", "ret"});
  recording.comm(7, "load");
  recording.hit("syscalls:sys_exit_read", {.time = 500}, {0, 1});  // began before the recording
  recording.hit("syscalls:sys_enter_read", {.time = 1000}, {0, 3});
  recording.hit("syscalls:sys_exit_read", {.time = 1250}, {0, 64});
  recording.hit("syscalls:sys_enter_read", {.time = 2000}, {0, 4});
  const std::string text = timeline_of<ChromeTimeline>(recording);
  EXPECT_THAT(text, HasSubstr(R"({"ph":"X","name":"read","cat":"syscalls","pid":7,"tid":7,"ts":1.000,"dur":0.250,)"
                              R"("args":{"__syscall_nr":0,"fd":3,"ret":64}})"));
  EXPECT_THAT(text, HasSubstr(R"({"ph":"X","name":"read","cat":"unfinished","pid":7,"tid":7,"ts":2.000,"dur":0.000,)"));
}

TEST(Timeline, InterruptsHaveATrackAndFrequenciesACounter) {
  TracepointRecording recording;
  recording.event("irq:softirq_entry", {"vec"});
  recording.event("irq:softirq_exit", {"vec"});
  recording.event("power:cpu_frequency", {"state", "cpu_id"});
  recording.hit("irq:softirq_entry", {.time = 1000, .cpu = 3}, {9});
  recording.hit("irq:softirq_exit", {.time = 1100, .cpu = 3}, {9});
  recording.hit("power:cpu_frequency", {.time = 1200}, {2400000, 5});
  const std::string text = timeline_of<ChromeTimeline>(recording);
  EXPECT_THAT(text, HasSubstr(R"("name":"softirq 9","cat":"irq","pid":1073741825,"tid":3,"ts":1.000,"dur":0.100)"));
  EXPECT_THAT(text,
              HasSubstr(R"x("name":"CPU 5 frequency (kHz)","pid":1073741824,"ts":1.200,"args":{"value":2400000}})x"));
}

TEST(Timeline, OtherTracepointsAreInstantsWithTheirFields) {
  TracepointRecording recording;
  recording.event("app:\"x", {"size", "name[8]"});
  recording.hit("app:\"x", {.time = 1000}, {5, "a\"b"});
  EXPECT_THAT(timeline_of<ChromeTimeline>(recording), HasSubstr(R"("args":{"size":5,"name":"a\"b"}})"));
}

// The fields of a message: numbers as they are, others as their bytes.
std::vector<std::pair<u64, std::string>> fields_of(std::string_view message) {
  std::size_t at = 0;
  const auto varint = [&] {
    u64 value = 0;
    for (unsigned shift = 0; at < message.size(); shift += 7) {
      const auto byte = static_cast<u8>(message[at++]);
      value |= u64{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  std::vector<std::pair<u64, std::string>> fields;
  while (at < message.size()) {
    const u64 key = varint();
    if ((key & 7) == 0) {
      fields.emplace_back(key >> 3, std::to_string(varint()));
    } else {
      const u64 size = varint();
      fields.emplace_back(key >> 3, message.substr(at, size));
      at += size;
    }
  }
  return fields;
}

std::string field(std::string_view message, u64 wanted) {
  for (const auto& [number, value] : fields_of(message))
    if (number == wanted) return value;
  return "";
}

TEST(PerfettoTimeline, HasATrackForEachCpuAndPairsOfEvents) {
  std::vector<std::string> tracks, events;
  for (const auto& [number, packet] : fields_of(timeline_of<PerfettoTimeline>(switches()))) {
    EXPECT_EQ(number, 1u);
    const std::string descriptor = field(packet, 60), event = field(packet, 11);
    if (!descriptor.empty()) tracks.push_back(field(descriptor, 2));
    if (event.empty()) continue;
    events.push_back(field(packet, 8) + " " + field(event, 9) + " " + field(event, 23));
    for (const auto& [part, annotation] : fields_of(event))
      if (part == 4) events.back() += " " + field(annotation, 10) + "=" + field(annotation, 3);
  }
  EXPECT_EQ(tracks, (std::vector<std::string>{"CPUs", "CPU 1"}));
  EXPECT_EQ(events, (std::vector<std::string>{"1000 1 load tid=7 priority=120 prev_state=2", "3500 2 "}));
}

}  // namespace
}  // namespace peregrine
