#include "machine/jit_code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "abi/record.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"
#include "support/jitdump_builder.h"

namespace peregrine {
namespace {

using support::JitDumpBuilder;

constexpr u32 kPid = 4711;

// A recording of a process that maps its dump at moment 1; samples are queried by moment, and times are moments × 100.
class JitCodeTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void begin(const JitDumpBuilder& dump, bool monotonic = true) {
    const auto bytes = dump.bytes();
    std::ofstream(folder_ + "/jit-4711.dump", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    SymbolPlaces places;
    places.search.symfs = folder_;
    machine.emplace(places);
    machine->set_jit_clock({.monotonic = monotonic, .cycles = {}});
    apply(1, mmap(0x100, 0x1000, "/jit-4711.dump"));
  }
  static abi::SideBand mmap(u64 start, u64 length, std::string_view name) {
    abi::MmapRecord record;
    record.pid = record.tid = kPid;
    record.start = start;
    record.length = length;
    record.filename = name;
    return {record, {}, abi::misc_bit::User, 0};
  }
  void apply(Moment moment, const abi::SideBand& record) {
    machine->apply_jit(moment * 100, moment);
    machine->apply(record, moment);
  }
  std::string symbol_at(Moment moment, u64 ip) {
    for (Moment next = machine->applied_until(); next <= moment; ++next) {
      machine->apply_jit(next * 100, next);
      machine->set_applied_until(next + 1);
    }
    Resolver resolver(*machine);
    const Frame frame = resolver.at(resolver.frame(resolver.context(kPid, kPid, moment), ip, abi::misc_bit::User));
    if (frame.symbol) return fmt::format("{}+{}", resolver.symbol_name(frame), resolver.symbol_offset(frame));
    return frame.dso ? machine->dsos().at(frame.dso).name : "?";
  }

  std::string folder_ = "/tmp/peregrine_jit_code_test." + std::to_string(::getpid());
  std::optional<Machine> machine;
};

TEST_F(JitCodeTest, AnAddressHasOneOwnerAfterTheOther) {
  begin(JitDumpBuilder(kPid)
            .load(250, 0x9000, 0, "first", "abcd")
            .load(450, 0x9002, 1, "second", "efgh")
            .move(650, 0x9002, 0xa000, 4, 1)
            .load(650, 0x9002, 2, "third", "i"));
  EXPECT_EQ(symbol_at(3, 0x9003), "first+3");
  EXPECT_EQ(symbol_at(4, 0x9003), "first+3");
  EXPECT_EQ(symbol_at(5, 0x9003), "second+1");
  EXPECT_EQ(symbol_at(5, 0x9001), "first+1");
  EXPECT_EQ(symbol_at(7, 0xa003), "second+3");
  EXPECT_EQ(symbol_at(7, 0x9002), "third+0");
  EXPECT_EQ(symbol_at(7, 0xb000), "?");
  EXPECT_EQ(machine->counts().jitdumps, 1u);
}

TEST_F(JitCodeTest, CodeToldTooLateIsItsFirstOwners) {
  begin(JitDumpBuilder(kPid).load(500, 0x9000, 0, "first", "abcd").load(700, 0x9000, 1, "second", "abcd"));
  EXPECT_EQ(symbol_at(2, 0x9001), "first+1");
  EXPECT_EQ(symbol_at(8, 0x9001), "second+1");
}

TEST_F(JitCodeTest, WithoutComparableTimesTheLastOwnerIsShown) {
  begin(JitDumpBuilder(kPid).load(100, 0x9000, 0, "first", "abcd").load(900000, 0x9000, 1, "second", "abcd"), false);
  EXPECT_EQ(symbol_at(2, 0x9001), "second+1");
  EXPECT_EQ(machine->counts().timeless_jitdumps, 1u);
}

TEST_F(JitCodeTest, AnonymousMemoryDoesNotHideDumpedCode) {
  begin(JitDumpBuilder(kPid).load(150, 0x9010, 0, "one", "abcd").load(150, 0x9020, 1, "two", "abcd"));
  apply(2, mmap(0x9000, 0x1000, "//anon"));
  EXPECT_EQ(symbol_at(3, 0x9011), "one+1");
  EXPECT_EQ(symbol_at(3, 0x9023), "two+3");
  for (const u64 between : {0x9000u, 0x9014u, 0x9024u, 0x9fffu})
    EXPECT_EQ(symbol_at(3, between), "/tmp/perf-4711.map") << between;
  const std::size_t maps = machine->spaces().map_count();
  apply(4, mmap(0x9000, 0x1000, "//anon"));
  EXPECT_EQ(machine->spaces().map_count(), maps) << "the same protection again changes nothing";
  apply(5, mmap(0x9000, 0x1000, "/lib/some.so"));
  EXPECT_EQ(symbol_at(6, 0x9011), "/lib/some.so") << "a file does";
}

TEST_F(JitCodeTest, AnotherProgramHasNoneOfItsCode) {
  begin(JitDumpBuilder(kPid).load(600, 0x9000, 0, "late", "abcd").load(700, 0xa000, 1, "later", "abcd"));
  apply(3, {abi::CommRecord{kPid, kPid, "other", true}, {}, 0, 0});
  apply(4, mmap(0x9000, 0x1000, "/bin/other"));
  EXPECT_EQ(symbol_at(8, 0x9001), "/bin/other");
}

TEST_F(JitCodeTest, ADumpOfAnotherProcessIsNotTaken) {
  begin(JitDumpBuilder(kPid + 1).load(150, 0x9000, 0, "one", "abcd"));
  EXPECT_EQ(symbol_at(3, 0x9001), "?");
  EXPECT_EQ(machine->counts().lost_jitdumps, 1u);
}

TEST(JitClock, CyclesBecomeTimes) {
  const JitDump dump = std::move(*JitDump::from_bytes(JitDumpBuilder(1, kHostOrder, 1).bytes(), "x"));
  JitClock clock;
  EXPECT_FALSE(clock.compares(dump));
  clock.cycles = {.shift = 2, .multiplier = 3, .zero = 1000, .cycles = 0, .mask = 0};
  EXPECT_TRUE(clock.compares(dump));
  EXPECT_EQ(clock.recorded_time(dump, 9), 1000u + 2 * 3 + (1 * 3 >> 2));
  clock.cycles = {.shift = 0, .multiplier = 1, .zero = 0, .cycles = 0x1f0, .mask = 0xff};
  EXPECT_EQ(clock.recorded_time(dump, 0x10), 0x210u) << "the counter has wrapped since";
}

}  // namespace
}  // namespace peregrine
