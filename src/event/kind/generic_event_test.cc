#include "event/kind/generic_event.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstddef>
#include <set>
#include <string>

#include "event/kind/name.h"

namespace peregrine {
namespace {

TEST(GenericEvents, AreFoundByNameAndAlias) {
  struct Case {
    std::string_view name;
    u32 type;
    u64 config;
  };
  constexpr Case kCases[] = {
      {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
      {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
      {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
      {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
      {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
      {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
      {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
      {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
      {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
      {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
      {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
      {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
      {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
      {"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
      {"cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
      {"duration_time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},  // measured here, not by the kernel
  };
  for (const auto& [name, type, config] : kCases) {
    const GenericEvent* event = find_generic_event(name);
    ASSERT_NE(event, nullptr) << name;
    EXPECT_EQ(static_cast<u32>(event->type), type) << name;
    EXPECT_EQ(event->config, config) << name;
  }
}

TEST(GenericEvents, OtherNamesAreNotFound) {
  // An event without an alias must not be found by an empty name.
  for (const std::string_view name : {"", "cycle", "Cycles", "cycles ", "L1-dcache-loads", "dummy2"})
    EXPECT_EQ(find_generic_event(name), nullptr) << name;
}

TEST(GenericEvents, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const auto table : {hardware_events(), software_events(), tool_events()})
    for (const GenericEvent& event : table)
      for (const std::string_view name : {event.name, event.alias})
        EXPECT_TRUE(name.empty() || names.insert(name).second) << name;
}

// Names are looked up by the config in the kernel's attr.
TEST(GenericEvents, StandAtTheirConfig) {
  for (const auto table : {hardware_events(), software_events()})
    for (std::size_t i = 0; i < table.size(); ++i) EXPECT_EQ(table[i].config, i) << table[i].name;
}

constexpr u64 cache_config(u64 cache, u64 operation, u64 result) { return cache | operation << 8 | result << 16; }

TEST(CacheEvents, HaveManySpellings) {
  constexpr u64 kReadMiss = PERF_COUNT_HW_CACHE_RESULT_MISS;
  struct Case {
    std::string_view text;
    u64 config;
  };
  constexpr Case kCases[] = {
      {"L1-dcache-loads", cache_config(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ, 0)},
      {"L1-dcache-load-misses", cache_config(PERF_COUNT_HW_CACHE_L1D, 0, kReadMiss)},
      {"L1-data-read-miss", cache_config(PERF_COUNT_HW_CACHE_L1D, 0, kReadMiss)},
      {"l1d-misses", cache_config(PERF_COUNT_HW_CACHE_L1D, 0, kReadMiss)},
      {"l1d-misses-loads", cache_config(PERF_COUNT_HW_CACHE_L1D, 0, kReadMiss)},  // in any order
      {"L1-dcache-stores", cache_config(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_WRITE, 0)},
      {"L1-icache", cache_config(PERF_COUNT_HW_CACHE_L1I, 0, 0)},
      {"LLC-prefetches", cache_config(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_PREFETCH, 0)},
      {"L2-speculative-read-miss", cache_config(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_PREFETCH, kReadMiss)},
      {"Data-TLB-write-access", cache_config(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_OP_WRITE, 0)},
      {"iTLB-load-misses", cache_config(PERF_COUNT_HW_CACHE_ITLB, 0, kReadMiss)},
      {"branch-load-misses", cache_config(PERF_COUNT_HW_CACHE_BPU, 0, kReadMiss)},
      {"btb-refs", cache_config(PERF_COUNT_HW_CACHE_BPU, 0, 0)},
      {"node-stores", cache_config(PERF_COUNT_HW_CACHE_NODE, PERF_COUNT_HW_CACHE_OP_WRITE, 0)},
  };
  for (const auto& [text, config] : kCases) EXPECT_EQ(parse_cache_event(text), config) << text;
}

TEST(CacheEvents, OtherWordsAreNone) {
  for (const std::string_view text :
       {"", "-", "L1-dcache-", "L1-dcachex", "L1-dcache-loads-loads", "L1-dcache-misses-misses", "L1-dcache-load-store",
        "L1-dcache-loads-x", "loads", "L1", "l1d-", "iTLB-stores", "branch-prefetches", "L1-icache-stores"})
    EXPECT_EQ(parse_cache_event(text), std::nullopt) << text;
}

// Combinations that the kernel knows but no processor has are not offered.
TEST(CacheEvents, NamesReadBackAsTheSameConfig) {
  unsigned existing = 0;
  for (u64 cache = 0; cache < 8; ++cache)
    for (u64 operation = 0; operation < 4; ++operation)
      for (u64 result = 0; result < 3; ++result) {
        const u64 config = cache_config(cache, operation, result);
        const std::string name = cache_name(config);
        const bool exists =
            result < 2 && cache_operation_exists(static_cast<unsigned>(cache), static_cast<unsigned>(operation));
        EXPECT_EQ(!name.empty(), exists) << config;
        if (!exists) continue;
        ++existing;
        EXPECT_EQ(parse_cache_event(name), config) << name;
      }
  EXPECT_EQ(existing, 2u * (3 + 2 + 3 + 3 + 1 + 1 + 3));
}

TEST(RawEvents, AreHexadecimal) {
  EXPECT_EQ(parse_raw_event("r1a8"), 0x1a8u);
  EXPECT_EQ(parse_raw_event("r0x1A8"), 0x1a8u);
  EXPECT_EQ(parse_raw_event("r0"), 0u);
  EXPECT_EQ(parse_raw_event("rffffffffffffffff"), ~u64{0});
  for (const std::string_view text : {"", "r", "r0x", "rx1", "1a8", "R1a8", "r1a8:u", "r-1", "r10000000000000000"})
    EXPECT_EQ(parse_raw_event(text), std::nullopt) << text;
}

}  // namespace
}  // namespace peregrine
