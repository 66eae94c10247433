#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/tracepoint/trace_formats.h"
#include "output/text/field/script_fields.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "output/text/script/script_sample.h"
#include "pipeline/replay/event_switch.h"
#include "support/resolved_program.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;
using support::SampleLines;
using ::testing::EndsWith;

abi::EventAttr software_event(abi::SoftwareEvent config) {
  return {.type = static_cast<u32>(abi::EventType::Software), .config = static_cast<u64>(config)};
}

TEST(SampleFields, PeriodAndEventFollowTheTime) {
  SampleLines lines;
  EXPECT_EQ(lines.print("tid,time,period,event"), "   41    12.000000:     250000 cycles:u: \n");
  lines.period = std::numeric_limits<u64>::max();
  EXPECT_EQ(lines.print("period"), "18446744073709551615 \n");
}

TEST(SampleFields, PlainNumbersHaveSixteenColumns) {
  SampleLines lines;
  lines.sample.weight = 5;
  lines.sample.weight2 = 60;
  lines.sample.weight3 = 65535;
  lines.sample.phys_addr = 0xabcdef0;
  EXPECT_EQ(lines.print("weight"), "               5\n");
  EXPECT_EQ(lines.print("retire_lat,ins_lat"), "              60           65535\n");
  EXPECT_EQ(lines.print("phys_addr"), "         abcdef0\n");
  lines.sample.weight = std::numeric_limits<u64>::max();
  EXPECT_EQ(lines.print("weight"), "18446744073709551615\n");
}

TEST(SampleFields, PageSizesHaveUnits) {
  SampleLines lines;
  lines.sample.data_page_size = 4096;
  lines.sample.code_page_size = u64{2} << 20;
  EXPECT_EQ(lines.print("code_page_size,data_page_size"), " 4K 2M\n");
  lines.sample.data_page_size = 0;
  lines.sample.code_page_size = u64{1} << 30;
  EXPECT_EQ(lines.print("code_page_size,data_page_size"), " N/A 1G\n");
}

TEST(SampleFields, OnlyPageFaultsNameWhatIsAtTheirAddress) {
  SampleLines lines;
  lines.sample.addr = ResolvedProgram::kInner + 8;
  const std::string named = "          401108 inner (" + lines.program.file() + ")\n";
  for (const auto fault :
       {abi::SoftwareEvent::PageFaults, abi::SoftwareEvent::MinorFaults, abi::SoftwareEvent::MajorFaults}) {
    lines.attr = software_event(fault);
    EXPECT_EQ(lines.print("addr,sym,dso"), named) << static_cast<int>(fault);
  }
  lines.attr = software_event(abi::SoftwareEvent::CpuClock);
  EXPECT_EQ(lines.print("addr,sym,dso"), "          401108\n");
}

TEST(SampleFields, AddressesOfPageFaultsMayBeInNoMap) {
  SampleLines lines;
  lines.attr = software_event(abi::SoftwareEvent::PageFaults);
  lines.sample.addr = 0x7000000;
  EXPECT_EQ(lines.print("addr,sym,symoff,dso"), "         7000000 [unknown] ([unknown])\n");
  EXPECT_EQ(lines.print("addr"), "         7000000\n");
}

// linux-perf aligns the following columns with the widest text so far.
TEST(SampleFields, DataSourcesArePaddedToTheWidestBefore) {
  constexpr u64 kLong = 0x11868100242, kShort = 0x5080021;
  SampleLines lines;
  const auto widths = [&](std::initializer_list<u64> sources) {
    std::vector<abi::Sample> samples;
    for (const u64 source : sources) {
      lines.sample.data_src = source;
      samples.push_back(lines.sample);
    }
    std::vector<std::size_t> widths;
    std::string_view text;
    const std::string all = lines.print("data_src", samples);
    for (text = all; !text.empty(); text.remove_prefix(text.find('\n') + 1)) widths.push_back(text.find('\n'));
    return widths;
  };
  const std::size_t narrow = widths({kShort})[0], wide = widths({kLong})[0];
  ASSERT_LT(narrow, wide);
  EXPECT_EQ(widths({kShort, kLong, kShort}), (std::vector{narrow, wide, wide}));
}

TEST(SampleFields, CgroupsAreUnknownUntilTheirRecord) {
  SampleLines lines;
  lines.sample.cgroup = 77;
  const ScriptPlan plan = lines.plan("cgroup");
  EXPECT_TRUE(plan.names_cgroups());
  ScriptSample printer(plan);
  ScriptText text;
  const auto print = [&] { printer.put(text, lines.replayed(lines.sample), lines.program.resolver); };
  print();
  abi::CgroupRecord record;
  record.id = 77;
  record.path = "/user.slice";
  printer.learn_cgroup(record);
  print();
  record.path = "/a\nb";
  printer.learn_cgroup(record);
  print();
  EXPECT_EQ(text.view(), " unknown\n /user.slice\n /a\\x0ab\n");
}

TEST(SampleFields, RegistersHaveTheNamesOfTheRecordedArchitecture) {
  const u64 values[] = {1, 0xff, 0x401010};
  SampleLines lines;
  lines.sample.interrupt_registers = {.abi = 2, .mask = 0b1'0000'0011, .values = values};
  lines.options = [](ScriptPlan& plan) { plan.arch = abi::Arch::X86; };
  EXPECT_EQ(lines.print("iregs"), " ABI:2    AX:0x1    BX:0xff    IP:0x401010 \n");
  lines.options = [](ScriptPlan& plan) { plan.arch = abi::Arch::Arm64; };
  EXPECT_EQ(lines.print("iregs"), " ABI:2    x0:0x1    x1:0xff    x8:0x401010 \n");
  lines.options = [](ScriptPlan& plan) { plan.arch = abi::Arch::Unknown; };
  EXPECT_EQ(lines.print("iregs"), " ABI:2 unknown:0x1 unknown:0xff unknown:0x401010 \n");
}

TEST(SampleFields, InterruptRegistersPrecedeThoseOfUsers) {
  const u64 one[] = {1}, two[] = {2};
  SampleLines lines;
  lines.options = [](ScriptPlan& plan) { plan.arch = abi::Arch::X86; };
  lines.sample.interrupt_registers = {.abi = 2, .mask = 1, .values = one};
  lines.sample.user_registers = {.abi = 1, .mask = 2, .values = two};
  EXPECT_EQ(lines.print("uregs,iregs"), " ABI:2    AX:0x1  ABI:1    BX:0x2 \n");
}

// A kernel thread has no user registers: the kernel records an ABI of 0 (PERF_SAMPLE_REGS_ABI_NONE) and no values.
TEST(SampleFields, SamplesWithoutRegistersPrintNone) {
  SampleLines lines;
  lines.sample.user_registers = {.abi = 0, .mask = 0b11, .values = {}};
  EXPECT_EQ(lines.print("uregs"), "\n");
  lines.sample.user_registers = {.abi = 2, .mask = 0, .values = {}};
  EXPECT_EQ(lines.print("uregs"), " ABI:2 \n") << "an event may ask for none";
}

TEST(SampleFields, OnlyOutputOfBpfProgramsIsDumped) {
  const std::string_view bytes = "ok";
  SampleLines lines;
  lines.sample.raw = std::as_bytes(std::span(bytes));
  lines.attr = software_event(abi::SoftwareEvent::BpfOutput);
  // The '-' in its name makes -F keep the defaults, as in linux-perf.
  EXPECT_THAT(lines.print("bpf-output"), EndsWith(")\n      BPF output: 0000: 6f 6b                    ok      \n\n"));
  lines.attr = software_event(abi::SoftwareEvent::CpuClock);
  EXPECT_THAT(lines.print("bpf-output"), EndsWith("shell)\n"));
}

TEST(SampleFields, ACallSiteIsTheFirstFrameOutsideTheTracingCode) {
  const u64 chain[] = {abi::kContextUser, ResolvedProgram::kMapped + 4, ResolvedProgram::kInner};
  SampleLines lines;
  lines.sample.ip = ResolvedProgram::kInner + 1;
  EXPECT_EQ(lines.print("callsite"), " <- inner+0x1\n") << "without a chain, the sampled code";
  lines.sample.callchain = chain;
  EXPECT_EQ(lines.print("callsite"), " <- outer+0x4\n");
}

TEST(SampleFields, CountersOfBranchesAreHiddenWhereTheirInstructionsShowThem) {
  const u64 counters[] = {0, 0};
  SampleLines lines;
  lines.sample.branch_counters = counters;
  EXPECT_EQ(lines.print("brcntr"), " br_cntr: -,-\n") << "newest branch first";
  EXPECT_EQ(lines.print("brcntr,brstackinsn"), "\n");
  lines.sample.branch_counters = {};
  EXPECT_EQ(lines.print("brcntr"), " br_cntr:\n");
}

TEST(SampleFields, AnEventWithoutFieldsPrintsNoLine) {
  SampleLines lines;
  ScriptPlan plan = lines.plan("comm");
  plan.events[0].fields = 0;
  ScriptSample printer(plan);
  ScriptText text;
  EXPECT_TRUE(printer.put(text, lines.replayed(lines.sample), lines.program.resolver)) << "it is counted all the same";
  EXPECT_EQ(text.view(), "");
}

TEST(SampleFilters, SymbolsAndAddressesChooseSamples) {
  SampleLines lines;
  std::vector<abi::Sample> samples(3, lines.sample);
  samples[1].ip = ResolvedProgram::kInner;
  samples[2].ip = 0x500000;
  struct Case {
    std::vector<std::string> symbols;
    std::vector<u64> addresses;
    u64 range;
    std::string_view shown;
  };
  const Case cases[] = {
      {{"inner"}, {}, 1, "401100 "}, {{"inner", "outer"}, {}, 1, "401010 401100 "},
      {{"inn"}, {}, 1, ""},          {{}, {0x500000}, 1, "500000 "},
      {{}, {0x4fffff}, 1, ""},       {{}, {0x4fffff}, 2, "500000 "},
      {{}, {0x500001}, 2, ""},       {{"outer"}, {0x500000}, 1, "401010 500000 "},  // either one is enough
      {{}, {0, ~u64{0}}, 1, ""},     {{}, {0x401100}, ~u64{0}, "401100 500000 "},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(
        fmt::format("{} symbols, {} addresses, range {:#x}", one.symbols.size(), one.addresses.size(), one.range));
    lines.options = [&](ScriptPlan& plan) {
      plan.symbols = one.symbols;
      plan.addresses = one.addresses;
      plan.address_range = one.range;
    };
    std::string shown = lines.print("ip", samples);
    std::erase(shown, ' ');
    std::ranges::replace(shown, '\n', ' ');
    EXPECT_EQ(shown, one.shown);
  }
}

TEST(SampleFilters, DsosAreChosenByPathOrName) {
  SampleLines lines;
  std::vector<std::string> dsos;
  lines.options = [&](ScriptPlan& plan) { plan.dsos = dsos; };
  for (const std::string& name : {lines.program.file(), std::string("shell")}) {
    dsos = {"other", name};
    EXPECT_EQ(lines.print("tid"), "   41 \n") << name;
  }
  dsos = {"she"};
  EXPECT_EQ(lines.print("tid"), "");
  dsos = {"shell"};
  lines.sample.ip = 0x500000;
  EXPECT_EQ(lines.print("tid"), "") << "in no dso";
}

TEST(SampleFilters, CheckingTheOrderCountsStepsBackAndPrintsNothing) {
  SampleLines lines;
  lines.options = [](ScriptPlan& plan) { plan.check_order = true; };
  const ScriptPlan plan = lines.plan("comm,time");
  EXPECT_TRUE(plan.needs_single_worker());
  ScriptSample printer(plan);
  ScriptText text;
  for (const u64 time : std::initializer_list<u64>{5, 5, 4, 9, 8, 7, 10}) {
    lines.sample.time = time;
    EXPECT_FALSE(printer.put(text, lines.replayed(lines.sample), lines.program.resolver));
  }
  EXPECT_EQ(printer.misordered(), 3u);
  EXPECT_EQ(text.view(), "");
}

TEST(ScriptPlan, FieldsInSequenceNeedOneWorkerEvenIfTheirEventsComeLater) {
  const auto needs_one = [](std::string_view words) {
    ScriptFields fields;
    std::vector<std::string> warnings;
    EXPECT_TRUE(fields.parse(words, warnings)) << words;
    return ScriptPlan(data::Evlist(), {}, fields, TraceFormats(), true).needs_single_worker();
  };
  EXPECT_TRUE(needs_one("+metric"));
  EXPECT_TRUE(needs_one("sw:comm,metric"));
  EXPECT_FALSE(needs_one("comm,ip")) << "data_src, a default that depends on earlier samples, was not asked for";
  EXPECT_FALSE(needs_one("+misc"));
}

TEST(SampleFilters, EventsMaySwitchTheOutputOn) {
  SampleLines lines;
  lines.options = [](ScriptPlan& plan) { plan.event_switch = EventSwitch(0, std::nullopt, false); };
  EXPECT_EQ(lines.print("tid", std::vector<abi::Sample>(3, lines.sample)), "   41 \n   41 \n");
  lines.options = [](ScriptPlan& plan) { plan.event_switch = EventSwitch(1, std::nullopt, false); };
  EXPECT_EQ(lines.print("tid"), "") << "the event that switches it on has no sample";
}

}  // namespace
}  // namespace peregrine
