// Samples of blocked threads as records; tests/live covers the BPF program itself.
#include "capture/scheduling/off_cpu_sampler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/record_walk.h"
#include "abi/sample.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;

constexpr u64 kOffCpuId = 99;
constexpr u64 kAllOfASleep =
    bit::Identifier | bit::Ip | bit::Tid | bit::Time | bit::Id | bit::Cpu | bit::Period | bit::Callchain | bit::Cgroup;

OffCpuSample slept_sample() {
  return {.pid = 10,
          .tid = 11,
          .cpu = 3,
          .time = 5'000'000'000,
          .period = 2'000'000,
          .cgroup = 7,
          .frames = {0x401000, 0x402000, 0x403000}};
}

// A record, and what a reader of the recording gets from it; borrows from the record.
struct ReadBack {
  ByteWriter record;
  abi::SampleScratch scratch;
  abi::Sample sample;
};

void read_back(u64 sample_type, const OffCpuSample& sleep, ReadBack& out) {
  abi::EventAttr attr;
  attr.sample_type = sample_type;
  encode_off_cpu_sample(attr, kOffCpuId, sleep, out.record);
  const auto record = abi::first_record(out.record.bytes());
  ASSERT_TRUE(record);
  ASSERT_EQ(record->bytes.size(), out.record.size()) << "one record and nothing else";
  EXPECT_EQ(record->type, abi::RecordType::Sample);
  EXPECT_EQ(record->bytes.size() % 8, 0u);
  ASSERT_TRUE(abi::SampleDecoder(attr).decode(*record, out.sample, out.scratch));
}

TEST(OffCpuSample, ReadsBackAsItWasWritten) {
  ReadBack read;
  read_back(kAllOfASleep, slept_sample(), read);
  EXPECT_EQ(read.sample.id, kOffCpuId);
  EXPECT_EQ(read.sample.ip, 0x401000u) << "the innermost frame";
  EXPECT_EQ(read.sample.pid, 10u);
  EXPECT_EQ(read.sample.tid, 11u);
  EXPECT_EQ(read.sample.cpu, 3u);
  EXPECT_EQ(read.sample.time, 5'000'000'000u);
  EXPECT_EQ(read.sample.period, 2'000'000u);
  EXPECT_EQ(read.sample.cgroup, 7u);
  EXPECT_EQ(read.sample.cpumode(), abi::misc_bit::User);
  // perf_event marks where the user part of a chain begins; so must this.
  EXPECT_EQ(std::vector(read.sample.callchain.begin(), read.sample.callchain.end()),
            (std::vector<u64>{abi::kContextUser, 0x401000, 0x402000, 0x403000}));
}

TEST(OffCpuSample, OfALostStackHasNoAddress) {
  OffCpuSample sleep = slept_sample();
  sleep.frames.clear();
  ReadBack read;
  read_back(kAllOfASleep, sleep, read);
  EXPECT_EQ(read.sample.ip, 0u);
  ASSERT_EQ(read.sample.callchain.size(), 1u);
  EXPECT_EQ(read.sample.callchain[0], abi::kContextUser);
  EXPECT_EQ(read.sample.cgroup, 7u) << "what follows the chain is in its place";
}

// Each field takes its size and no more, in the order of perf_event_open(2).
TEST(OffCpuSample, HasTheFieldsOfItsEventOnly) {
  constexpr std::size_t kHeader = 8;
  struct Case {
    u64 sample_type;
    std::size_t fields;  // bytes
  };
  for (const Case& each : {Case{0, 0}, Case{bit::Ip, 8}, Case{bit::Identifier, 8}, Case{bit::Tid, 8}, Case{bit::Cpu, 8},
                           Case{bit::Ip | bit::Tid | bit::Time | bit::Period, 32}, Case{bit::Identifier | bit::Id, 16},
                           Case{bit::Callchain, 8 + 4 * 8}}) {
    SCOPED_TRACE(each.sample_type);
    ReadBack read;
    read_back(each.sample_type, slept_sample(), read);
    EXPECT_EQ(read.record.size(), kHeader + each.fields);
    if ((each.sample_type & bit::Tid) != 0) EXPECT_EQ(read.sample.tid, 11u);
    if ((each.sample_type & bit::Period) != 0) EXPECT_EQ(read.sample.period, 2'000'000u);
    if ((each.sample_type & (bit::Id | bit::Identifier)) != 0) EXPECT_EQ(read.sample.id, kOffCpuId);
  }
}

TEST(OffCpuSample, AppendsToWhatIsThere) {
  abi::EventAttr attr;
  attr.sample_type = bit::Time;
  ByteWriter bytes;
  for (const u64 time : {1, 2, 3}) encode_off_cpu_sample(attr, kOffCpuId, {.time = time}, bytes);
  const abi::SampleDecoder decoder(attr);
  Bytes rest = bytes.bytes();
  for (const u64 time : {1, 2, 3}) {
    const auto record = abi::first_record(rest);
    ASSERT_TRUE(record);
    EXPECT_EQ(decoder.time_of(*record), time);
    rest = rest.subspan(record->bytes.size());
  }
  EXPECT_TRUE(rest.empty());
}

TEST(OffCpuSampler, RejectsCpusThatItsProgramHasNoRoomFor) {
  for (const int cpu : {-2, 4096, 1 << 30}) {
    // A clock of user space needs no event, so that the kernel is not involved before the program is set up.
    abi::EventAttr attr;
    attr.set(abi::attr_flag::UseClockid);
    const Target target{.kind = TargetKind::Cpus, .cpus = {cpu}};
    const auto opened = OffCpuSampler::open(attr, kOffCpuId, {}, target, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::Unsupported);
    EXPECT_EQ(opened.error().message, fmt::format("off-CPU time of CPU {}", cpu));
  }
}

}  // namespace
}  // namespace peregrine
