#include "event/vendor/processor_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "event/vendor/event_table.h"
#include "event/vendor/name_table.h"
#include "event/vendor/named_event.h"
#include "support/machine.h"

namespace peregrine {
namespace {

ProcessorModel model_of(std::string_view cpuid) { return processor_model(Root("/nonexistent"), cpuid); }

TEST(CpuidText, HasVendorFamilyModelAndStepping) {
  const ProcessorModel intel = model_of("GenuineIntel-6-9E-A");
  EXPECT_EQ(intel.vendor, "GenuineIntel");
  EXPECT_EQ(intel.family, 6u);
  EXPECT_EQ(intel.model, 0x9eu);  // hexadecimal, like the stepping
  EXPECT_EQ(intel.stepping, 10u);
  EXPECT_EQ(intel.midr, 0u);
  const ProcessorModel amd = model_of("AuthenticAMD-25-21-0");
  EXPECT_EQ(amd.family, 25u);  // decimal
  EXPECT_EQ(amd.model, 0x21u);
}

TEST(CpuidText, MayBeIncompleteOrWrong) {
  EXPECT_EQ(model_of("GenuineIntel").family, 0u);
  EXPECT_EQ(model_of("GenuineIntel-6").family, 6u);
  EXPECT_EQ(model_of("GenuineIntel-six-9E").model, 0x9eu);
  EXPECT_EQ(model_of("---").vendor, "");
  EXPECT_EQ(model_of("0xnothing").midr, 0u);
}

TEST(CpuidText, IsTheIdentificationRegisterOnArm) {
  const ProcessorModel neoverse = model_of("0x00000000413fd0c1");
  EXPECT_EQ(neoverse.vendor, "arm");
  EXPECT_EQ(neoverse.midr, 0x413fd0c1u);
  EXPECT_EQ(neoverse.family, 0u);
}

TEST(CpuInformation, OfArmBecomesTheRegister) {
  const testing::Machine machine;
  machine.write("/proc/cpuinfo = processor\\t: 0\\nCPU implementer\\t: 0x41\\nCPU part\\t: 0xd0c\\nCPU revision\\t: 1");
  const ProcessorModel model = processor_model(machine.root(), "");
  EXPECT_EQ(model.vendor, "arm");
  EXPECT_EQ(model.midr, 0x410fd0c0u);  // implementer, architecture by features, part; without variant and revision
}

TEST(CpuInformation, WithoutAPartIsUnknown) {
  const testing::Machine machine;
  machine.write("/proc/cpuinfo = processor\\t: 0\\nCPU implementer\\t: 0x41");
  EXPECT_EQ(processor_model(machine.root(), "").vendor, "");
  EXPECT_EQ(processor_model(Root("/nonexistent"), "").vendor, "");
}

TEST(CpuInformation, YieldsToWhatTheUserSays) {
  const testing::Machine machine(PEREGRINE_FIXTURES, "intel-client");
  EXPECT_EQ(processor_model(machine.root(), "").model, 158u);
  EXPECT_EQ(processor_model(machine.root(), "AuthenticAMD-23-31-0").vendor, "AuthenticAMD");
}

// Processors by their vendors' model numbers.
TEST(ModelTables, FollowTheMicroarchitecture) {
  struct Case {
    std::string_view cpuid, core, uncore;
  };
  constexpr Case kCases[] = {
      {"GenuineIntel-6-2A-7", "snb", "snb_unc_"},         // Sandy Bridge
      {"GenuineIntel-6-3F-2", "hsw_ep", "hswep_unc_"},    // Haswell server
      {"GenuineIntel-6-4F-1", "bdw_ep", "bdx_unc_"},      // Broadwell server
      {"GenuineIntel-6-9E-9", "skl", ""},                 // Kaby Lake
      {"GenuineIntel-6-55-4", "skx", "skx_unc_"},         // Skylake server
      {"GenuineIntel-6-55-7", "clx", "skx_unc_"},         // Cascade Lake: the same model, a later stepping
      {"GenuineIntel-6-55-B", "clx", "skx_unc_"},         // Cooper Lake
      {"GenuineIntel-6-7E-5", "icl", ""},                 // Ice Lake
      {"GenuineIntel-6-6A-6", "icx", ""},                 // Ice Lake server
      {"GenuineIntel-6-8F-8", "spr", ""},                 // Sapphire Rapids
      {"GenuineIntel-15-4-1", "netburst_p", ""},          // Pentium 4
      {"AuthenticAMD-23-1-1", "amd64_fam17h_zen1", ""},   // Zen
      {"AuthenticAMD-23-71-0", "amd64_fam17h_zen2", ""},  // Zen 2
      {"AuthenticAMD-25-21-0", "amd64_fam19h_zen3", "amd64_fam19h_zen3_"},
      {"AuthenticAMD-25-61-2", "amd64_fam19h_zen4", ""},  // Zen 4, a desktop
      {"AuthenticAMD-25-11-1", "amd64_fam19h_zen4", ""},  // Zen 4, a server
      {"HygonGenuine-24-1-1", "amd64_fam17h_zen1", ""},   // Dhyana, a licensed Zen
  };
  for (const auto& [cpuid, core, uncore] : kCases) {
    const ModelTables tables = model_tables(model_of(cpuid));
    EXPECT_EQ(tables.core, core) << cpuid;
    EXPECT_EQ(tables.uncore, uncore) << cpuid;
  }
}

TEST(ModelTables, UnknownModelsHaveNone) {
  for (const char* cpuid : {"GenuineIntel-6-FE-0", "GenuineIntel-99-1-0", "AuthenticAMD-99-1-0", "CentaurHauls-6-7-0",
                            "0x00000000410fd0c1", "nobody"})
    EXPECT_EQ(model_tables(model_of(cpuid)).core, "") << cpuid;
}

// Every table that a model refers to was generated.
TEST(ModelTables, NameTablesThatExist) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < event_table::kTableCount; ++i) known.emplace_back(event_table::kTables[i].name);
  for (const char* vendor : {"GenuineIntel-6", "GenuineIntel-15", "AuthenticAMD-6", "AuthenticAMD-15",
                             "AuthenticAMD-16", "AuthenticAMD-21", "AuthenticAMD-23", "AuthenticAMD-25"})
    for (unsigned number = 0; number < 0x100; ++number) {
      const ModelTables tables = model_tables(model_of(fmt::format("{}-{:X}-0", vendor, number)));
      if (tables.core.empty()) continue;
      EXPECT_NE(std::ranges::find(known, tables.core), known.end()) << tables.core;
      const auto of_uncore = [&](std::string_view name) { return name.starts_with(tables.uncore); };
      EXPECT_TRUE(tables.uncore.empty() || std::ranges::any_of(known, of_uncore)) << tables.uncore;
    }
}

// Vendor names are lower case, libpfm4's are upper case.
TEST(NameTables, AreSortedAndSpelledLikeTheirSources) {
  for (const auto rows : {intel_names(), amd_names()})
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ:"), std::string_view::npos) << rows[i].name;
      EXPECT_EQ(rows[i].other.find_first_of("abcdefghijklmnopqrstuvwxyz."), std::string_view::npos) << rows[i].other;
      if (i > 0) EXPECT_LE(rows[i - 1].name, rows[i].name);
    }
}

// A row applies if a model's table has libpfm4's name; every row must apply to some model.
TEST(NameTables, ReferToEventsOfSomeModel) {
  std::vector<std::string> intel, amd;
  for (std::size_t i = 0; i < event_table::kTableCount; ++i) {
    const auto& table = event_table::kTables[i];
    if (table.uncore) continue;
    auto& names = std::string_view(table.name).starts_with("amd64_") ? amd : intel;
    const auto read = event_table::read_rows(table);
    ASSERT_TRUE(read) << table.name;
    for (const event_table::Row& row : read->rows) names.emplace_back(row.other);
  }
  std::ranges::sort(intel);
  std::ranges::sort(amd);
  for (const NameRow& row : intel_names()) EXPECT_TRUE(std::ranges::binary_search(intel, row.other)) << row.other;
  for (const NameRow& row : amd_names()) EXPECT_TRUE(std::ranges::binary_search(amd, row.other)) << row.other;
}

TEST(VendorEvents, OfAmdHaveCodesOfTwelveBits) {
  const NamedEvents events(model_of("AuthenticAMD-25-21-0"), {});
  const auto terms = [&](std::string_view name) {
    const auto found = events.find(name);
    return found.empty() ? "none" : found[0]->event.terms;
  };
  EXPECT_EQ(terms("ex_ret_instr"), "event=0xc0");
  EXPECT_EQ(terms("RETIRED_INSTRUCTIONS"), "event=0xc0");
  EXPECT_EQ(terms("ic_tag_hit_miss.instruction_cache_hit"), "event=0x18e,umask=0x7");
  EXPECT_EQ(terms("EX_RET_INSTR"), "event=0xc0");  // in any letter case
  EXPECT_EQ(terms("ic_tag_hit_miss_instruction_cache_hit"), "event=0x18e,umask=0x7");
}

TEST(VendorEvents, FindsThemByTheirCode) {
  const NamedEvents events(model_of("AuthenticAMD-25-21-0"), {});
  ASSERT_NE(events.find_code(0xc0), nullptr);
  EXPECT_EQ(events.find_code(0xc0)->event.terms, "event=0xc0");
  EXPECT_EQ(events.find_code(0xfffe), nullptr);
  EXPECT_EQ(events.find_code(u64{1} << 32 | 0x78e), nullptr);  // more than event and unit mask
}

TEST(VendorEvents, AreSortedByPmuAndName) {
  const NamedEvents events(model_of("GenuineIntel-6-55-4"), {});
  const auto all = events.all();
  ASSERT_FALSE(all.empty());
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_LE(std::tie(all[i - 1].pmu, all[i - 1].event.name), std::tie(all[i].pmu, all[i].event.name));
  EXPECT_EQ(all.front().pmu, "");
  EXPECT_TRUE(all.back().pmu.starts_with("uncore_"));
}

TEST(VendorEvents, CountOnThePmusOfTheirUnit) {
  struct Case {
    std::string_view pmu, wanted;
    bool expected;
  };
  constexpr Case kCases[] = {
      {"uncore_imc", "uncore_imc", true},
      {"uncore_imc_0", "uncore_imc", true},
      {"uncore_imc_11", "imc", true},
      {"uncore_imc", "imc", true},
      {"imc_0", "imc", true},
      {"imc_0", "uncore_imc", false},
      {"uncore_imc_free", "imc", false},
      {"uncore_imcx", "imc", false},
      {"uncore_imc_", "imc", false},
      {"uncore_imc_0_1", "imc", false},
      {"uncore_imc_0", "imc_0", true},
      {"amd_l3", "amd_l3", true},
      {"uncore_i", "imc", false},
      {"cpu", "cpu", true},
      {"uncore_imc_1x", "imc", false},
  };
  for (const auto& [pmu, wanted, expected] : kCases) EXPECT_EQ(is_pmu_instance(pmu, wanted), expected) << pmu << wanted;
  EXPECT_TRUE(counts_on({.name = "cpu_core", .is_core = true}, ""));
  EXPECT_FALSE(counts_on({.name = "uncore_imc", .is_uncore = true}, ""));
  EXPECT_TRUE(counts_on({.name = "uncore_imc_3", .is_uncore = true}, "uncore_imc"));
}

TEST(VendorEvents, SayWhichFilesCannotBeRead) {
  const std::vector<std::string> files{"/nonexistent/events.json"};
  const NamedEvents events(model_of("nobody"), files);
  EXPECT_TRUE(events.all().empty());
  ASSERT_EQ(events.problems().size(), 1u);
  EXPECT_NE(events.problems()[0].find("/nonexistent/events.json"), std::string::npos) << events.problems()[0];
}

}  // namespace
}  // namespace peregrine
