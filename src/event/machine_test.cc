// -e on other machines: those of tests/fixtures/machine. tests/differential/event_words compares what linux-perf
// requests on them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "event/config/stat_config.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "support/machine.h"
#include "sys/hardware/cpu.h"

namespace peregrine {
namespace {

std::string described(const EventSpec& spec) {
  std::string text = fmt::format("{}: {}:{:x}", spec.name, spec.attr.type, spec.attr.config);
  if (spec.attr.config1 != 0) text += fmt::format(":{:x}", spec.attr.config1);
  if (spec.own_cpus) text += fmt::format(" on {}", format_cpu_list(*spec.own_cpus));
  if (!spec.unit.empty()) text += fmt::format(" in {}", spec.unit);
  return text;
}

// Parses events → one line per event, sorted since folders have no order; otherwise "error: WHAT / HINT".
class On {
 public:
  explicit On(const char* machine) : fake_(PEREGRINE_FIXTURES, machine), sources_(fake_.root()) {}

  std::string operator()(std::string_view words) {
    EventList list;
    if (auto done = parse_events(words, sources_, list); !done) {
      const auto& message = done.error().message;
      const auto what = message.find("\\___ ");
      return "error: " + message.substr(what + 5, message.find('\n', what) - what - 5) + " / " + done.error().hint;
    }
    std::vector<std::string> lines;
    for (const auto& spec : list) lines.push_back(described(spec));
    std::ranges::sort(lines);
    return fmt::format("{}", fmt::join(lines, "\n"));
  }

 private:
  testing::Machine fake_;
  EventSources sources_;
};

TEST(OtherMachine, IntelServerNamesItsEventsAsItsVendorDoes) {
  On on("intel-server");
  EXPECT_EQ(on("br_inst_retired.near_call:u"), "br_inst_retired.near_call:u: 4:2c4");
  EXPECT_EQ(on("cpu/BR_INST_RETIRED.NEAR_CALL,cmask=1/"), "cpu/BR_INST_RETIRED.NEAR_CALL,cmask=1/: 4:10002c4");
  EXPECT_EQ(on("BR_INST_RETIRED:NEAR_CALL"), "BR_INST_RETIRED:NEAR_CALL: 4:2c4");
  EXPECT_EQ(on("BR_INST_RETIRED:NEAR_CALL:u:c=2:i"), "BR_INST_RETIRED:NEAR_CALL:u:c=2:i: 4:28002c4");
  EXPECT_EQ(on("frontend_retired.l1i_miss"), "frontend_retired.l1i_miss: 4:1c6:12");
  EXPECT_EQ(on("inst_retired.any"), "inst_retired.any: 4:c0");
  EXPECT_EQ(on("mem-loads:pp"), "mem-loads:pp: 4:1cd:3");
  EXPECT_EQ(on("br_inst_retired.near_cal"), "error: unknown event / did you mean 'br_inst_retired.near_call'?");
}

TEST(OtherMachine, UncorePmusAreOneEventEach) {
  On on("intel-server");
  EXPECT_EQ(on("cha/event=0x50,umask=3/").substr(0, 48), "cha/event=0x50,umask=3/: 14:350 on 0,2\ncha/event");
  EXPECT_EQ(on("uncore_imc_0/cas_count_read/"), "uncore_imc_0/cas_count_read/: 18:304 on 0,2 in MiB");
  EXPECT_EQ(on("unc_m_cas_count.rd").substr(0, 40), "unc_m_cas_count.rd: 18:304 on 0,2\nunc_m_");
  EXPECT_EQ(on("c*/c6-residency/"),
            "c*/c6-residency/: 12:2 on 0-3\nc*/c6-residency/: 13:2 on 0,2");  // "cpu" has no such event
  EXPECT_EQ(on("intel_pt/cyc/u"), "intel_pt/cyc/u: 8:2403");
}

TEST(OtherMachine, GroupsOverSeveralPmusAreOneGroupEach) {
  testing::Machine fake(PEREGRINE_FIXTURES, "intel-server");
  EventSources sources(fake.root());
  EventList list;
  ASSERT_TRUE(parse_events("{imc/cas_count_read/,imc/cas_count_write/}", sources, list));
  ASSERT_EQ(list.size(), 12u);
  for (std::size_t i = 0; i < 12; i += 2) {
    EXPECT_EQ(list[i].leader, i);
    EXPECT_EQ(list[i + 1].leader, i);
    EXPECT_EQ(list[i].group_size, 2u);
    EXPECT_EQ(list[i].pmu, list[i + 1].pmu);
  }
}

TEST(OtherMachine, HybridCountsOnBothKindsOfCore) {
  On on("intel-hybrid");
  EXPECT_EQ(on("cycles"), "cpu_atom/cycles/: 0:a00000000 on 4-5\ncpu_core/cycles/: 0:400000000 on 0-3");
  EXPECT_EQ(on("L1-dcache-loads:u"),
            "cpu_atom/L1-dcache-loads:u/: 3:a00000000 on 4-5\ncpu_core/L1-dcache-loads:u/: 3:400000000 on 0-3");
  EXPECT_EQ(on("r1a"), "cpu_atom/r1a/: 10:1a on 4-5\ncpu_core/r1a/: 4:1a on 0-3");
  EXPECT_EQ(on("cpu_core/cycles/"), "cpu_core/cycles/: 0:400000000 on 0-3");
  EXPECT_EQ(on("cpu_atom/LLC-loads/"), "cpu_atom/LLC-loads/: 3:a00000002 on 4-5");
  EXPECT_EQ(on("topdown-retiring"), "cpu_core/topdown-retiring/: 4:8000 on 0-3");
  EXPECT_EQ(on("cycles/period=5/"),
            "cpu_atom/cycles,period=5/: 0:a00000000 on 4-5\ncpu_core/cycles,period=5/: 0:400000000 on 0-3");
  EXPECT_EQ(on("cs"), "cs: 1:3");
  EXPECT_EQ(on("cpu/event=0x3c/"),
            "error: Cannot find PMU `cpu'. Missing kernel support? / this processor has several kinds of cores: use "
            "cpu_atom or cpu_core");
}

TEST(OtherMachine, HybridGroupsAreSplit) {
  testing::Machine fake(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(fake.root());
  EventList list;
  ASSERT_TRUE(parse_events("{cycles,instructions,cs}", sources, list));
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].pmu, list[1].pmu);
  EXPECT_EQ(list[2].name, "cs");  // an event without a PMU stays with the first
  EXPECT_EQ(list[0].group_size, 3u);
  EXPECT_EQ(list[3].leader, 3u);
  EXPECT_EQ(list[3].group_size, 2u);
  EventList defaults;
  add_stat_events(sources, false, 0, defaults);
  EXPECT_EQ(std::ranges::count_if(defaults, [](const auto& spec) { return spec.pmu == "cpu_atom"; }), 4);
}

TEST(OtherMachine, AmdHasItsOwnNames) {
  On on("amd-zen3");
  EXPECT_EQ(on("ex_ret_instr"), "ex_ret_instr: 4:c0");
  EXPECT_EQ(on("cpu/ex_ret_brn_misp/u"), "cpu/ex_ret_brn_misp/u: 4:c3");
  EXPECT_EQ(on("RETIRED_INSTRUCTIONS:u"), "RETIRED_INSTRUCTIONS:u: 4:c0");
  EXPECT_EQ(on("cpu/event=0x28f,umask=3/"), "cpu/event=0x28f,umask=3/: 4:20000038f");
  EXPECT_EQ(on("ibs_op/cnt_ctl=1/"), "ibs_op/cnt_ctl=1/: 9:80000");
}

TEST(OtherMachine, ArmClustersCountTheirOwnEvents) {
  On on("arm-biglittle");
  EXPECT_EQ(on("cycles"), "cycles: 8:11 on 0-3\ncycles: 9:11 on 4-5");
  EXPECT_EQ(on("L1-dcache-load-misses"), "L1-dcache-load-misses: 8:3 on 0-3\nL1-dcache-load-misses: 9:3 on 4-5");
  EXPECT_EQ(on("cpu_cycles:u"), "cpu_cycles:u: 8:11 on 0-3\ncpu_cycles:u: 9:11 on 4-5");
  EXPECT_EQ(on("LLC-loads"), "LLC-loads: 3:2");  // they do not say which of their events that is
  EXPECT_EQ(on("arm_cmn/hnf_cache_miss/"), "arm_cmn/hnf_cache_miss/: 11:10005 on 0");
}

TEST(OtherMachine, OneKindOfArmCoreCountsGenericEventsByThemselves) {
  On on("arm-single");
  EXPECT_EQ(on("cycles"), "cycles: 0:0");
  EXPECT_EQ(on("instructions:u"), "instructions:u: 0:1");
  EXPECT_EQ(on("r08"), "r08: 4:8");
  EXPECT_EQ(on("cpu_cycles"), "cpu_cycles: 8:11 on 0-1");
}

TEST(OtherMachine, S390HasItsNamesInSysfs) {
  On on("s390");
  EXPECT_EQ(on("CPU_CYCLES"), "CPU_CYCLES: 8:0");
  EXPECT_EQ(on("PRNG_FUNCTIONS:u"), "PRNG_FUNCTIONS:u: 8:40");
  EXPECT_EQ(on("pai_crypto/KM_AES_128/"), "pai_crypto/KM_AES_128/: 10:1014");
}

TEST(OtherMachine, RawCodesAreDecoded) {
  testing::Machine fake(PEREGRINE_FIXTURES, "intel-server");
  EventSources sources(fake.root());
  EventList list;
  ASSERT_TRUE(parse_events("r2c4,rff", sources, list));
  EXPECT_EQ(list[0].decoded, "br_inst_retired.near_call");
  EXPECT_EQ(list[1].decoded, "");
}

TEST(OtherMachine, ErrorsSayWhatThePmuHas) {
  testing::Machine fake(PEREGRINE_FIXTURES, "intel-server");
  EventSources sources(fake.root());
  EventList list;
  const auto done = parse_events("power/energy-cores/", sources, list);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("unknown term 'energy-cores' for pmu 'power'"), std::string::npos);
  EXPECT_NE(done.error().message.find("events of power: energy-"), std::string::npos);
}

}  // namespace
}  // namespace peregrine
