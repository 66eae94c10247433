#include "output/text/dump/feature_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "data/feature/feature_table.h"
#include "output/json/data_json.h"
#include "output/json/json_document.h"
#include "output/text/dump/header_text.h"

namespace peregrine {
namespace {

// A feature that no release has, with all properties that a row can state.
constexpr FeatureText kFakeFeatureText{
    static_cast<data::FeatureId>(200),
    [](FeaturePage& page) { page.out.format("# fake : {}\n", page.features.cacheline_size.value_or(0)); },
    FeatureDetail::Always,
    [](const data::Features& features) {
      return FeatureValues{{"fake", u64{features.cacheline_size.value_or(0)}}, {"fake-unit", "byt\"es"}};
    }};

data::Header header_with_fake() {
  data::Header header;
  header.present = {200};
  header.features.cacheline_size = 64;
  return header;
}

TEST(FeatureText, HasOneRowForEachFeature) {
  for (const data::FeatureRow& feature : data::feature_table()) {
    EXPECT_EQ(std::ranges::count(feature_texts(), feature.id, &FeatureText::id), 1)
        << feature.name << ": add one row for it to kRows in output/text/dump/feature_text.cc";
  }
  for (const FeatureText& text : feature_texts()) {
    EXPECT_NE(data::find_feature(static_cast<u32>(text.id)), nullptr)
        << "feature " << static_cast<u32>(text.id) << " has a text, but no row in data/feature/feature_rows.h";
  }
}

TEST(FeatureText, PrintsAFakeFeature) {
  Sink out;
  print_header(header_with_fake(), data::Evlist(), false, out, std::span(&kFakeFeatureText, 1));
  EXPECT_THAT(out.take(), ::testing::HasSubstr("\n# fake : 64\n# missing features: TRACING_DATA "));
}

TEST(FeatureText, WritesAFakeFeatureAsJson) {
  Sink out;
  JsonDocument json(out);
  put_features(header_with_fake().features, json, std::span(&kFakeFeatureText, 1));
  EXPECT_EQ(out.take(), R"("fake":64,"fake-unit":"byt\"es")");
}

TEST(FeatureText, PrintsNothingOfAFeatureWithoutARow) {
  Sink with, without;
  data::Header header = header_with_fake();
  print_header(header, data::Evlist(), true, with);
  header.present.clear();
  print_header(header, data::Evlist(), true, without);
  EXPECT_EQ(with.take(), without.take());
}

TEST(FeatureText, WritesTheFeaturesOfJsonInTheOrderOfLinuxPerf) {
  data::Features features;
  features.hostname = "here";
  features.version = "6.1";
  features.cpus = data::CpuCount{4, 2};
  features.cmdline = {"perf", "record"};
  Sink out;
  JsonDocument json(out, JsonLayout::Indented, 2);
  put_features(features, json);
  EXPECT_EQ(out.take(),
            ",\n\t\t\"hostname\": \"here\",\n\t\t\"nrcpus-online\": 2,\n\t\t\"nrcpus-avail\": "
            "4,\n\t\t\"perf-version\": \"6.1\""
            ",\n\t\t\"cmdline\": [\n\t\t\t\"perf\",\n\t\t\t\"record\"\n\t\t]");
}

}  // namespace
}  // namespace peregrine
