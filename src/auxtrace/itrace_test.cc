// Values of --itrace: what each letter requests, and what linux-perf 6.1 rejects too.
#include "auxtrace/itrace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace peregrine {
namespace {

ItraceOptions good(std::string_view words) {
  const auto parsed = parse_itrace(words);
  EXPECT_TRUE(parsed) << words;
  return parsed.value_or(ItraceOptions());
}
std::string bad(std::string_view words) {
  const auto parsed = parse_itrace(words);
  return parsed ? "accepted" : parsed.error().message;
}

TEST(Itrace, IgnoresBlanksBetweenLetters) {
  const ItraceOptions options = good("bxe");
  EXPECT_TRUE(options.branches && options.transactions && options.errors);
  EXPECT_FALSE(options.calls || options.instructions || options.memory);
  EXPECT_EQ(good("b x,,e ,"), options);
  EXPECT_EQ(good(""), ItraceOptions());
}

TEST(Itrace, CallsAndReturnsAreBranches) {
  EXPECT_TRUE(good("c").branches && good("c").calls && !good("c").returns);
  EXPECT_TRUE(good("r").branches && good("r").returns && !good("r").calls);
  EXPECT_TRUE(good("cr").calls && good("cr").returns);
}

TEST(Itrace, EachLetterIsOneSwitch) {
  EXPECT_TRUE(good("w").ptwrites && good("p").power && good("o").other && good("I").interrupts && good("d").log);
  EXPECT_TRUE(good("f").first_level && good("m").last_level && good("t").tlb && good("a").remote && good("M").memory);
  EXPECT_TRUE(good("A").approximate_ipc && good("Z").timeless);
  EXPECT_EQ(good("").quick, 0);
  EXPECT_EQ(good("q").quick, 1);
  EXPECT_EQ(good("qbq").quick, 2);
}

struct PeriodCase {
  std::string_view words;
  u64 period;
  ItraceUnit unit;
};
TEST(Itrace, APeriodHasAUnitAndIsKeptInInstructionsTicksOrNanoseconds) {
  for (const auto& [words, period, unit] : std::initializer_list<PeriodCase>{
           {"i", 100'000, ItraceUnit::Nanoseconds},
           {"i10", 10, ItraceUnit::Nanoseconds},
           {"i10ns", 10, ItraceUnit::Nanoseconds},
           {"i10us", 10'000, ItraceUnit::Nanoseconds},
           {"i 10 ms", 10'000'000, ItraceUnit::Nanoseconds},
           {"i,10,us", 10'000, ItraceUnit::Nanoseconds},
           {"i1i", 1, ItraceUnit::Instructions},
           {"i0nse", 0, ItraceUnit::Nanoseconds},
           {"i1000tg", 1000, ItraceUnit::Ticks},
           {"i99999999999999999999", ~u64{0}, ItraceUnit::Nanoseconds},
       }) {
    EXPECT_TRUE(good(words).instructions) << words;
    EXPECT_EQ(good(words).period, period) << words;
    EXPECT_EQ(good(words).unit, unit) << words;
  }
}

TEST(Itrace, CallersAndLastBranchesMayHaveASize) {
  EXPECT_EQ(good("g").callers, 16);
  EXPECT_EQ(good("g32").callers, 32);
  EXPECT_EQ(good("G 1024").callers, 1024);
  EXPECT_EQ(good("l").branch_count, 64);
  EXPECT_EQ(good("L,10").branch_count, 10);
  EXPECT_TRUE(good("g").callchain && !good("g").add_callchain);
  EXPECT_TRUE(good("G").add_callchain && !good("G").callchain);
  EXPECT_TRUE(good("l").last_branch && good("L").add_last_branch);
}

TEST(Itrace, SkipsEventsAtTheBeginning) {
  const ItraceOptions options = good("i0nss1000000");
  EXPECT_EQ(options.period, 0);
  EXPECT_EQ(options.skip, 1'000'000);
  EXPECT_EQ(good("s 5").skip, 5);
}

TEST(Itrace, ErrorsAndTheLogHaveFlags) {
  const ItraceOptions options = good("e-o-ld+a");
  EXPECT_TRUE(options.errors && options.error_flags.off('o') && options.error_flags.off('l'));
  EXPECT_FALSE(options.error_flags.on('o'));
  EXPECT_TRUE(options.log && options.log_flags.on('a'));
}

TEST(Itrace, RefusesWhatLinuxPerfRefuses) {
  for (const std::string_view words :
       {"k",  "y",   "T",   "i10x", "i1i5",  "i10u",  "i10n", "i10m", "i-5",   "i0x10", "i10k",
        "e+", "e+O", "e+1", "g0",   "g1025", "l1025", "s",    "s,5",  "s0x10", "S"})
    EXPECT_EQ(bad(words), fmt::format("Bad Instruction Tracing options '{}'", words));
  EXPECT_EQ(parse_itrace("bk").error().hint, "parsed up to 'b'; `help report` lists the letters");
  EXPECT_EQ(parse_itrace("zzz").error().hint, "unknown letter 'z'; `help report` lists the letters");
}

TEST(Itrace, DefaultsDifferForReportAndScript) {
  const ItraceOptions report = default_itrace(true);
  EXPECT_TRUE(report.instructions && report.branches && report.memory && report.errors && !report.calls);
  EXPECT_EQ(report.period, 100'000);
  EXPECT_EQ(report.unit, ItraceUnit::Nanoseconds);
  const ItraceOptions script = default_itrace(false);
  EXPECT_TRUE(!script.instructions && script.branches && script.calls && script.memory);
  EXPECT_EQ(script.period, 1);
  EXPECT_EQ(script.unit, ItraceUnit::Instructions);
}

}  // namespace
}  // namespace peregrine
