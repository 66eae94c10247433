#include "event/kind/core_event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/types.h"
#include "event/kind/sdt_event.h"
#include "support/machine.h"
#include "support/temporary_folder.h"
#include "sys/hardware/cpu.h"
#include "sys/root.h"

namespace peregrine {
namespace {

EventSpec generic_spec(abi::EventType type, u64 config, std::string name = "e") {
  EventSpec spec;
  spec.attr.type = static_cast<u32>(type);
  spec.attr.config = config;
  spec.name = std::move(name);
  return spec;
}

// "NAME type:config" for each event, sorted, because PMUs are in folder order.
std::string spread_text(EventSources& sources, const EventSpec& spec) {
  std::vector<std::string> lines;
  for (const EventSpec& one : spread_over_cores(sources, spec))
    lines.push_back(
        fmt::format("{} {}:{:x}{}\n", one.name, one.attr.type, one.attr.config, one.auto_merge ? " merged" : ""));
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, ""));
}

TEST(CoreEvent, TheUpperHalfOfAGenericConfigIsThePmu) {
  const Pmu efficient{.name = "cpu_atom", .type = 10, .cpumask = CpuList{4, 5}, .is_core = true};
  EventSpec cycles = generic_spec(abi::EventType::Hardware, 0);
  ASSERT_TRUE(bind_to_core(efficient, cycles));
  EXPECT_EQ(cycles.attr.type, 0u);
  EXPECT_EQ(cycles.attr.config, u64{10} << 32);
  EXPECT_EQ(cycles.pmu, "cpu_atom");
  EXPECT_EQ(cycles.own_cpus, (CpuList{4, 5}));
  EventSpec misses = generic_spec(abi::EventType::HwCache, 0x10000);
  ASSERT_TRUE(bind_to_core(efficient, misses));
  EXPECT_EQ(misses.attr.config, u64{10} << 32 | 0x10000);
}

TEST(CoreEvent, TheOnlyKindOfCoreNeedsNoPmu) {
  EventSpec cycles = generic_spec(abi::EventType::Hardware, 1);
  ASSERT_TRUE(bind_to_core({.name = "cpu", .type = 4, .is_core = true}, cycles));
  EXPECT_EQ(cycles.attr.config, 1u);
}

TEST(CoreEvent, ARawEventIsOfThePmusType) {
  EventSpec raw = generic_spec(abi::EventType::Raw, 0x1a8);
  ASSERT_TRUE(bind_to_core({.name = "cpu_atom", .type = 10, .is_core = true}, raw));
  EXPECT_EQ(raw.attr.type, 10u);
  EXPECT_EQ(raw.attr.config, 0x1a8u);
}

// An Arm core's PMU accepts only its own event numbers; the names in its events/ folder say which they are.
TEST(CoreEvent, OtherPmusUseTheirOwnNumbers) {
  const Pmu cortex{.name = "armv8_cortex_a53",
                   .type = 8,
                   .events = {{.name = "cpu_cycles", .terms = "event=0x0011"},
                              {.name = "l1d_cache_refill", .terms = "event=0x0003"},
                              {.name = "br_pred", .terms = "event=0x0012"},
                              {.name = "bus_cycles", .terms = "event=0x1d,umask=1"}},
                   .is_core = true};
  EventSpec cycles = generic_spec(abi::EventType::Hardware, 0);
  ASSERT_TRUE(bind_to_core(cortex, cycles));
  EXPECT_EQ(cycles.attr.type, 8u);
  EXPECT_EQ(cycles.attr.config, 0x11u);
  ASSERT_TRUE(cycles.stands_for);
  EXPECT_EQ(cycles.stands_for->type, 0u);
  EXPECT_EQ(cycles.stands_for->config, 0u);
  EventSpec branches = generic_spec(abi::EventType::Hardware, 4);  // the first of its several names
  ASSERT_TRUE(bind_to_core(cortex, branches));
  EXPECT_EQ(branches.attr.config, 0x12u);
  EventSpec misses = generic_spec(abi::EventType::HwCache, 0x10000);
  ASSERT_TRUE(bind_to_core(cortex, misses));
  EXPECT_EQ(misses.attr.config, 3u);
  // Without such a name, or if there is more than a number, nothing changes.
  for (const u64 config : {1, 6}) {
    EventSpec other = generic_spec(abi::EventType::Hardware, config);
    EXPECT_FALSE(bind_to_core(cortex, other));
    EXPECT_EQ(other.attr.type, 0u);
    EXPECT_EQ(other.attr.config, config);
    EXPECT_EQ(other.pmu, "");
  }
}

TEST(CoreEvent, OneEventForEachKindOfCore) {
  const testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(hybrid.root());
  EXPECT_EQ(spread_text(sources, generic_spec(abi::EventType::Hardware, 0, "cycles")),
            "cpu_atom/cycles/ 0:a00000000 merged\ncpu_core/cycles/ 0:400000000 merged\n");
  EXPECT_EQ(spread_text(sources, generic_spec(abi::EventType::Raw, 0xc0, "rc0")),
            "cpu_atom/rc0/ 10:c0 merged\ncpu_core/rc0/ 4:c0 merged\n");
  EXPECT_EQ(spread_text(sources, generic_spec(abi::EventType::Software, 2, "faults")), "faults 1:2\n");
  // The user chose a kind of core.
  EXPECT_EQ(spread_text(sources, generic_spec(abi::EventType::Hardware, u64{4} << 32, "x")), "x 0:400000000\n");
}

TEST(CoreEvent, OneKindOfCoreNeedsOneEvent) {
  const testing::Machine client(PEREGRINE_FIXTURES, "intel-client"), nothing;
  EventSources sources(client.root()), none(nothing.root());
  EXPECT_EQ(spread_text(sources, generic_spec(abi::EventType::Hardware, 0, "cycles")), "cycles 0:0\n");
  EXPECT_EQ(spread_text(none, generic_spec(abi::EventType::Hardware, 0, "cycles")), "cycles 0:0\n");
}

TEST(CoreEvent, AllOrNoneOfTheKindsHaveIt) {
  const testing::Machine arm(PEREGRINE_FIXTURES, "arm-biglittle");
  EventSources sources(arm.root());
  const EventList spread = spread_over_cores(sources, generic_spec(abi::EventType::Hardware, 0, "cycles"));
  EXPECT_EQ(spread.size(), 2u);
  for (const EventSpec& one : spread) EXPECT_EQ(one.attr.config, 0x11u) << one.pmu;
  EXPECT_EQ(spread_text(sources, generic_spec(abi::EventType::Hardware, 9, "ref-cycles")), "ref-cycles 0:9\n");
}

// Writes to the build-id cache: a link by build-id to the program's folder, with its markers.
class MarkerCache {
 public:
  void add(const std::string& id, const std::string& program, std::string_view probes) const {
    const std::string target = program + '/' + id, link = ".build-id/" + id.substr(0, 2);
    std::filesystem::create_directories(folder_.path(target));
    std::filesystem::create_directories(folder_.path(link));
    std::filesystem::create_symlink("../../" + target, folder_.path(link + '/' + id.substr(2)));
    if (!probes.empty()) folder_.write(target + "/probes", probes);
  }
  std::string events() const {
    std::string text;
    for (const SdtEvent& event : read_sdt_events(Root(), folder_.path()))
      text += fmt::format("{} {} {}\n", event.name, event.path, event.build_id);
    return text;
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST(SdtEvents, AreSortedByNameAndBuildId) {
  const MarkerCache cache;
  cache.add("cc33", "usr/lib/libc.so.6", "%sdt_libc:setjmp=setjmp\np:sdt_libc/setjmp /usr/lib/libc.so.6:0x10 %di\n");
  cache.add("aa11", "usr/bin/app", "%sdt_app:stop=stop\n%sdt_app:start=start\n");
  cache.add("bb22", "opt/app", "%sdt_app:start=start\n");
  EXPECT_EQ(cache.events(),
            "sdt_app:start /usr/bin/app aa11\nsdt_app:start /opt/app bb22\nsdt_app:stop /usr/bin/app aa11\n"
            "sdt_libc:setjmp /usr/lib/libc.so.6 cc33\n");
}

TEST(SdtEvents, OtherLinesAreNoMarkers) {
  const MarkerCache cache;
  cache.add("aa11", "bin/app", "%sdt_app=x\n%app:start=x\n#sdt_app:start=x\nsdt_app:start\n%sdt_app:only");
  EXPECT_EQ(cache.events(), "sdt_app:only /bin/app aa11\n");
}

TEST(SdtEvents, ProgramsWithoutMarkersAreSkipped) {
  const MarkerCache cache;
  EXPECT_EQ(cache.events(), "");
  cache.add("aa11", "bin/app", "");
  cache.folder().write("bin/app/aa11/elf", "ELF");
  EXPECT_EQ(cache.events(), "");
}

}  // namespace
}  // namespace peregrine
