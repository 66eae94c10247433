#include "pipeline/replay/replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "abi/record_rows.h"
#include "machine/dso/dso.h"
#include "support/built_recording.h"
#include "support/byte_buffer.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::open_built;
using support::PerfDataBuilder;
using ::testing::ElementsAre;

constexpr char kReplayFlags[] = "mmap,comm,task,sample_id_all,mmap2,comm_exec";

// One line per sample, assembled in the order of slices.
class Lines : public ReplaySink {
 public:
  void begin_slice(u64 slice, unsigned worker) override {
    const std::lock_guard lock(mutex_);
    at_[worker] = slice;
  }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override {
    const Frame& frame = resolver.at(resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode()));
    const std::string dso = frame.dso ? resolver.machine().dsos().at(frame.dso).name : "?";
    put(worker, fmt::format("{} {} {} {}", sample.event, resolver.comm(sample.context), dso, sample.period));
  }
  void side_band(const ReplaySideBand& record, Resolver&, unsigned worker) override {
    put(worker, fmt::format("[{}]", abi::record_type_name(record.record.type)));
  }
  void record(const ReplayRecord& record, Resolver&, unsigned worker) override {
    put(worker, fmt::format("<{}{}>", abi::record_type_name(record.record.type),
                            record.sample != nullptr || record.side_band != nullptr ? "" : " only bytes"));
  }
  std::vector<std::string> all() const {
    std::vector<std::string> result;
    for (const auto& [slice, lines] : lines_) result.insert(result.end(), lines.begin(), lines.end());
    return result;
  }

 private:
  void put(unsigned worker, std::string line) {
    const std::lock_guard lock(mutex_);
    lines_[at_[worker]].push_back(std::move(line));
  }
  std::mutex mutex_;
  std::map<unsigned, u64> at_;
  std::map<u64, std::vector<std::string>> lines_;
};

SymbolPlaces no_symbols() {
  SymbolPlaces places;
  places.load = false;
  return places;
}

std::vector<std::string> replayed(const PerfDataBuilder& builder, ReplayOptions options = {},
                                  ReplayAccount* account = nullptr) {
  data::Reader reader = open_built(builder);
  Machine machine(no_symbols());
  Replay replay(reader, machine, std::move(options));
  Lines lines;
  EXPECT_TRUE(replay.run(lines));
  if (account != nullptr) *account = replay.account();
  return lines.all();
}

TEST(Replay, ResolvesSamplesAtTheirOwnTime) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", kReplayFlags}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "first"}, {"time", 1}});
  data.record("mmap2",
              {{"pid", 7}, {"tid", 7}, {"addr", 0x1000}, {"len", 0x1000}, {"prot", 5}, {"file", "/a"}, {"time", 2}});
  data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 3}, {"period", 5}, {"misc", 2}});
  data.record("mmap2",
              {{"pid", 7}, {"tid", 7}, {"addr", 0x1000}, {"len", 0x1000}, {"prot", 5}, {"file", "/b"}, {"time", 5}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "second"}, {"time", 5}});
  data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 4}, {"period", 6}, {"misc", 2}});
  data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 6}, {"period", 7}, {"misc", 2}});
  EXPECT_THAT(replayed(data), ElementsAre("0 first /a 5", "0 first /a 6", "0 second /b 7"));
}

TEST(Replay, EveryRecordIsSeenBeforeAnyFilterInTheOrderAskedFor) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", kReplayFlags}});
  data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 9}, {"period", 1}, {"misc", 2}});
  data.record("finished_round", {});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "first"}, {"time", 3}});
  ReplayOptions options;
  options.every_record = true;
  options.filter.times = {{0, 5}};
  EXPECT_THAT(replayed(data, options), ElementsAre("<FINISHED_ROUND only bytes>", "<COMM>", "<SAMPLE>"));
  options.by_time = false;
  EXPECT_THAT(replayed(data, options), ElementsAre("<SAMPLE>", "<FINISHED_ROUND only bytes>", "<COMM>"));
  options.filter.times = {{0, 9}};
  EXPECT_EQ(replayed(data, options).at(1), "0 :7 ? 1") << "a filter of times works in the order of the file too";
}

TEST(Replay, AnyNumberOfWorkersAndSlicesGivesTheSameLines) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", kReplayFlags}});
  for (u64 i = 1; i <= 200; ++i) {
    if (i % 7 == 0) {
      data.record("comm", {{"pid", i % 5}, {"tid", i % 5}, {"comm", fmt::format("c{}", i)}, {"time", i * 10}});
    }
    data.record("sample",
                {{"ip", 0x1010}, {"pid", i % 5}, {"tid", i % 5}, {"time", i * 10}, {"period", i}, {"misc", 2}});
  }
  ReplayOptions one;
  one.workers = 1;
  ReplayOptions many;
  many.workers = 4;
  many.slice_records = 3;
  EXPECT_EQ(replayed(data, one), replayed(data, many));
}

TEST(Replay, WithoutTimesOnSideBandTheFilesOwnOrderCounts) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", "mmap,comm,task"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "first"}});
  data.record("sample", {{"pid", 7}, {"tid", 7}, {"time", 3}, {"period", 1}, {"misc", 2}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "second"}});
  data.record("sample", {{"pid", 7}, {"tid", 7}, {"time", 4}, {"period", 2}, {"misc", 2}});
  EXPECT_THAT(replayed(data), ElementsAre("0 first ? 1", "0 second ? 2"));
  ReplayOptions late;
  late.filter.times = {{4, 5}};
  ReplayAccount account;
  EXPECT_THAT(replayed(data, late, &account), ElementsAre("0 second ? 2")) << "samples have times";
  EXPECT_EQ(account.first_time, 3u);
  EXPECT_EQ(account.last_time, 4u);
}

TEST(Replay, ASampleThatReadsCountersBecomesOnePerCounterThatGrew) {
  PerfDataBuilder data;
  const char sample[] = "ip,tid,time,read,id";
  data.attr({{"type", 1}, {"sample", sample}, {"read", "id,group"}, {"flags", kReplayFlags}, {"ids", 11}});
  data.attr({{"type", 1}, {"sample", sample}, {"read", "id,group"}, {"flags", kReplayFlags}, {"ids", 12}});
  data.record("sample",
              {{"pid", 7}, {"tid", 7}, {"time", 1}, {"id", 11}, {"read", std::vector<std::uint64_t>{100, 11, 3, 12}}});
  data.record("sample",
              {{"pid", 7}, {"tid", 7}, {"time", 2}, {"id", 11}, {"read", std::vector<std::uint64_t>{150, 11, 3, 12}}});
  EXPECT_THAT(replayed(data), ElementsAre("0 :7 ? 100", "1 :7 ? 3", "0 :7 ? 50"));
}

TEST(Replay, SamplesThatTheSinkDoesNotNeedAreOnlyCounted) {
  class Second : public Lines {
    bool needs_samples_of(u32 event) const override { return event == 1; }
  };
  PerfDataBuilder data;
  for (u64 id = 1; id <= 2; ++id)
    data.attr({{"type", 1}, {"sample", "identifier,tid,time,period"}, {"flags", kReplayFlags}, {"ids", id}});
  for (u64 i = 1; i <= 6; ++i)
    data.record("sample", {{"id", i % 2 + 1}, {"pid", 7}, {"tid", 7}, {"time", i}, {"period", i}, {"misc", 2}});
  const auto run = [&](SampleFilter filter, ReplayAccount& account) {
    data::Reader reader = open_built(data);
    Machine machine(no_symbols());
    ReplayOptions options;
    options.filter = std::move(filter);
    Replay replay(reader, machine, std::move(options));
    Second lines;
    EXPECT_TRUE(replay.run(lines));
    account = replay.account();
    return lines.all();
  };
  ReplayAccount account;
  EXPECT_THAT(run({}, account), ElementsAre("1 :7 ? 1", "1 :7 ? 3", "1 :7 ? 5"));
  EXPECT_EQ(account.samples, 6u);
  SampleFilter some;
  some.times = {{4, 9}};
  EXPECT_EQ(run(some, account).size(), 3u) << "what a filter accepts is delivered, whatever its event";
  EXPECT_EQ(account.samples, 3u);
}

TEST(Replay, ShowsTheSideBandThatIsAskedForInOrderWithTheSamples) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", kReplayFlags}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "load"}, {"time", 1}});
  data.record("sample", {{"pid", 7}, {"tid", 7}, {"time", 4}, {"period", 1}});
  data.record("fork", {{"pid", 8}, {"ppid", 7}, {"tid", 8}, {"ptid", 7}, {"time", 3}});
  ReplayOptions options;
  options.shown.set(static_cast<std::size_t>(abi::RecordType::Fork));
  EXPECT_THAT(replayed(data, options), ElementsAre("[FORK]", "0 load ? 1"));
}

TEST(Replay, CountsWhatItFiltersAndWhatWasLost) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", kReplayFlags}});
  data.record("sample", {{"pid", 7}, {"tid", 7}, {"time", 10}});
  data.record("sample", {{"pid", 8}, {"tid", 8}, {"time", 20}});
  data.record("lost", {{"id", 0}, {"lost", 5}, {"time", 15}});
  ReplayOptions options;
  options.filter.pids = {8};
  ReplayAccount account;
  replayed(data, options, &account);
  EXPECT_EQ(account.samples, 1u);
  EXPECT_EQ(account.filtered, 1u);
  EXPECT_EQ(account.lost_events, 5u);
  EXPECT_EQ(account.events.at(0).samples, 2u);
  EXPECT_EQ(account.first_time, 10u);
  EXPECT_EQ(account.last_time, 20u);
}

TEST(SampleFilter, TakesTimesInSecondsAndShares) {
  const auto two = parse_time_ranges("1.5,2 3,", 0, 0);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->at(0).from, 1'500'000'000u);
  EXPECT_EQ(two->at(0).to, 2'000'000'000u);
  EXPECT_EQ(two->at(1).to, ~u64{0});
  const auto second = parse_time_ranges("10%/2", 1000, 2000);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->at(0).from, 1100u);
  EXPECT_EQ(second->at(0).to, 1199u);
  EXPECT_FALSE(parse_time_ranges("x,y", 0, 0));
  EXPECT_FALSE(parse_time_ranges("5,4", 0, 0));
  EXPECT_FALSE(parse_time_ranges("10%-20%", 0, 0)) << "the recording does not say when it began";
}

// The stacks of the samples, as numbers.
class Stacks : public ReplaySink {
 public:
  void sample(const ReplaySample& sample, Resolver&, unsigned) override {
    stacks.emplace_back(sample.sample.callchain.begin(), sample.sample.callchain.end());
  }
  std::vector<std::vector<u64>> stacks;
};

TEST(Replay, MergesUserStacksThatCameLater) {
  PerfDataBuilder builder;
  builder.attr({{"sample", "ip,tid,time,callchain"}, {"flags", kReplayFlags}});
  const auto add_sample = [&](u64 tid, u64 time, u64 cookie) {
    const std::vector<std::uint64_t> chain = {abi::kContextKernel, 0xffffffff81000000, abi::kContextUserDeferred,
                                              cookie};
    builder.record("sample", {{"ip", 1}, {"pid", 7}, {"tid", tid}, {"time", time}, {"chain", chain}});
  };
  add_sample(7, 1, 70);
  add_sample(7, 2, 70);
  add_sample(8, 3, 70);
  support::ByteBuffer body;
  body.put64(70).put64(2).put64(abi::kContextUser).put64(0x401000).put32(7).put32(7).put64(4);
  builder.raw_record(22, 2, body.bytes());
  auto reader = open_built(builder);
  Machine machine(SymbolPlaces{});
  ReplayOptions options;
  options.workers = 1;
  Replay replay(reader, machine, options);
  Stacks stacks;
  ASSERT_TRUE(replay.run(stacks));
  const std::vector<u64> whole = {abi::kContextKernel, 0xffffffff81000000, abi::kContextUser, 0x401000};
  EXPECT_THAT(stacks.stacks, ElementsAre(whole, whole, std::vector<u64>{abi::kContextKernel, 0xffffffff81000000}));
  EXPECT_EQ(replay.account().missing_chains, 1u);

  auto again = open_built(builder);
  Machine other(SymbolPlaces{});
  options.merge_chains = false;
  Replay apart(again, other, options);
  Stacks unmerged;
  ASSERT_TRUE(apart.run(unmerged));
  ASSERT_EQ(unmerged.stacks.size(), 3u);
  EXPECT_EQ(deferred_cookie(unmerged.stacks[0]), 70u);
  EXPECT_EQ(deferred_cookie(whole), std::nullopt);
  EXPECT_EQ(apart.account().missing_chains, 0u);
}

}  // namespace
}  // namespace peregrine
