#include "pipeline/build_id/hit_dsos.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "base/fd.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;

PerfDataBuilder mapped_recording() {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"freq", 4000}, {"sample", "ip,tid,time"}, {"flags", "mmap,comm,task,sample_id_all"}});
  return data;
}

void map(PerfDataBuilder& data, int pid, u64 start, const char* file) {
  data.record("mmap2", {{"pid", pid}, {"tid", pid}, {"addr", start}, {"len", 0x4000}, {"file", file}, {"misc", 2}});
}

void sample(PerfDataBuilder& data, int pid, u64 ip, u64 time, int mode = 2) {
  data.record("sample", {{"ip", ip}, {"pid", pid}, {"tid", pid}, {"time", time}, {"misc", mode}});
}

HitSummary summary_of(const PerfDataBuilder& data) {
  const auto bytes = data.bytes();
  Fd file(::memfd_create("recording", 0));
  EXPECT_TRUE(write_all(file.get(), bytes.data(), bytes.size()));
  auto reader = data::Reader::open_fd(std::move(file), "recording");
  EXPECT_TRUE(reader) << reader.error().message;
  auto summary = find_hit_dsos(*reader);
  EXPECT_TRUE(summary);
  return *summary;
}

std::vector<std::string> hits(const HitSummary& summary) {
  std::vector<std::string> names;
  for (const auto& dso : summary.dsos) {
    if (dso.hit) names.push_back(dso.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(HitDsos, ASampleMarksTheMapItFallsInto) {
  auto data = mapped_recording();
  map(data, 7, 0x10000, "/bin/load");
  map(data, 7, 0x20000, "/lib/libc.so");
  sample(data, 7, 0x10010, 5);
  sample(data, 7, 0x13fff, 9);
  const auto summary = summary_of(data);
  EXPECT_EQ(hits(summary), Names{"/bin/load"});
  EXPECT_EQ(summary.samples, 2u);
  EXPECT_EQ(summary.first_time, 5u);
  EXPECT_EQ(summary.last_time, 9u);
}

TEST(HitDsos, MapsMayComeAfterTheSample) {
  auto data = mapped_recording();
  sample(data, 7, 0x10010, 5);
  map(data, 7, 0x10000, "/bin/load");
  EXPECT_EQ(hits(summary_of(data)), Names{"/bin/load"});
}

TEST(HitDsos, AChildUsesItsParentsMaps) {
  auto data = mapped_recording();
  map(data, 7, 0x10000, "/bin/load");
  data.record("fork", {{"pid", 8}, {"ppid", 7}, {"tid", 8}, {"ptid", 7}});
  sample(data, 8, 0x10010, 5);
  EXPECT_EQ(hits(summary_of(data)), Names{"/bin/load"});
}

TEST(HitDsos, OtherProcessesAndAnonymousMemoryMarkNothing) {
  auto data = mapped_recording();
  map(data, 7, 0x10000, "/bin/load");
  map(data, 7, 0x20000, "//anon");
  sample(data, 9, 0x10010, 5);
  sample(data, 7, 0x20010, 5);
  EXPECT_EQ(hits(summary_of(data)), Names{});
}

TEST(HitDsos, TheKernelIsHitThroughItsTextMap) {
  auto data = mapped_recording();
  data.record("mmap", {{"pid", -1},
                       {"tid", 0},
                       {"addr", 0xffffffff81000000},
                       {"len", 0x1000000},
                       {"file", "[kernel.kallsyms]_text"},
                       {"misc", 1}});
  sample(data, 7, 0xffffffff81000100, 5, 1);
  EXPECT_EQ(hits(summary_of(data)), Names{"[kernel.kallsyms]"});
}

}  // namespace
}  // namespace peregrine
