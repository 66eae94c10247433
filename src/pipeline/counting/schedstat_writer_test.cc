// Writes readings of /proc/schedstat to a recording, and reads them back.
#include "pipeline/counting/schedstat_writer.h"

#include <gtest/gtest.h>

#include <variant>

#include "abi/record.h"
#include "data/reader/reader.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

SchedCounters reading_at(u64 time, u32 version) {
  SchedCounters all{.version = version, .time = time, .cpus = {}};
  for (const u32 cpu : {0u, 1u}) {
    SchedCpuCounters of{.cpu = cpu, .values = std::vector<u64>(9, time + cpu), .domains = {}};
    of.values[8] = 1ull << 40;
    of.domains.push_back({.number = 0,
                          .name = version >= 17 ? "MC" : "",
                          .mask = "00000003",
                          .values = std::vector<u64>(version >= 17 ? 45 : 36, time)});
    all.cpus.push_back(std::move(of));
  }
  return all;
}

class SchedstatWriters : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path("perf.data"); }
  void write(u32 version, std::vector<u32> cpus) const {
    auto writer = SchedstatWriter::create(Root(), path(), {.version = "6.18", .command_line = {"perf"}, .clockid = {}});
    ASSERT_TRUE(writer) << writer.error().message;
    for (const u64 time : {100, 300}) ASSERT_TRUE(writer->add_reading(reading_at(time, version), cpus));
    ASSERT_TRUE(writer->finish());
  }
  std::vector<abi::SchedstatRecord> read(data::SchedulingDomains& domains) const {
    std::vector<abi::SchedstatRecord> lines;
    auto reader = data::Reader::open(path());
    EXPECT_TRUE(reader) << reader.error().message;
    abi::RecordView record;
    for (;;) {
      const auto more = reader->next(record);
      EXPECT_TRUE(more) << more.error().message;
      if (!more || !*more) break;
      const auto decoded = abi::decode_session_record(record);
      EXPECT_TRUE(decoded);
      if (decoded && *decoded)
        if (const auto* line = std::get_if<abi::SchedstatRecord>(&**decoded)) lines.push_back(*line);
    }
    domains = reader->header().features.scheduling_domains.value_or(data::SchedulingDomains());
    return lines;
  }

  TemporaryFolder folder_;
};

TEST_F(SchedstatWriters, WriteWhatReadersRead) {
  for (const u32 version : {15u, 16u, 17u}) {
    write(version, {});
    data::SchedulingDomains domains;
    const auto lines = read(domains);
    ASSERT_EQ(lines.size(), 8u);  // two readings of two CPUs with a domain each
    EXPECT_EQ(lines[0].time, 100u);
    EXPECT_FALSE(lines[0].domain);
    EXPECT_EQ(lines[0].values, reading_at(100, version).cpus[0].values);
    EXPECT_EQ(lines[7].cpu, 1u);
    EXPECT_EQ(lines[7].version, version);
    EXPECT_EQ(lines[7].domain, 0);
    EXPECT_EQ(lines[7].values, reading_at(300, version).cpus[1].domains[0].values);
    ASSERT_EQ(domains.cpus.size(), 2u);
    EXPECT_EQ(domains.schedstat_version, version);
    EXPECT_EQ(domains.most_domains, 1u);
    EXPECT_EQ(domains.cpus[1].domains[0].cpus, "0-1");
    EXPECT_EQ(domains.cpus[1].domains[0].name, version >= 17 ? "MC" : "");
  }
}

TEST_F(SchedstatWriters, KeepOnlyTheChosenCpus) {
  write(17, {1});
  data::SchedulingDomains domains;
  const auto lines = read(domains);
  ASSERT_EQ(lines.size(), 4u);
  for (const abi::SchedstatRecord& line : lines) EXPECT_EQ(line.cpu, 1u);
}

}  // namespace
}  // namespace peregrine
