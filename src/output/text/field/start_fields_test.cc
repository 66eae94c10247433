#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "base/types.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "output/text/script/script_sample.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

using abi::RecordType;
using support::SampleLines;

// The columns before the text of a record that has no sample.
std::string start_of(SampleLines& lines, std::string_view words, std::string_view comm,
                     std::optional<RecordType> side_band = std::nullopt) {
  const ScriptPlan plan = lines.plan(words);
  ScriptSample printer(plan);
  ScriptText text;
  printer.put_start(text, plan.events[0], comm, lines.sample, side_band);
  return std::string(text.view());
}

TEST(StartFields, AreThreadCpuAndTimeInFixedWidths) {
  SampleLines lines;
  EXPECT_EQ(lines.print("comm,tid,cpu,time"), "           shell    41 [003]    12.000000: \n");
  EXPECT_EQ(lines.print("time,cpu,tid,comm"), lines.print("comm,tid,cpu,time"))
      << "-F chooses columns, not their order";
}

TEST(StartFields, ProcessAndThreadShareAColumn) {
  SampleLines lines;
  EXPECT_EQ(lines.print("tid"), "   41 \n");
  EXPECT_EQ(lines.print("pid"), "   40 \n");
  EXPECT_EQ(lines.print("pid,tid"), "   40/41    \n");
  lines.sample.pid = lines.sample.tid = 1234567;
  EXPECT_EQ(lines.print("pid,tid"), "1234567/1234567 \n") << "numbers that are too wide are not cut";
}

// The kernel writes -1 for a thread that has ended, and for a CPU that an event does not record.
TEST(StartFields, NumbersOfThreadsAndCpusAreSigned) {
  SampleLines lines;
  lines.sample.pid = lines.sample.tid = lines.sample.cpu = ~0u;
  EXPECT_EQ(start_of(lines, "pid,tid,cpu", ""), "   -1/-1    [-01] ");
  lines.sample.cpu = 1024;
  EXPECT_EQ(start_of(lines, "cpu", ""), "[1024] ");
}

TEST(StartFields, CommsAreAlignedAndNotCut) {
  SampleLines lines;
  EXPECT_EQ(start_of(lines, "comm", "a"), "               a ");
  EXPECT_EQ(start_of(lines, "comm", "exactly-sixteen-"), "exactly-sixteen- ");
  EXPECT_EQ(start_of(lines, "comm", "longer-than-the-sixteen-columns"), "longer-than-the-sixteen-columns ");
  EXPECT_EQ(start_of(lines, "comm", "\x1b[2J"), "         \\x1b[2J ") << "a comm cannot command the terminal";
}

TEST(StartFields, CommsBeforeACallChainAreNotAligned) {
  SampleLines lines;
  lines.attr.sample_type = abi::sample_bit::Callchain;
  EXPECT_EQ(start_of(lines, "comm,ip", "shell"), "shell ");
  EXPECT_EQ(start_of(lines, "comm", "shell"), "           shell ") << "the chain is not shown";
}

TEST(StartFields, LatencyModeShortensCommsAndDropsBrackets) {
  SampleLines lines;
  lines.options = [](ScriptPlan& plan) { plan.latency = true; };
  EXPECT_EQ(start_of(lines, "comm,tid,cpu", "kworker/3:1"), "kworker/    41   3 ");
  EXPECT_EQ(start_of(lines, "comm,cpu", "sh"), "      sh   3 ");
}

TEST(StartFields, TimesAreCutToMicrosecondsUnlessNanosecondsAreRequested) {
  SampleLines lines;
  struct Case {
    u64 time;
    std::string_view micro, nano;
  };
  constexpr Case kCases[] = {
      {0, "    0.000000: ", "    0.000000000: "},
      {999, "    0.000000: ", "    0.000000999: "},
      {1'999'999'999, "    1.999999: ", "    1.999999999: "},
      {99'999'000'001'000, "99999.000001: ", "99999.000001000: "},
      {std::numeric_limits<u64>::max(), "18446744073.709551: ", "18446744073.709551615: "},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.time);
    lines.sample.time = one.time;
    lines.options = [](ScriptPlan&) {};
    EXPECT_EQ(start_of(lines, "time", ""), one.micro);
    lines.options = [](ScriptPlan& plan) { plan.nanoseconds = true; };
    EXPECT_EQ(start_of(lines, "time", ""), one.nano);
  }
}

// The text of the second is cached between lines, but lines must not depend on previous ones.
TEST(StartFields, TimesDoNotDependOnEarlierLines) {
  SampleLines lines;
  std::vector<abi::Sample> samples;
  std::string alone;
  for (const u64 time : std::initializer_list<u64>{5'000'000'000, 5'999'999'000, 6'000'000'000, 4'000'000'000, 0}) {
    lines.sample.time = time;
    samples.push_back(lines.sample);
    alone += lines.print("time");
  }
  EXPECT_EQ(lines.print("time", samples), alone);
}

TEST(StartFields, TimesMayBeRelativeToTheFirstOrTheLastSample) {
  SampleLines lines;
  std::vector<abi::Sample> samples(3, lines.sample);
  samples[1].time += 1'500'000'000;
  samples[2].time += 1'500'007'000;
  lines.options = [](ScriptPlan& plan) { plan.relative = true; };
  EXPECT_EQ(lines.print("time", samples), "    0.000000: \n    1.500000: \n    1.500007: \n");
  lines.options = [](ScriptPlan& plan) { plan.delta = true; };
  EXPECT_EQ(lines.print("time", samples), "    0.000000: \n    1.500000: \n    0.000007: \n");
}

TEST(StartFields, TimeOfDayNeedsAReferenceOfTheClocks) {
  SampleLines lines;
  EXPECT_EQ(lines.print("tod,tid"), "   41 \n");
  lines.options = [](ScriptPlan& plan) {
    plan.clock.emplace();
    plan.clock->clock_ns = 2'000'000'000;
    plan.clock->wall_clock_ns = 1'700'000'000'250'000'000;
  };
  lines.sample.time = 3'000'004'999;
  const std::string text = lines.print("tod");  // the date depends on the time zone
  ASSERT_EQ(text.size(), std::string_view("2023-11-14 22:13:21.250004 \n").size()) << text;
  EXPECT_EQ(text.substr(19), ".250004 \n");
  EXPECT_EQ(fmt::format("{}{}{}{}{}", text[4], text[7], text[10], text[13], text[16]), "-- ::") << text;
}

TEST(StartFields, ModeNamesWhereTheCpuWasAndWhatTheRecordSays) {
  struct Case {
    u16 misc;
    std::optional<RecordType> type;
    std::string_view text;
  };
  constexpr u16 kFlag = 1u << 13, kSecondFlag = 1u << 14;
  const Case cases[] = {
      {0, std::nullopt, "      "},
      {abi::misc_bit::Kernel, std::nullopt, "K     "},
      {abi::misc_bit::User, std::nullopt, "U     "},
      {abi::misc_bit::Hypervisor, std::nullopt, "KUH   "},  // 3 combines the bits of the kernel (1) and of users (2)
      {abi::misc_bit::GuestKernel, std::nullopt, "G     "},
      {abi::misc_bit::GuestUser, std::nullopt, "KGg   "},
      {6, std::nullopt, "UG    "},
      {7, std::nullopt, "KUHGg "},
      {abi::misc_bit::User | kFlag, RecordType::Mmap, "UM    "},
      {abi::misc_bit::User | kFlag, RecordType::Mmap2, "UM    "},
      {abi::misc_bit::User | kFlag, RecordType::Comm, "UE    "},
      {kFlag, RecordType::Switch, "S     "},
      {kFlag | kSecondFlag, RecordType::Switch, "Sp    "},
      {kFlag | kSecondFlag, RecordType::SwitchCpuWide, "Sp    "},
      {kSecondFlag, RecordType::SwitchCpuWide, "      "},
      {abi::misc_bit::User | kFlag, RecordType::Fork, "U     "},
      {abi::misc_bit::User | kFlag, std::nullopt, "U     "},
  };
  SampleLines lines;
  for (const Case& one : cases) {
    SCOPED_TRACE(fmt::format("misc {:#x}, record {}", one.misc, one.type ? static_cast<int>(*one.type) : 0));
    lines.sample.misc = one.misc;
    EXPECT_EQ(start_of(lines, "misc", "", one.type), one.text);
  }
}

// The start of a line is cached per CPU, and reused while thread and comm stay the same.
TEST(StartFields, KeptStartsGiveTheTextOfFreshOnes) {
  SampleLines lines;
  const ScriptPlan plan = lines.plan("comm,pid,tid,cpu");
  ScriptSample printer(plan);
  ScriptText kept;
  std::string fresh;
  const std::string_view comms[] = {"a", "ab", "a-comm-of-sixteen", "\x7f"};
  for (unsigned step = 0; step < 400; ++step) {
    lines.sample.tid = step * 7 % 3;
    lines.sample.cpu = step * 5 % 11;
    lines.sample.pid = step / 50 % 2;
    const std::string_view comm = comms[step / 3 % 4];
    printer.put_start(kept, plan.events[0], comm, lines.sample, std::nullopt);
    fresh += start_of(lines, "comm,pid,tid,cpu", comm);
  }
  EXPECT_EQ(kept.view(), fresh);
}

}  // namespace
}  // namespace peregrine
