#include "data/order/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "abi/record_rows.h"
#include "data/reader/test_file.h"
#include "data/stream/zstd_stream.h"
#include "support/perf_data_builder.h"

namespace peregrine::data {
namespace {

using support::PerfDataBuilder;
using support::Value;
using ::testing::ElementsAre;

PerfDataBuilder timed(support::Layout layout = support::Layout::File) {
  PerfDataBuilder data(layout);
  data.attr({{"sample", "ip,time"}, {"flags", "sample_id_all"}, {"ids", "1"}});
  return data;
}

void add(PerfDataBuilder& data, u64 ip, u64 time) { data.record("sample", {{"ip", ip}, {"time", time}}); }
void round(PerfDataBuilder& data) { data.record("finished_round"); }

// The ips of the samples in order of delivery.
std::vector<u64> delivered(Reader& reader, OrderOptions options = {}) {
  std::vector<u64> ips;
  Order order(reader, options);
  for (;;) {
    const auto more = order.next();
    if (!more || !*more) return ips;
    const Batch& batch = order.batch();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const abi::RecordView view = batch.view(i);
      if (view.type == abi::RecordType::Sample) ips.push_back(load<u64>(view.bytes.data() + 8));
    }
  }
}

TEST(Order, DeliversByTimeAndKeepsFileOrderAmongEquals) {
  auto data = timed();
  add(data, 1, 30), add(data, 2, 10), add(data, 3, 10), add(data, 4, 20);
  round(data);
  add(data, 5, 25), add(data, 6, 40);
  round(data);
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_THAT(delivered(*reader), ElementsAre(2, 3, 4, 5, 1, 6));
}

// A comm without a time is delivered where it was read: after the records that its round released, before all that
// still wait.
TEST(Order, DeliversRecordsWithoutTimeWhereTheyAreRead) {
  auto data = timed();
  add(data, 1, 100);
  add(data, 2, 0);
  round(data);
  add(data, 3, 200);
  round(data);  // releases records up to time 100
  add(data, 4, 300);
  add(data, 5, 0);
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_THAT(delivered(*reader), ElementsAre(2, 1, 5, 3, 4));
  reader = read_bytes(data.bytes());
  Order order(*reader);
  ASSERT_TRUE(*order.next());
  EXPECT_EQ(order.batch().time(0), 0u);
  EXPECT_EQ(order.batch().time(1), 100u);
  EXPECT_EQ(order.batch().time(2), 0u);
  EXPECT_EQ(order.unordered(), 0u);
}

TEST(Order, CountsRecordsOlderThanAReleasedRound) {
  auto data = timed();
  add(data, 1, 100);
  round(data);
  round(data);
  add(data, 2, 50);
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  Order order(*reader);
  ASSERT_TRUE(*order.next());
  EXPECT_EQ(order.unordered(), 1u);
}

// Bytes after the trailer are not part of it, and a bogus time delays nothing.
TEST(Order, OneOddRecordMakesNoOtherLate) {
  PerfDataBuilder data(support::Layout::File);
  data.attr({{"sample", "ip,tid,time"}, {"flags", "sample_id_all"}, {"ids", "1"}});
  const auto sample = [&](u64 ip, u64 time) { data.record("sample", {{"ip", ip}, {"time", time}}); };
  constexpr u64 kHour = 3'600'000'000'000;
  sample(1, kHour);
  const Value surplus = "cdcdcdcdcdcdcdcdabababababababab";
  data.record("ksymbol", {{"symbol", "bpf_prog"}, {"time", kHour + 1}, {"surplus", surplus}});
  data.record("comm", {{"comm", "odd"}, {"time", 100 * kHour}});
  round(data);
  sample(3, kHour + 3);
  round(data);
  sample(2, kHour + 2);
  round(data);
  sample(5, kHour + 5);
  round(data);
  sample(4, kHour + 4);
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  Order order(*reader, {.batch_bytes = 1});
  std::vector<u64> times;
  while (*order.next())
    for (std::size_t i = 0; i < order.batch().size(); ++i) times.push_back(order.batch().time(i) % kHour);
  EXPECT_THAT(times, ElementsAre(0, 1, 2, 3, 4, 5, 0));
  EXPECT_EQ(order.unordered(), 0u);
}

TEST(Order, BelievesThatTimeLeaptWhenManyRecordsSaySo) {
  auto data = timed();
  constexpr u64 kHour = 3'600'000'000'000;
  for (u64 i = 0; i < 100; ++i) data.record("comm", {{"comm", "x"}, {"time", kHour + i}});
  round(data);
  round(data);
  data.record("comm", {{"comm", "late"}, {"time", kHour}});
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  Order order(*reader);
  ASSERT_TRUE(*order.next());
  EXPECT_EQ(order.unordered(), 1u);
}

TEST(Order, GivesFileOrderAndRoundsWhenAsked) {
  auto data = timed();
  add(data, 1, 30), add(data, 2, 10);
  round(data);
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_THAT(delivered(*reader, {.by_time = false}), ElementsAre(1, 2));
  reader = read_bytes(data.bytes());
  Order order(*reader, {.rounds = true});
  ASSERT_TRUE(*order.next());
  ASSERT_EQ(order.batch().size(), 3u);
  EXPECT_EQ(order.batch().view(0).type, abi::RecordType::FinishedRound);
}

// Rings of several CPUs, drained in turn in every round; only the order of a stable sort is
// correct.
struct Simulated {
  std::vector<std::byte> bytes;
  std::vector<u64> expected;
};

Simulated simulate(unsigned cpus, unsigned rounds, bool with_rounds, support::Layout layout = support::Layout::File) {
  auto data = timed(layout);
  std::mt19937_64 random(cpus * 1000 + rounds);
  std::vector<std::pair<u64, u64>> all;
  u64 ip = 0;
  for (unsigned r = 1; r <= rounds; ++r) {
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
      std::vector<u64> times;
      for (u64 n = random() % 40; n > 0; --n) times.push_back(r * 1000 + random() % 1000);
      std::ranges::sort(times);
      for (const u64 time : times) {
        add(data, ++ip, time);
        all.emplace_back(time, ip);
      }
    }
    if (with_rounds) round(data);
  }
  std::ranges::stable_sort(all, {}, &std::pair<u64, u64>::first);
  Simulated result{data.bytes(), {}};
  for (const auto& [time, number] : all) result.expected.push_back(number);
  return result;
}

TEST(Order, MergesTheRingsOfManyCpus) {
  for (const unsigned cpus : {1u, 2u, 13u}) {
    const Simulated simulated = simulate(cpus, 200, true);
    for (const std::size_t batch_bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{1} << 24}) {
      auto reader = read_bytes(simulated.bytes);
      ASSERT_TRUE(reader);
      EXPECT_EQ(delivered(*reader, {.batch_bytes = batch_bytes}), simulated.expected) << cpus << ' ' << batch_bytes;
    }
  }
}

// Large enough to justify a thread: blocks are read ahead, and records cross their borders.
const Simulated& large() {
  static const Simulated simulated = simulate(13, 2000, true);
  return simulated;
}

TEST(Order, TakesALargeFileThatIsReadAhead) {
  const Simulated& simulated = large();
  for (const bool ahead : {false, true}) {
    auto reader = read_bytes(simulated.bytes);
    ASSERT_TRUE(reader);
    EXPECT_EQ(delivered(*reader, {.ahead = ahead}), simulated.expected);
  }
}

TEST(Order, TellsTheEventsOfSamplesByTheirIds) {
  PerfDataBuilder data(support::Layout::File);
  for (u64 id = 7; id <= 8; ++id) data.attr({{"sample", "identifier,ip,time"}, {"ids", id}});
  const auto sample = [&](u64 id, u64 time) { data.record("sample", {{"id", id}, {"time", time}}); };
  sample(7, 5), sample(8, 10), sample(7, 20), sample(0, 30), sample(99, 40), sample(8, 0);
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  Order order(*reader);
  ASSERT_TRUE(*order.next());
  std::vector<u32> events;
  for (std::size_t i = 0; i < order.batch().size(); ++i) events.push_back(order.batch().event(i));
  EXPECT_THAT(events, ElementsAre(kNoEvent, kNoEvent, 1u, 0u, 0u, kNoEvent))
      << "not without a time, not of the first record in a chunk, and not with an unknown id";
}

// Changes that a record makes to the events happen within next().
TEST(Order, ChangesTheEventsWhileTheCallerWaits) {
  auto data = timed();
  constexpr u64 kParts = 160;
  for (u64 ip = 1; ip <= kParts; ++ip) {
    add(data, ip, ip);
    data.raw_record(126, 0, std::vector<std::byte>(60'000));
    data.record("event_update", {{"kind", 2}, {"of_id", 1}, {"name", "after" + std::to_string(ip)}});
    round(data);
  }
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  Order order(*reader, {.ahead = true, .batch_bytes = 1 << 16});
  u64 last = 0;
  for (auto more = order.next(); more && *more; more = order.next()) {
    const Batch& batch = order.batch();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const abi::RecordView view = batch.view(i);
      if (view.type == abi::RecordType::Sample) EXPECT_EQ(load<u64>(view.bytes.data() + 8), ++last);
    }
    const std::string name = reader->evlist()[0].name;
    ASSERT_TRUE(name.starts_with("after"));
    EXPECT_LE(std::stoull(name.substr(5)), last + 3);
  }
  EXPECT_EQ(last, kParts);
  EXPECT_EQ(reader->evlist()[0].name, "after160");
}

TEST(Order, GivesTheReaderBackWhileTheNextBatchIsMade) {
  const Simulated& simulated = large();
  for (const int batches : {0, 1, 7}) {
    auto reader = read_bytes(simulated.bytes);
    ASSERT_TRUE(reader);
    std::size_t taken = 0;
    {
      Order order(*reader, {.ahead = true, .batch_bytes = 1 << 18});
      for (int i = 0; i < batches; ++i) {
        ASSERT_TRUE(*order.next());
        taken += order.batch().size();
      }
      if (batches == 7) order.stop();
    }
    const std::size_t rest = delivered(*reader).size();
    EXPECT_GT(rest, 0u);
    EXPECT_LE(taken + rest, simulated.expected.size());
    if (batches == 0) EXPECT_EQ(rest, simulated.expected.size());
  }
}

TEST(Order, FindsItsWayInALargeDamagedFile) {
  Simulated simulated = large();
  const std::size_t middle = simulated.bytes.size() / 2;
  for (std::size_t i = 0; i < 1000; ++i) simulated.bytes[middle + i] = std::byte{0xa5};
  auto reader = read_bytes(simulated.bytes);
  ASSERT_TRUE(reader);
  const std::vector<u64> shown = delivered(*reader, {});
  EXPECT_GE(shown.size() + 45, simulated.expected.size());
  EXPECT_LT(shown.size(), simulated.expected.size());
}

// Without rounds, nothing is safe before the end: bytes are dropped and read again.
TEST(Order, ReadsBytesAgainWhenTooManyWait) {
  const Simulated simulated = simulate(7, 4000, false);
  for (const bool ahead : {false, true}) {
    auto again = read_bytes(simulated.bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(delivered(*again, {.ahead = ahead, .batch_bytes = 1 << 16, .held_bytes = 1 << 21}), simulated.expected);
  }
  auto reader = read_bytes(simulated.bytes);
  ASSERT_TRUE(reader);
  Order order(*reader, {.batch_bytes = 1 << 16, .held_bytes = 1});
  ASSERT_TRUE(*order.next());
  const abi::RecordView view = order.batch().view(0);
  EXPECT_EQ(load<u64>(view.bytes.data() + 8), simulated.expected[0]);
  EXPECT_EQ(view.offset, reader->header().data_offset + 24 * (simulated.expected[0] - 1));
}

// Records of a chunk that the stream is still filling must keep their bytes, whichever record came last.
TEST(Order, NeverDropsTheChunkBeingRead) {
  auto data = timed();
  std::vector<u64> expected;
  for (u64 ip = 1; ip <= 2000; ++ip) {
    add(data, ip, ip);
    expected.push_back(ip);
    if (ip % 100 == 0) data.record("auxtrace", {{"size", 64}}).raw_bytes(std::vector<std::byte>(64));
    if (ip % 150 == 0) data.record("finished_init");
  }
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  EXPECT_EQ(delivered(*reader, {.batch_bytes = 1, .held_bytes = 0}), expected);
}

TEST(Order, TakesPipes) {
  const Simulated simulated = simulate(3, 300, true, support::Layout::Pipe);
  FilledPipe pipe(simulated.bytes, 10000);
  auto reader = Reader::open_fd(pipe.take(), "pipe");
  ASSERT_TRUE(reader);
  EXPECT_EQ(delivered(*reader), simulated.expected);
}

// A hundred megabytes of samples without rounds in a few compressed records, which are delivered in pieces.
TEST(Order, BoundsWhatCompressedRecordsHold) {
  constexpr u64 kSamples = 3'000'000;
  std::vector<std::byte> plain;
  ByteWriter sample;
  ZstdEncoder encoder(1);
  auto data = timed();
  constexpr std::size_t kPayload = 9 << 20;  // the rest is too small to be read ahead
  data.record("auxtrace", {{"size", kPayload}}).raw_bytes(std::vector<std::byte>(kPayload));
  std::vector<std::byte> packed(60000);
  std::size_t filled = 0;
  const auto put = [&](bool last) {
    for (bool flushed = false; !plain.empty() && !flushed;) {
      const auto step = encoder.run(plain, std::span(packed).subspan(filled), true);
      ASSERT_TRUE(step);
      plain.erase(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(step->consumed));
      filled += step->produced;
      flushed = step->flushed;
      if (filled < 50000 && !last && flushed) break;
      data.raw_record(81, 0,
                      std::vector<std::byte>(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(filled)));
      filled = 0;
    }
  };
  for (u64 i = 1; i <= kSamples; ++i) {
    sample.clear();
    sample.put32(9).put16(2).put16(24).put64(i / 1000).put64(i / 1000 + 1);
    plain.insert(plain.end(), sample.bytes().begin(), sample.bytes().end());
    if (plain.size() >= 1 << 20 || i == kSamples) put(i == kSamples);
  }
  auto reader = read_bytes(data.bytes());
  ASSERT_TRUE(reader);
  Order order(*reader, {.ahead = true, .batch_bytes = 1 << 20, .held_bytes = 4 << 20});
  std::size_t samples = 0, most = 0;
  u64 offset = 0;
  bool ascending = true;
  for (auto more = order.next(); more && *more; more = order.next()) {
    const Batch& batch = order.batch();
    most = std::max(most, batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!batch.is_sample(i)) continue;
      ++samples;
      const u64 next = batch.view(i).offset;
      ascending = ascending && next >= offset;
      offset = next;
    }
  }
  EXPECT_TRUE(ascending);
  EXPECT_EQ(samples, kSamples);
  EXPECT_GT(offset, kPayload);
  EXPECT_LE(most * 24, std::size_t{32} << 20);
}

}  // namespace
}  // namespace peregrine::data
