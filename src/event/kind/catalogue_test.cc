#include "event/kind/catalogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "event/spec.h"
#include "event/syntax/parse.h"
#include "support/machine.h"
#include "sys/root.h"

namespace peregrine {
namespace {

std::vector<std::string> shown(EventKind kind, const CatalogueFilter& filter = {}) {
  EventSources sources(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  const auto entries = catalogue(sources, kind, filter, [](u32 type, u64 config) { return type != 0 || config < 2; });
  std::vector<std::string> result;
  for (const auto& entry : *entries) result.push_back(entry.shown);
  return result;
}
using Names = std::vector<std::string>;

CatalogueFilter by(std::string glob, std::string system) {
  CatalogueFilter filter;
  filter.glob = std::move(glob);
  filter.system = std::move(system);
  return filter;
}

TEST(Catalogue, OnlyWhatTheKernelOpens) {
  EXPECT_EQ(shown(EventKind::Hardware), (Names{"cpu-cycles OR cycles", "instructions"}));
  EXPECT_EQ(shown(EventKind::Software).size(), 12u);
  EXPECT_EQ(shown(EventKind::Software).front(), "alignment-faults");
  EXPECT_EQ(shown(EventKind::HardwareCache).size(), 32u);
}

TEST(Catalogue, GlobsMatchNamesAndAliases) {
  EXPECT_EQ(shown(EventKind::Hardware, by("*cycles*", "")), (Names{"cpu-cycles OR cycles"}));
  EXPECT_EQ(shown(EventKind::Software, by("cs", "")), (Names{"context-switches OR cs"}));
  EXPECT_EQ(shown(EventKind::Tool, by("*duration*", "")), (Names{"duration_time"}));
}

TEST(Catalogue, CpuEventsComeFirst) {
  EXPECT_EQ(shown(EventKind::KernelPmu),
            (Names{"branch-misses OR cpu/branch-misses/", "cpu-cycles OR cpu/cpu-cycles/",
                   "instructions OR cpu/instructions/", "mem-loads OR cpu/mem-loads/", "slots OR cpu/slots/",
                   "power/energy-pkg/", "uncore_imc_0/cas_count_read/", "uncore_imc_1/cas_count_read/"}));
  EXPECT_EQ(shown(EventKind::KernelPmu, by("*energy*", "")), (Names{"power/energy-pkg/"}));
}

TEST(Catalogue, Tracepoints) {
  EXPECT_EQ(shown(EventKind::Tracepoint, by("*", "sched")),
            (Names{"sched:sched_process_exec", "sched:sched_process_fork", "sched:sched_switch"}));
  EXPECT_EQ(shown(EventKind::Tracepoint, by("*openat*", "")), (Names{"syscalls:sys_enter_openat"}));
  EventSources nothing(Root("/nowhere"));
  EXPECT_FALSE(catalogue(nothing, EventKind::Tracepoint, {}, nullptr));
}

TEST(Catalogue, NamedEventsOfTheProcessor) {
  testing::Machine server(PEREGRINE_FIXTURES, "intel-server");
  EventSources sources(server.root());
  const auto core = catalogue(sources, EventKind::Named, by("br_inst_retired.near_call", ""), nullptr);
  ASSERT_EQ(core->size(), 1u);
  EXPECT_EQ((*core)[0].encoding, "cpu/event=0xc4,umask=0x2/");
  EXPECT_EQ((*core)[0].alias, "BR_INST_RETIRED:NEAR_CALL");
  EXPECT_EQ((*core)[0].topic, "processor");
  EXPECT_FALSE((*core)[0].description.empty());
  CatalogueFilter filter = by("*cas_count.rd", "");
  filter.pmu = "uncore_imc*";
  const auto uncore = catalogue(sources, EventKind::Named, filter, nullptr);
  ASSERT_EQ(uncore->size(), 1u);
  EXPECT_EQ((*uncore)[0].topic, "uncore imc");
  EXPECT_TRUE((*uncore)[0].description.ends_with("Unit: uncore_imc"));
  filter.pmu = "cpu";
  EXPECT_TRUE(catalogue(sources, EventKind::Named, filter, nullptr)->empty());
  EXPECT_GT(catalogue(sources, EventKind::LibPfm, {}, nullptr)->size(), 200u);
}

TEST(Catalogue, Sensors) {
  testing::Machine client(PEREGRINE_FIXTURES, "intel-client");
  EventSources sources(client.root());
  const auto found = catalogue(sources, EventKind::Sensor, {}, nullptr);
  ASSERT_EQ(found->size(), 4u);
  EXPECT_EQ((*found)[0].shown, "temp_package_id_0 OR hwmon_coretemp/temp1/");
  EXPECT_EQ((*found)[0].description, "Temperature in unit hwmon_coretemp named Package id 0. crit=100'C");
  EventList list;
  ASSERT_TRUE(parse_events("hwmon_coretemp/temp1/,temp_core_0,hwmon_thinkpad/fan1/", sources, list));
  EXPECT_EQ(list[1].sensor, "/sys/class/hwmon/hwmon0/temp2_input");
  EXPECT_EQ(list[2].unit, "rpm");
  EXPECT_EQ(list[0].tool, ToolEvent::Sensor);
  EXPECT_FALSE(parse_events("hwmon_coretemp/temp9/", sources, list));
}

TEST(Catalogue, ListsEventsOfGraphicsDrivers) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("graphics-{}", ::getpid());
  for (const char* each : {"proc/7/fd", "proc/7/fdinfo", "sys/class/drm"}) fs::create_directories(folder / each);
  fs::create_symlink("/dev/dri/renderD128", folder / "proc/7/fd/4");
  std::ofstream(folder / "proc/7/fdinfo/4") << "drm-driver:\ti915\ndrm-client-id:\t3\ndrm-engine-render:\t5 ns\n";
  EventSources sources(Root(folder.string()));
  const auto found = catalogue(sources, EventKind::Sensor, by("*drm*", ""), nullptr);
  EventList list;
  const auto parsed = parse_events("drm_i915/drm-engine-render/,drm-engine-render", sources, list);
  EXPECT_FALSE(parse_events("drm_i915/drm-engine-rander/", sources, list));
  EXPECT_FALSE(parse_events("drm_xe/drm-engine-render/", sources, list));
  fs::remove_all(folder);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].name, "drm_i915/drm-engine-render/");
  EXPECT_EQ((*found)[0].label, "DRM event");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].pmu, "drm_i915");
  EXPECT_EQ(list[1].sensor, "drm-engine-render");
  EXPECT_EQ(list[1].unit, "ns");
}

TEST(Catalogue, SdtEventsOfTheBuildIdCache) {
  namespace fs = std::filesystem;
  const fs::path cache = fs::temp_directory_path() / fmt::format("cache-{}", ::getpid());
  for (const char* id : {"aa11", "bb22"}) {
    const fs::path folder = cache / "usr/bin/app" / id;
    fs::create_directories(folder);
    fs::create_directories(cache / ".build-id" / std::string(id, 2));
    fs::create_symlink("../../usr/bin/app/" + std::string(id), cache / ".build-id" / std::string(id, 2) / (id + 2));
    std::ofstream(folder / "probes") << "%sdt_app:start=start\np:sdt_app/start /usr/bin/app:0x10\n";
  }
  EventSources sources(Root{});
  CatalogueFilter filter;
  filter.sdt_cache = cache.string();
  const auto found = catalogue(sources, EventKind::Sdt, filter, nullptr);
  fs::remove_all(cache);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].name, "sdt_app:start");
  EXPECT_EQ((*found)[1].shown, "sdt_app:start@/usr/bin/app(bb22)");
}

}  // namespace
}  // namespace peregrine
