#include "capture/sensor_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace peregrine {
namespace {

namespace fs = std::filesystem;

EventSpec sensor(std::string pmu, std::string place) {
  EventSpec spec;
  spec.tool = ToolEvent::Sensor;
  spec.pmu = std::move(pmu);
  spec.sensor = std::move(place);
  return spec;
}

TEST(SensorReader, WhatGrowsCountsFromTheStartAndTheRestIsAsItIs) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("sensors-{}", ::getpid());
  const fs::path process = folder / "proc/12";
  fs::create_directories(process / "fd");
  fs::create_directories(process / "fdinfo");
  fs::create_directories(folder / "sys/class/drm");
  fs::create_symlink("/dev/dri/card0", process / "fd/3");
  const auto say = [&](int busy, int memory, int degrees) {
    std::ofstream(process / "fdinfo/3") << "drm-driver: xe\ndrm-client-id: 1\ndrm-engine-rcs: " << busy
                                        << " ns\ndrm-resident-vram: " << memory << " KiB\n";
    std::ofstream(folder / "sys/temp") << degrees << '\n';
  };
  const EventList events{EventSpec{}, sensor("drm_xe", "drm-engine-rcs"), sensor("drm_xe", "drm-resident-vram"),
                         sensor("hwmon_x", "/sys/temp"), sensor("drm_i915", "drm-engine-rcs")};
  SensorReader reader(Root(folder.string()), events, {});
  say(100, 1, 40);
  reader.start();
  say(130, 2, 41);
  EXPECT_EQ(reader.since_last(), (std::vector<u64>{0, 30, 2048, 41, 0}));
  say(150, 3, -5);
  EXPECT_EQ(reader.since_last(), (std::vector<u64>{0, 20, 3072, 0, 0}));
  EXPECT_EQ(reader.since_start(), (std::vector<u64>{0, 50, 3072, 0, 0}));
  SensorReader other(Root(folder.string()), events, {13});
  other.start();
  EXPECT_EQ(other.since_start()[2], 0u);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace peregrine
