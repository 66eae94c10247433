#include "analysis/sharing/line_sharing.h"

#include <gtest/gtest.h>

#include "support/perf_data_builder.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;
using support::ReplayedRecording;

constexpr u64 kLoadOfModified = 2 | (0x42u << 5) | (u64{16} << 19);  // load, L3 hit, HITM
constexpr u64 kStoreToL1 = 4 | (0xau << 5);
constexpr u64 kHeap = 0x7f0000001000;

// Two processes, 7 and 8, each with a map at kHeap.
class SharingRecording : public PerfDataBuilder {
 public:
  // `map_flags`: 1 shared, 2 private.
  explicit SharingRecording(u32 map_flags = 2, const char* sample = kSample) {
    attr({{"type", 4}, {"sample", sample}, {"flags", "mmap,mmap2,sample_id_all"}});
    for (const u32 pid : {7u, 8u})
      record("mmap2", {{"pid", pid},
                       {"tid", pid},
                       {"addr", kHeap},
                       {"len", 0x10000},
                       {"prot", 3},
                       {"flags", map_flags},
                       {"file", "//anon"},
                       {"misc", 2},
                       {"time", 1}});
  }
  void access(u64 address, u64 source = kLoadOfModified, u32 pid = 7, u64 code = 0x401000, u64 weight = 100) {
    record("sample", {{"ip", code},
                      {"pid", pid},
                      {"tid", pid},
                      {"time", ++time_},
                      {"cpu", pid - 7},
                      {"addr", address},
                      {"data_src", source},
                      {"weight", weight},
                      {"period", 3}});
  }
  static constexpr const char* kSample = "ip,tid,time,cpu,addr,data_src,weight,period";

 private:
  u64 time_ = 10;
};

std::vector<SharedLine> lines_of(const SharingRecording& recording, SharingKeys keys = {}) {
  ReplayedRecording replayed(recording);
  LineSharing sharing(keys, 64, nullptr);
  replayed.run(sharing);
  return sharing.take_lines();
}

TEST(LineSharing, AddressesOfALineAreOneLineWithARowPerOffset) {
  SharingRecording recording;
  recording.access(kHeap + 0x08);
  recording.access(kHeap + 0x08);
  recording.access(kHeap + 0x3f, kStoreToL1);
  recording.access(kHeap + 0x40);
  const auto lines = lines_of(recording);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].address, kHeap);
  EXPECT_EQ(lines[0].counts.records, 3u);
  EXPECT_EQ(lines[0].counts.local_hitm, 2u);
  EXPECT_EQ(lines[0].period, 9u);
  ASSERT_EQ(lines[0].rows.size(), 2u);
  EXPECT_EQ(lines[0].rows[0].offset, 0x08u);
  EXPECT_EQ(lines[0].rows[1].offset, 0x3fu);
  EXPECT_EQ(lines[0].rows[1].counts.l1_stores, 1u);
  EXPECT_EQ(lines[1].address, kHeap + 0x40);
}

TEST(LineSharing, PrivateMemoryOfTwoProcessesIsTwoLines) {
  SharingRecording recording;
  recording.access(kHeap, kLoadOfModified, 7);
  recording.access(kHeap, kLoadOfModified, 8);
  EXPECT_EQ(lines_of(recording).size(), 2u);
}

TEST(LineSharing, SharedMemoryOfTwoProcessesIsOneLine) {
  SharingRecording recording(1);
  recording.access(kHeap, kLoadOfModified, 7);
  recording.access(kHeap, kLoadOfModified, 8);
  const auto lines = lines_of(recording);
  ASSERT_EQ(lines.size(), 1u);
  ASSERT_EQ(lines[0].rows.size(), 1u);
  EXPECT_EQ(lines[0].rows[0].cpus.size(), 2u) << "the row knows which CPUs contend";
}

TEST(LineSharing, MemoryInNoMapMayBeShared) {
  SharingRecording recording;
  recording.access(0x5000, kLoadOfModified, 7);
  recording.access(0x5000, kLoadOfModified, 8);
  const auto lines = lines_of(recording);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].counts.unmapped, 2u);
}

TEST(LineSharing, KeysDecideWhatSeparatesRows) {
  SharingRecording recording(1);
  recording.access(kHeap, kLoadOfModified, 7, 0x401000);
  recording.access(kHeap, kLoadOfModified, 7, 0x402000);
  recording.access(kHeap, kLoadOfModified, 8, 0x401000);
  EXPECT_EQ(lines_of(recording).at(0).rows.size(), 2u) << "by code";
  EXPECT_EQ(lines_of(recording, {.code = false}).at(0).rows.size(), 1u);
  EXPECT_EQ(lines_of(recording, {.pid = true, .code = false}).at(0).rows.size(), 2u);
  EXPECT_EQ(lines_of(recording, {.tid = true}).at(0).rows.size(), 3u);
}

TEST(LineSharing, TheLatencyOfALoadBelongsToWhatServedIt) {
  SharingRecording recording;
  recording.access(kHeap, kLoadOfModified, 7, 0x401000, 100);
  recording.access(kHeap, kLoadOfModified, 7, 0x401000, 300);
  recording.access(kHeap, kStoreToL1, 7, 0x401000, 900);
  const SharingRow row = lines_of(recording).at(0).rows.at(0);
  EXPECT_EQ(row.local_hitm.count(), 2u);
  EXPECT_DOUBLE_EQ(row.local_hitm.mean(), 200);
  EXPECT_EQ(row.load.count(), 0u) << "a store has no latency";
}

TEST(LineSharing, AnAccessWithoutAnAddressHasNoLine) {
  SharingRecording recording;
  recording.access(0);
  ReplayedRecording replayed(recording);
  LineSharing sharing({}, 64, nullptr);
  replayed.run(sharing);
  EXPECT_EQ(sharing.all().records, 1u);
  EXPECT_EQ(sharing.all().load_without_address, 1u);
  EXPECT_TRUE(sharing.take_lines().empty());
}

TEST(LineSharing, CountsSamplesWithoutAccessData) {
  SharingRecording recording(2, "ip,tid,time,cpu,period");
  recording.record("sample", {{"ip", 1}, {"pid", 7}, {"tid", 7}, {"time", 20}, {"period", 1}});
  ReplayedRecording replayed(recording);
  LineSharing sharing({}, 64, nullptr);
  replayed.run(sharing);
  EXPECT_EQ(sharing.without_data(), 1u);
  EXPECT_EQ(sharing.all().records, 0u);
}

}  // namespace
}  // namespace peregrine
