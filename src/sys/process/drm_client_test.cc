#include "sys/process/drm_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class DrmClients : public ::testing::Test {
 protected:
  DrmClients() : folder_(fs::temp_directory_path() / fmt::format("drm-{}", ::getpid())) {
    fs::create_directories(folder_ / "sys/class/drm");
  }
  ~DrmClients() override { fs::remove_all(folder_); }

  void open_file(int pid, int descriptor, const std::string& device, const std::string& text) {
    const fs::path process = folder_ / "proc" / std::to_string(pid);
    fs::create_directories(process / "fd");
    fs::create_directories(process / "fdinfo");
    fs::create_symlink(device, process / "fd" / std::to_string(descriptor));
    std::ofstream(process / "fdinfo" / std::to_string(descriptor)) << text;
  }
  Root root() const { return Root(folder_.string()); }

 private:
  fs::path folder_;
};

constexpr std::string_view kClient =
    "pos:\t0\nflags:\t02100002\ndrm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t{}\n"
    "drm-engine-render:\t{} ns\ndrm-engine-capacity-video:\t2\ndrm-resident-system0:\t{} KiB\n"
    "drm-maxfreq-gt:\t800 MHz\ndrm-total-cycles-rcs:\t12\ndrm-engine-:\t1 ns\ndrm-engine-copy:\tmany\n";

TEST_F(DrmClients, ASharedFileCountsOnce) {
  const std::string first = fmt::format(kClient, 7, 100, 3), second = fmt::format(kClient, 8, 1000, 4);
  open_file(10, 3, "/dev/dri/renderD128", first);
  open_file(10, 4, "/dev/dri/renderD128", first);
  open_file(11, 5, "/dev/dri/renderD128", first);
  open_file(11, 6, "/dev/dri/card0", second);
  open_file(11, 7, "/dev/null", second);
  const auto all = read_drm_clients(root(), {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].driver, "i915");
  const std::vector<std::pair<std::string, u64>> values{{"drm-engine-render", 100},
                                                        {"drm-engine-capacity-video", 2},
                                                        {"drm-resident-system0", 3072},
                                                        {"drm-maxfreq-gt", 800'000'000},
                                                        {"drm-total-cycles-rcs", 12}};
  EXPECT_EQ(all[0].values, values);
  const Pid one = 10;
  EXPECT_EQ(read_drm_clients(root(), std::span(&one, 1)).size(), 1u);
}

TEST_F(DrmClients, SensorsAreTheKeysOfEachDriver) {
  open_file(10, 3, "/dev/dri/card0", fmt::format(kClient, 7, 100, 3));
  open_file(10, 4, "/dev/dri/card1", "drm-driver:\tamdgpu\ndrm-memory-vram:\t5 MiB\n");
  const auto sensors = drm_sensors(root());
  ASSERT_EQ(sensors.size(), 6u);
  EXPECT_EQ(sensors[0].pmu, "drm_amdgpu");
  EXPECT_EQ(sensors[0].unit, "bytes");
  EXPECT_EQ(sensors[2].name, "drm-engine-render");
  EXPECT_EQ(sensors[2].description, "Time an engine was busy: render. Unit: drm_i915");
  EXPECT_EQ(sensors[1].unit, "capacity");
}

TEST_F(DrmClients, WithoutADriverThereAreNone) {
  open_file(10, 3, "/dev/dri/card0", fmt::format(kClient, 7, 100, 3));
  EXPECT_FALSE(drm_sensors(root()).empty());
  fs::remove_all(root().path("/sys/class/drm"));
  EXPECT_TRUE(drm_sensors(root()).empty());
}

}  // namespace
}  // namespace peregrine
