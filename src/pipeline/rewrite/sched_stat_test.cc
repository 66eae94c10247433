#include "pipeline/rewrite/sched_stat.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "abi/record_rows.h"
#include "base/fd.h"
#include "data/writer/copy_writer.h"
#include "pipeline/rewrite/rewrite.h"
#include "support/perf_data_builder.h"
#include "sys/root.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;

std::string format_of(const char* name, u32 id) {
  return fmt::format(
      "name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
      "\tfield:pid_t pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
      name, id);
}

std::string tracing_hex() {
  TracingData tracing;
  tracing.systems = {
      {"sched",
       {format_of("sched_switch", 11), format_of("sched_stat_sleep", 12), format_of("sched_process_exit", 13)}}};
  std::string hex;
  for (const std::byte byte : encode_tracing_data(tracing)) hex += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return hex;
}

// Events 0 to 3: sched_switch, sched_stat_sleep, sched_process_exit, and one that stays.
PerfDataBuilder sched_recording() {
  PerfDataBuilder data;
  for (const u64 config : {11, 12, 13}) {
    data.attr({{"type", 2},
               {"config", config},
               {"sample", "identifier,ip,tid,time,period,raw"},
               {"ids", config},
               {"flags", "sample_id_all"}});
  }
  data.attr({{"type", 1}, {"sample", "identifier,ip,tid,time,period,raw"}, {"ids", 14}, {"flags", "sample_id_all"}});
  data.feature("tracing_data", {{"hex", tracing_hex()}});
  return data;
}

// `about`: the thread that the tracepoint names, as 4 bytes of hex.
void sample(PerfDataBuilder& data, u64 event, u64 ip, u64 tid, u64 time, u64 period, const char* about) {
  data.record("sample",
              {{"ip", ip},
               {"pid", tid},
               {"tid", tid},
               {"time", time},
               {"period", period},
               {"id", 11 + event},
               {"raw", std::string("00000000") + about}},
              event);
}

struct Line {
  u64 ip, time, period, tid;
  friend bool operator==(const Line&, const Line&) = default;
};

std::vector<Line> merged(const PerfDataBuilder& data, std::vector<std::string>& notes) {
  const auto bytes = data.bytes();
  Fd in(::memfd_create("in", MFD_CLOEXEC)), out(::memfd_create("out", MFD_CLOEXEC));
  EXPECT_TRUE(write_all(in.get(), bytes.data(), bytes.size()));
  auto reader = data::Reader::open_fd(std::move(in), "in");
  data::CopyWriter writer(Fd(::dup(out.get())), "out", false);
  RewriteOptions options;
  options.merge_sched_stat = true;
  const auto summary = rewrite(Root("/nonexistent"), *reader, std::move(writer), options);
  EXPECT_TRUE(summary);
  notes = summary->notes;
  auto copy = data::Reader::open_fd(std::move(out), "out");
  std::vector<Line> lines;
  abi::RecordView record;
  abi::Sample decoded;
  abi::SampleScratch scratch;
  while (*copy->next(record)) {
    if (record.type != abi::RecordType::Sample) continue;
    EXPECT_TRUE(copy->evlist().decoder(copy->evlist().event_of(record)).decode(record, decoded, scratch));
    lines.push_back({decoded.ip, decoded.time, decoded.period, decoded.tid});
  }
  return lines;
}

TEST(SchedStat, TellsWhereAThreadSleptAndHowLong) {
  auto data = sched_recording();
  // Another CPU's samples come first in the file: time decides.
  sample(data, 1, 0xb, 1, 300, 5000, "07000000");
  sample(data, 3, 0xc, 9, 250, 1, "00000000");
  sample(data, 0, 0xa, 7, 100, 1, "00000000");
  std::vector<std::string> notes;
  EXPECT_THAT(merged(data, notes), ::testing::ElementsAre(Line{0xc, 250, 1, 9}, Line{0xa, 300, 5000, 7}));
  EXPECT_TRUE(notes.empty());
}

TEST(SchedStat, LeavesOutWhatHasNoSwitchAndSaysSo) {
  auto data = sched_recording();
  sample(data, 0, 0xa, 7, 100, 1, "00000000");
  sample(data, 2, 0xd, 7, 200, 1, "00000000");
  sample(data, 1, 0xb, 1, 300, 5000, "07000000");
  std::vector<std::string> notes;
  EXPECT_TRUE(merged(data, notes).empty());
  EXPECT_EQ(notes.size(), 1u);
}

}  // namespace
}  // namespace peregrine
