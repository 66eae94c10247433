// Damaged recordings: everything readable is read, and the records shown plus the bytes skipped make up the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/reader/test_file.h"
#include "data/stream/account.h"
#include "support/byte_buffer.h"
#include "support/perf_data_builder.h"

namespace peregrine::data {
namespace {

using support::Endian;
using support::PerfDataBuilder;

// 40 samples with ips ascending from 0, and side-band between them.
PerfDataBuilder forty_samples(Endian endian = Endian::Little) {
  PerfDataBuilder data(support::Layout::File, endian);
  data.attr({{"sample", "ip,tid,time,period"}, {"flags", "mmap,comm,task,sample_id_all"}});
  for (u64 i = 0; i < 40; ++i) {
    if (i % 5 == 0) data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "load"}, {"time", i * 10 + 1}});
    data.record("sample", {{"ip", i}, {"pid", 7}, {"tid", 7}, {"time", i * 10 + 2}, {"period", 1}});
  }
  return data;
}

support::Section data_section(const PerfDataBuilder& data) {
  const auto sections = data.sections();
  return *std::ranges::find(sections, "data", &support::Section::name);
}

struct Outcome {
  std::vector<u64> ips;  // of the samples read
  ReadAccount account;
  u64 skipped() const { return account.zeroes.bytes + account.garbage.bytes + account.cut.bytes; }
};

std::optional<Outcome> read_outcome(const std::vector<std::byte>& bytes) {
  auto reader = read_bytes(bytes);
  if (!reader) return std::nullopt;
  Outcome outcome;
  abi::RecordView record;
  for (auto more = reader->next(record); more && *more; more = reader->next(record)) {
    if (record.type == abi::RecordType::Sample && record.bytes.size() >= 16) {
      outcome.ips.push_back(load<u64>(record.bytes.data() + 8, record.order));
    }
  }
  outcome.account = reader->account();
  return outcome;
}

std::vector<std::byte> with_inserted(std::vector<std::byte> bytes, std::size_t at, const std::vector<std::byte>& what) {
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), what.begin(), what.end());
  return bytes;
}

// Bytes from a generator with a fixed seed: the same in every run.
std::vector<std::byte> noise(std::size_t size, u64 state) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

// A killed recorder's file with `garbage` before sample number 20.
std::vector<std::byte> damaged_before_20(PerfDataBuilder data, const std::vector<std::byte>& garbage, Endian endian) {
  data.declared_data_size(0);
  auto bytes = data.bytes();
  const support::Section section = data_section(data);
  bytes.resize(section.offset + section.size);
  for (std::size_t at = section.offset; at < bytes.size();) {
    const ByteOrder order = endian == Endian::Big ? ByteOrder::Big : ByteOrder::Little;
    const bool sample = load<u32>(bytes.data() + at, order) == 9;
    if (sample && load<u64>(bytes.data() + at + 8, order) == 20) return with_inserted(std::move(bytes), at, garbage);
    at += load<u16>(bytes.data() + at + 6, order);
  }
  return {};
}

TEST(Damage, GarbageOfAnyLengthIsPassedOver) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    for (const std::size_t size : {1u, 7u, 8u, 24u, 100u, 4096u, 70001u, 300000u}) {
      const auto outcome = read_outcome(damaged_before_20(forty_samples(endian), noise(size, size), endian));
      ASSERT_TRUE(outcome);
      EXPECT_EQ(outcome->ips.size(), 40u) << size;
      EXPECT_EQ(outcome->account.garbage.bytes, size);
      EXPECT_EQ(outcome->account.garbage.count, 1u) << size;
    }
  }
}

TEST(Damage, ATypeOfNobodyIsARecordWhenRecordsFollow) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}}).record("sample", {{"ip", 1}});
  data.raw_record(4711, 0, std::vector<std::byte>(16)).raw_record(120, 0, std::vector<std::byte>(16));
  data.record("sample", {{"ip", 2}});
  const auto outcome = read_outcome(data.bytes());
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->ips, ::testing::ElementsAre(1u, 2u));
  EXPECT_EQ(outcome->account.records, 4u);
  EXPECT_TRUE(outcome->account.clean());
}

// A size in the garbage may lead to the start of a record; the records before that are not lost.
TEST(Damage, GarbageThatEndsWhereARecordStartsIsStillGarbage) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}}).record("sample", {{"ip", 1}});
  data.raw_bytes(support::from_hex("a1b2c3d4000080000011223344556677"));  // 128 bytes: seven samples too many
  for (u64 ip = 2; ip <= 20; ++ip) data.record("sample", {{"ip", ip}});
  const auto outcome = read_outcome(data.bytes());
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ips.size(), 20u);
  EXPECT_EQ(outcome->account.garbage.bytes, 16u);
}

TEST(Damage, ALastSizeThatReachesBeyondTheEndHidesNothing) {
  const auto bytes = forty_samples().bytes();
  const support::Section section = data_section(forty_samples());
  // The size of the tenth sample from the end, in a file that does not say where its records end.
  std::size_t at = section.offset;
  for (u64 ip = 0; ip != 30; at += load<u16>(bytes.data() + at + 6)) {
    if (load<u32>(bytes.data() + at) == 9) ip = load<u64>(bytes.data() + at + 8) + 1;
  }
  const auto outcome = read_outcome(support::overwrite(bytes, at + 6, 0xfff8, 2));
  ASSERT_TRUE(outcome);
  EXPECT_GE(outcome->ips.size(), 39u);
  EXPECT_EQ(outcome->account.bytes + outcome->skipped(), section.size);
}

TEST(Damage, AnAuxtraceSizeBeyondTheEndHidesNothing) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}}).record("auxtrace", {{"size", 1ull << 40}});
  for (u64 ip = 1; ip <= 3; ++ip) data.record("sample", {{"ip", ip}});
  const auto outcome = read_outcome(data.bytes());
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->ips, ::testing::ElementsAre(1u, 2u, 3u));
}

// Every byte of the records is either in a record that was read or in one of the three sums, whichever bit is flipped.
TEST(Damage, ShownAndSkippedAreAllThereIs) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const auto bytes = forty_samples(endian).bytes();
    const support::Section section = data_section(forty_samples(endian));
    for (std::size_t at = section.offset; at < section.offset + section.size; ++at) {
      const auto outcome = read_outcome(support::flip(bytes, at, at % 8));
      ASSERT_TRUE(outcome) << at;
      EXPECT_EQ(outcome->account.bytes + outcome->skipped(), section.size) << at;
      EXPECT_GE(outcome->ips.size(), 30u) << at;
    }
  }
}

TEST(Damage, ACutAnywhereLosesOnlyWhatIsBehind) {
  const auto bytes = forty_samples().bytes();
  const support::Section section = data_section(forty_samples());
  for (std::size_t size = section.offset; size < section.offset + section.size; ++size) {
    const auto outcome = read_outcome(support::cut(bytes, size));
    ASSERT_TRUE(outcome) << size;
    EXPECT_EQ(outcome->account.bytes + outcome->skipped(), size - section.offset) << size;
    EXPECT_EQ(outcome->account.missing_bytes, section.offset + section.size - size);
  }
}

TEST(Damage, StretchedSectionsKeepWhatStandsBefore) {
  auto data = forty_samples();
  data.feature("hostname", {{"text", "builder"}});  // a file without features comes from a killed recorder and has no
                                                    // defined end
  const auto bytes = data.bytes();
  const support::Section section = data_section(data);
  const auto outcome = read_outcome(support::stretch(bytes, section.offset + section.size / 2, 64));
  ASSERT_TRUE(outcome);
  EXPECT_GE(outcome->ips.size(), 18u);
  EXPECT_EQ(outcome->account.bytes + outcome->skipped(), section.size);
}

}  // namespace
}  // namespace peregrine::data
