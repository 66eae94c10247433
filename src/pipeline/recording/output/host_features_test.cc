#include "pipeline/recording/output/host_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/types.h"
#include "data/feature/feature_table.h"
#include "support/machine.h"

namespace peregrine {
namespace {

TEST(HostFeatures, HasOneRowForEachFeatureOfTheMachine) {
  for (const data::FeatureRow& feature : data::feature_table()) {
    const auto rows = std::ranges::count(host_features(), feature.id, &HostFeature::id);
    if (feature.source == data::FeatureSource::Machine) {
      EXPECT_EQ(rows, 1) << feature.name << ": add one row for it to kHostFeatures in host_features.cc, or change its "
                         << "source in data/feature/feature_rows.h";
    } else {
      EXPECT_EQ(rows, 0) << feature.name << " is gathered here: set its source to Machine in "
                         << "data/feature/feature_rows.h";
    }
  }
}

TEST(HostFeatures, GathersAFakeFeature) {
  const HostFeature fake{static_cast<data::FeatureId>(200), [](const HostFacts& facts, data::Features& features) {
                           const auto size = facts.root.number("/sys/fake/line_size");
                           if (size) features.cacheline_size = static_cast<u32>(*size);
                         }};
  testing::Machine machine;
  machine.write("/sys/fake/line_size = 128");
  data::Features features;
  gather_host_features(machine.root(), {}, features, std::span(&fake, 1));
  EXPECT_EQ(features.cacheline_size, 128u);
  EXPECT_FALSE(features.hostname);
}

TEST(HostFeatures, KeepsTheCapabilitiesOfTheCpuApartFromThoseOfOtherPmus) {
  testing::Machine machine;
  for (const char* file :
       {"cpu/type = 4", "cpu/caps/max_precise = 3", "cpu_atom/type = 10", "cpu_atom/caps/branches = 32"})
    machine.write(file);
  data::Features features;
  gather_host_features(machine.root(), {.version = "6.18.0", .command_line = {"perf", "record"}}, features);
  EXPECT_THAT(*features.cpu_pmu_caps, ::testing::ElementsAre(std::pair("max_precise", "3")));
  ASSERT_EQ(features.pmu_caps->size(), 1u);
  EXPECT_EQ(features.pmu_caps->front().pmu, "cpu_atom");
  EXPECT_EQ(features.version, "6.18.0");
  EXPECT_FALSE(features.clock_data) << "nobody asked for samples or for a clock";
  EXPECT_FALSE(features.caches) << "no caches are listed below this root";
}

}  // namespace
}  // namespace peregrine
