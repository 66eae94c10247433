#include "output/json/data_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "support/perf_data_builder.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::Fields;
using support::PerfDataBuilder;
using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The document of a recording; `names`: of its events.
template <class Recording>
nlohmann::json converted(const Recording& recording, std::vector<std::string> names) {
  ReplayedRecording replayed(recording);
  Sink out;
  DataJson json(replayed.reader(), [&] { return names; }, out);
  replayed.run(json);
  json.finish();
  const auto document = nlohmann::json::parse(out.take());
  EXPECT_EQ(document["samples"].size(), json.samples());
  return document;
}

PerfDataBuilder three_samples() {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time,cpu,callchain"}, {"flags", "comm,sample_id_all"}});
  data.record("comm", {{"pid", 7}, {"tid", 8}, {"comm", "lo\"ad"}, {"time", 5}, {"cpu", 0}});
  const auto sample = [&](u64 time, std::vector<u64> chain) {
    Fields fields{{"ip", 0x401010}, {"pid", 7}, {"tid", 8}, {"time", time}, {"cpu", 3}, {"misc", 2}};
    if (!chain.empty()) fields.emplace("chain", std::move(chain));
    data.record("sample", fields);
  };
  sample(1'000'000'007, {});
  sample(2'000'000'000, {abi::kContextUser, 0x401010, 0x401200});
  sample(3'000'000'000, {abi::kContextUser});
  return data;
}

TEST(DataJson, ASampleHasItsThreadEventAndChain) {
  const auto samples = converted(three_samples(), {"cpu\"clock"})["samples"];
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0], (nlohmann::json{{"timestamp", 1'000'000'007},
                                        {"pid", 7},
                                        {"tid", 8},
                                        {"cpu", 3},
                                        {"comm", "lo\"ad"},
                                        {"event", "cpu\"clock"},
                                        {"callchain", {{{"ip", "0x401010"}}}}}));
}

TEST(DataJson, AChainIsItsAddressesWithoutMarkers) {
  const auto samples = converted(three_samples(), {"cpu-clock"})["samples"];
  std::vector<std::string> addresses;
  for (const auto& frame : samples[1]["callchain"]) addresses.push_back(frame["ip"]);
  EXPECT_THAT(addresses, ElementsAre("0x401010", "0x401200"));
  EXPECT_THAT(samples[2]["callchain"], IsEmpty()) << "a chain of a marker only";
}

TEST(DataJson, HeadersAreThoseOfTheFile) {
  PerfDataBuilder data = three_samples();
  data.feature("hostname", {{"text", "ho\\st"}}).feature("arch", {{"text", "x86_64"}});
  const auto headers = converted(data, {"cpu-clock"})["headers"];
  EXPECT_EQ(headers["header-version"], 1);
  EXPECT_EQ(headers["hostname"], "ho\\st");
  EXPECT_EQ(headers["arch"], "x86_64");
  EXPECT_GT(headers["data-size"], 0);
  EXPECT_EQ(headers["data-offset"].get<u64>() + headers["data-size"].get<u64>(), headers["feat-offset"].get<u64>());
}

TEST(DataJson, EventsWithoutANameAreLeftOut) {
  EXPECT_FALSE(converted(three_samples(), {})["samples"][0].contains("event"));
}

TEST(DataJson, OmitsFieldsThatWereNotSampled) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,time"}, {"flags", "comm"}});
  data.record("sample", {{"ip", 1}, {"time", 2}, {"misc", 2}});
  const auto sample = converted(data, {"e"})["samples"][0];
  EXPECT_FALSE(sample.contains("cpu"));
  EXPECT_EQ(sample["timestamp"], 2);
}

TEST(DataJson, TracepointsHaveTheirFields) {
  TracepointRecording recording;
  recording.event("town:knock", {"door", "who[8]"}, "\"%s\", __print_symbolic(REC->door, {1, \"front\"})");
  recording.hit("town:knock", {.time = 5}, {1, "ann\"\n"});
  recording.hit("town:knock", {.time = 6}, {7, ""});
  const auto samples = converted(recording, {"town:knock"})["samples"];
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0]["fields"], (nlohmann::json{{"door", 1}, {"who", "ann\"\n"}}));
  EXPECT_EQ(samples[0]["labels"], (nlohmann::json{{"door", "front"}}));
  EXPECT_EQ(samples[1]["fields"], (nlohmann::json{{"door", 7}, {"who", ""}}));
}

TEST(DataJson, ManyWorkersWriteTheDocumentThatOneWrites) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,tid,time"}, {"flags", "comm"}});
  for (u64 i = 0; i < 5000; ++i)
    data.record("sample", {{"ip", 0x1000 + i}, {"pid", 7}, {"tid", 7}, {"time", 10 + i}, {"misc", 2}});
  const auto text = [&](unsigned workers) {
    ReplayedRecording replayed(data);
    Sink out;
    DataJson json(replayed.reader(), [] { return std::vector<std::string>{"e"}; }, out);
    replayed.run(json, workers);
    json.finish();
    EXPECT_EQ(json.samples(), 5000u);
    std::string document = out.take();
    const std::size_t date = document.find("\"captured-on\": ");  // each run creates its recording again
    return document.erase(date, document.find('\n', date) - date);
  };
  const std::string one = text(1);
  EXPECT_TRUE(one == text(4)) << "byte for byte";
  EXPECT_EQ(nlohmann::json::parse(one)["samples"].back()["timestamp"], 5009);
}

TEST(DataJson, ARecordingWithoutSamplesIsAnEmptyList) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"sample", "ip,time"}, {"flags", "comm"}});
  EXPECT_THAT(converted(data, {"e"})["samples"], IsEmpty());
}

}  // namespace
}  // namespace peregrine
