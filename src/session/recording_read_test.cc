#include "session/recording_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/resolver/resolver.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ListenerOfNothing : public SessionListener {
 public:
  void warning(std::string_view, std::string_view) override {}
  void note(std::string_view, std::string_view) override {}
  void verbatim(std::string_view) override {}
};

class SampleCount : public ReplaySink {
 public:
  void sample(const ReplaySample&, Resolver&, unsigned) override { ++samples; }
  std::atomic<u64> samples = 0;
};

data::Reader one_sample() {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}});
  data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 3}, {"period", 10}, {"misc", 2}});
  Fd fd = support::memory_file(data.bytes());
  ::lseek(fd.get(), 0, SEEK_SET);
  return *data::Reader::open_fd(std::move(fd), "perf.data");
}

Machine machine_without_symbols() {
  SymbolPlaces places;
  places.load = false;
  return Machine(std::move(places));
}

TEST(ReadRecording, PassesAllSamplesToTheSink) {
  data::Reader reader = one_sample();
  Machine machine = machine_without_symbols();
  SampleCount count;
  ListenerOfNothing listener;
  const auto read = read_recording(reader, machine, count, {}, listener);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->outcome);
  EXPECT_EQ(read->account.samples, 1u);
  EXPECT_EQ(count.samples, 1u);
}

TEST(ReadRecording, DumpsRecordsOnTheirWay) {
  data::Reader reader = one_sample();
  Machine machine = machine_without_symbols();
  SampleCount count;
  ListenerOfNothing listener;
  Sink dump;
  ASSERT_TRUE(read_recording(reader, machine, count, {.dump = &dump}, listener));
  EXPECT_THAT(dump.take(), HasSubstr("PERF_RECORD_SAMPLE"));
  EXPECT_EQ(count.samples, 1u);
}

}  // namespace
}  // namespace peregrine
