#include "event/config/record_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>

#include "abi/attr.h"
#include "event/attr_text.h"
#include "event/config/default_event.h"
#include "event/config/fallback.h"
#include "event/config/stat_config.h"
#include "event/source.h"
#include "event/syntax/parse.h"
#include "support/server_sources.h"
#include "sys/root.h"

namespace peregrine {
namespace {

struct Wanted {
  SampledTarget target;
  RecordConfig config;
};

std::string recorded(const Wanted& wanted, std::string_view words) {
  auto sources = support::server_sources();
  EventList list;
  std::vector<std::string> warnings;
  if (words.empty())
    list.push_back(default_record_event(true, false));
  else if (auto done = parse_events(words, sources, list); !done)
    return done.error().message;
  if (auto done = configure_for_record(wanted.target, wanted.config, list, warnings); !done)
    return "error: " + done.error().message;
  std::string text;
  for (const auto& spec : list) text += (text.empty() ? "" : "\n") + spec.name + ": " + attr_text(spec.attr);
  return text;
}

const std::string kRate = "size: 128, { sample_period, sample_freq }: 4000, ";
const std::string kTrack = "mmap2: 1, comm_exec: 1, ksymbol: 1, bpf_event: 1";

TEST(RecordConfig, Workload) {
  EXPECT_EQ(
      recorded({}, ""),
      "cycles: " + kRate +
          "sample_type: IP|TID|TIME|PERIOD, read_format: ID|LOST, disabled: 1, inherit: 1, mmap: 1, comm: 1, freq: 1, "
          "enable_on_exec: 1, task: 1, precise_ip: 3, sample_id_all: 1, exclude_guest: 1, " +
          kTrack);
}

TEST(RecordConfig, SystemWideAddsADummy) {
  Wanted wanted;
  wanted.target.system_wide = true;
  wanted.config.callchains.callgraph.mode = CallgraphMode::FramePointer;
  EXPECT_EQ(
      recorded(wanted, "cpu-clock"),
      "cpu-clock: type: 1, " + kRate +
          "sample_type: IP|TID|TIME|CALLCHAIN|CPU|PERIOD|IDENTIFIER, read_format: ID|LOST, disabled: 1, inherit: 1, "
          "freq: 1, sample_id_all: 1, exclude_guest: 1\n"
          "dummy:HG: type: 1, size: 128, config: 0x9, { sample_period, sample_freq }: 1, sample_type: "
          "IP|TID|TIME|CALLCHAIN|CPU|IDENTIFIER, read_format: ID|LOST, inherit: 1, mmap: 1, comm: 1, task: 1, "
          "sample_id_all: 1, " +
          kTrack);
}

TEST(RecordConfig, DelayedWorkloadEnablesTheDummyOnExec) {
  Wanted wanted;
  wanted.config.sampling.initial_delay_ms = 10;
  const auto text = recorded(wanted, "cpu-clock");
  EXPECT_NE(text.find("dummy:HG: type: 1, size: 128, config: 0x9, { sample_period, sample_freq }: 1, sample_type: "
                      "IP|TID|TIME|IDENTIFIER, read_format: ID|LOST, disabled: 1, inherit: 1, mmap: 1, comm: 1, "
                      "enable_on_exec: 1"),
            std::string::npos)
      << text;
}

TEST(RecordConfig, LeaderSampling) {
  EXPECT_EQ(recorded({}, "{cpu-clock,page-faults}:S"),
            "cpu-clock: type: 1, " + kRate +
                "sample_type: IP|TID|TIME|READ|ID|PERIOD, read_format: ID|GROUP|LOST, disabled: 1, mmap: 1, comm: 1, "
                "freq: 1, "
                "enable_on_exec: 1, task: 1, sample_id_all: 1, exclude_guest: 1, " +
                kTrack +
                "\npage-faults: type: 1, size: 128, config: 0x2, sample_type: IP|TID|TIME|READ|ID|PERIOD, read_format: "
                "ID|GROUP|LOST, sample_id_all: 1, exclude_guest: 1");
}

TEST(RecordConfig, DwarfCallGraph) {
  Wanted wanted;
  wanted.config.callchains.callgraph = *parse_callgraph("dwarf,4096");
  wanted.config.fields.addresses = true;
  const auto text = recorded(wanted, "cpu-clock");
  EXPECT_NE(text.find("sample_type: IP|TID|TIME|ADDR|CALLCHAIN|PERIOD|REGS_USER|STACK_USER|DATA_SRC"),
            std::string::npos);
  EXPECT_NE(text.find("exclude_callchain_user: 1"), std::string::npos);
  EXPECT_NE(text.find("sample_stack_user: 4096"), std::string::npos);
}

EventList configured(const Wanted& wanted) {
  auto sources = support::server_sources();
  EventList list;
  std::vector<std::string> warnings;
  EXPECT_TRUE(parse_events("cpu-clock", sources, list));
  EXPECT_TRUE(configure_for_record(wanted.target, wanted.config, list, warnings));
  return list;
}

TEST(RecordConfig, FramePointersTakeALimitAndMayBeDeferred) {
  Wanted wanted;
  wanted.config.callchains.callgraph = *parse_callgraph("fp,16");
  EXPECT_EQ(configured(wanted)[0].attr.sample_max_stack, 16);
  wanted.config.callchains.max_stack = 8;  // --max-stack takes precedence
  EXPECT_EQ(configured(wanted)[0].attr.sample_max_stack, 8);

  wanted = {};
  wanted.target.system_wide = true;
  wanted.config.callchains.callgraph = *parse_callgraph("fp,defer");
  const EventList list = configured(wanted);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_TRUE(list[0].attr.has(abi::attr_flag::DeferCallchain));
  EXPECT_FALSE(list[0].attr.has(abi::attr_flag::DeferOutput));
  EXPECT_TRUE(list[1].attr.has(abi::attr_flag::DeferOutput));  // the dummy, which records the side-band
}

TEST(RecordConfig, TermsAreStrongerThanOptions) {
  Wanted wanted;
  wanted.config.sampling.period = 100;
  EXPECT_NE(recorded(wanted, "cpu-clock/freq=50/")
                .find("{ sample_period, sample_freq }: 50, sample_type: IP|TID|TIME|PERIOD"),
            std::string::npos);
  wanted = {};
  wanted.config.callchains.callgraph.mode = CallgraphMode::FramePointer;
  const auto text = recorded(wanted, "cpu-clock/call-graph=no/,page-faults");
  EXPECT_NE(text.find("sample_type: IP|TID|TIME|PERIOD|IDENTIFIER"), std::string::npos) << text;
  EXPECT_NE(text.find("sample_type: IP|TID|TIME|CALLCHAIN|PERIOD|IDENTIFIER"), std::string::npos) << text;
}

TEST(RecordConfig, ThreadsDoNotInherit) {
  Wanted wanted;
  wanted.target.has_pids = wanted.target.has_tids = true;
  EXPECT_EQ(recorded(wanted, "cpu-clock").find("inherit: 1"), std::string::npos);
  wanted = {};
  wanted.target.per_thread = true;
  EXPECT_NE(recorded(wanted, "cpu-clock").find("sample_type: IP|TID|PERIOD, "), std::string::npos);
}

TEST(RecordConfig, GroupMemberKeepsTheRateOfItsOwn) {
  const auto text = recorded({}, "{cpu-clock,cs/period=5/,page-faults/freq=7/}:S");
  EXPECT_NE(text.find("config: 0x3, { sample_period, sample_freq }: 5, sample_type: IP|TID|TIME|READ|ID|PERIOD"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("{ sample_period, sample_freq }: 7, sample_type: IP|TID|TIME|READ|ID|PERIOD, read_format: "
                      "ID|GROUP|LOST, freq: 1"),
            std::string::npos)
      << text;
}

TEST(RecordConfig, IbsCannotLeaveGuestsOut) {
  EXPECT_TRUE(default_record_event(true, false).attr.has(abi::attr_flag::ExcludeGuest));
  EXPECT_FALSE(default_record_event(true, true).attr.has(abi::attr_flag::ExcludeGuest));
}

TEST(RecordConfig, Registers) {
  const auto& host = abi::register_table(abi::kHostArch);
  Wanted wanted;
  wanted.config.fields.intr_regs = 3;
  wanted.config.fields.user_regs = 1;
  wanted.config.fields.addresses = true;
  wanted.config.callchains.callgraph.mode = CallgraphMode::Dwarf;
  const auto text = recorded(wanted, "cpu-clock");
  EXPECT_NE(text.find("sample_type: IP|TID|TIME|ADDR|CALLCHAIN|PERIOD|REGS_USER|STACK_USER|REGS_INTR|DATA_SRC"),
            std::string::npos)
      << text;
  const u64 user = u64{1} << host.ip | u64{1} << host.sp | 1;
  EXPECT_NE(text.find(fmt::format("sample_regs_user: {:#x}, sample_stack_user: 8192, sample_regs_intr: 0x3", user)),
            std::string::npos)
      << text;
}

TEST(RecordConfig, OverwriteHoldsForAllEventsOrNone) {
  EXPECT_TRUE(recorded({}, "cpu-clock/overwrite/,cs").starts_with("error: cpu-clock"));
  EXPECT_TRUE(recorded({}, "cpu-clock/no-overwrite/,cs").starts_with("cpu-clock"));
  Wanted wanted;
  wanted.config.sampling.overwrite = true;
  EXPECT_TRUE(recorded(wanted, "cpu-clock/overwrite/,cs").starts_with("cpu-clock"));
  EXPECT_TRUE(recorded(wanted, "cpu-clock/no-overwrite/").starts_with("error: "));
}

TEST(RecordConfig, OnlyTheGroupSaysWhetherItIsRead) {
  EXPECT_EQ(recorded({}, "{cpu-clock,cs:S}:u").find("READ"), std::string::npos);
  EXPECT_NE(recorded({}, "{cpu-clock,cs}:Su").find("READ"), std::string::npos);
}

TEST(RecordConfig, BranchTermAddsToTheOption) {
  Wanted wanted;
  wanted.config.fields.branch_type = 9;
  const auto text = recorded(wanted, "cpu-clock/branch_type=call/");
  EXPECT_NE(text.find("branch_sample_type: USER|ANY|CALL"), std::string::npos) << text;
}

TEST(RecordConfig, GroupOptionTakesTheDummyToo) {
  Wanted wanted;
  wanted.config.sampling.group = wanted.target.system_wide = true;
  EventList list;
  auto sources = support::server_sources();
  std::vector<std::string> warnings;
  ASSERT_TRUE(parse_events("cpu-clock,cs", sources, list));
  ASSERT_TRUE(configure_for_record(wanted.target, wanted.config, list, warnings));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[2].leader, 0u);
  EXPECT_TRUE(list[2].immediate);
}

TEST(RecordConfig, OneRate) {
  Wanted wanted;
  wanted.config.sampling.frequency = 99;
  wanted.config.sampling.period = 1000;
  EXPECT_EQ(recorded(wanted, "cpu-clock"), "error: cannot set frequency and period at the same time");
}

TEST(RecordConfig, NoRateIsAnError) {
  Wanted wanted;
  wanted.config.sampling.frequency = 0;
  EXPECT_EQ(recorded(wanted, "cpu-clock"), "error: frequency and count are zero, aborting");
}

TEST(Fallback, CyclesBecomeCpuClockAndKeepTheirModifiers) {
  EventList list{default_record_event(true, false)};
  std::vector<std::string> warnings;
  ASSERT_TRUE(configure_for_record({}, {}, list, warnings));
  auto& spec = list[0];
  for (unsigned level : {2u, 1u, 0u}) {
    EXPECT_TRUE(fall_back(spec, ENOENT, 2)->warning.empty());
    EXPECT_EQ(spec.attr.precise_ip(), level);
  }
  EXPECT_FALSE(fall_back(spec, ENOENT, 2)->warning.empty());
  EXPECT_EQ(spec.name, "cpu-clock");
  for (unsigned level : {2u, 1u, 0u}) {
    EXPECT_TRUE(fall_back(spec, EOPNOTSUPP, 2));
    EXPECT_EQ(spec.attr.precise_ip(), level);
  }
  EXPECT_FALSE(fall_back(spec, EOPNOTSUPP, 2));
  EXPECT_EQ(spec.attr.precise_ip(), 3u);
  EXPECT_TRUE(fall_back(spec, EINVAL, 2));
  restore_precision(spec);
  EXPECT_EQ(spec.attr.precise_ip(), 3u);
  EXPECT_EQ(explain_open_failure(spec, EOPNOTSUPP, 2).kind, ErrorKind::System);
}

TEST(Fallback, ADenialNamesTheSettingAndTheRemedy) {
  const EventSpec spec = configured({})[0];
  for (const int error : {EACCES, EPERM}) {
    const std::string hint = explain_open_failure(spec, error, 2).hint;
    EXPECT_TRUE(hint.starts_with("kernel.perf_event_paranoid=2 forbids this: run as root, or lower it with `sysctl"))
        << hint;
    EXPECT_EQ(explain_open_failure(spec, error, -1).hint.find("paranoid"), std::string::npos);
  }
}

TEST(Fallback, ARefusedThreadIsNotBlamedOnASetting) {
  const Error error = explain_refused_thread(configured({})[0], EACCES, 1);
  EXPECT_EQ(error.kind, ErrorKind::Denied);
  EXPECT_NE(error.message.find("on thread 1: Permission denied"), std::string::npos) << error.message;
  EXPECT_EQ(error.hint.find("paranoid"), std::string::npos) << error.hint;
}

TEST(Fallback, DeferredChainsBecomeUsualOnesWhereTheKernelRefusesThem) {
  Wanted wanted;
  wanted.config.callchains.callgraph = *parse_callgraph("fp,defer");
  EventSpec spec = configured(wanted)[0];
  const auto step = fall_back(spec, EINVAL, 1);
  ASSERT_TRUE(step);
  EXPECT_NE(step->warning.find("6.19"), std::string::npos);
  EXPECT_FALSE(spec.attr.has(abi::attr_flag::DeferCallchain));
  EXPECT_FALSE(spec.attr.has(abi::attr_flag::DeferOutput));
  EXPECT_TRUE(spec.attr.samples(abi::sample_bit::Callchain));
}

TEST(Fallback, CyclesOfUserSpaceKeepAReadableName) {
  EventList list{default_record_event(false, false)};
  std::vector<std::string> warnings;
  ASSERT_TRUE(configure_for_record({}, {}, list, warnings));
  while (list[0].name == "cycles:u") ASSERT_TRUE(fall_back(list[0], ENOENT, 2));
  EXPECT_EQ(list[0].name, "cpu-clock:u");
}

TEST(Fallback, DeniedKernelIsLeftOut) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("cpu-clock", sources, list));
  EXPECT_FALSE(fall_back(list[0], EACCES, 1));
  EXPECT_EQ(fall_back(list[0], EACCES, 2)->warning, "kernel.perf_event_paranoid=2: counting user space only");
  EXPECT_EQ(list[0].name, "cpu-clock:u");
  EXPECT_FALSE(fall_back(list[0], EACCES, 2));
}

TEST(OptionValue, BranchFiltersAndClocks) {
  EXPECT_EQ(*parse_branch_filter("any,u"), 9u);
  EXPECT_EQ(*parse_branch_filter("u"), 8u);
  EXPECT_EQ(*parse_branch_filter("hv,k"), 8u);
  EXPECT_EQ(*parse_branch_filter("hv,k", true), 14u);
  EXPECT_EQ(*parse_branch_filter("save_type"), 1u << 16);
  EXPECT_EQ(*parse_branch_filter("any_call,ind_call"), 0x50u);
  EXPECT_EQ(parse_branch_filter("any_cal").error().hint, "did you mean 'any_call'?");
  EXPECT_EQ(*parse_clockid("mono"), 1);
  EXPECT_EQ(*parse_clockid("CLOCK_BOOTTIME"), 7);
  EXPECT_EQ(*parse_clockid("4"), 4);
  EXPECT_FALSE(parse_clockid("sundial"));
  EXPECT_FALSE(parse_callgraph("dwarf,99999"));
  EXPECT_EQ(parse_callgraph("fp,1")->max_frames, 1);
  EXPECT_TRUE(parse_callgraph("fp,defer")->deferred);
  for (const std::string_view wrong : {"fp,", "fp,0", "fp,65536", "fp,later", "lbr,1"})
    EXPECT_FALSE(parse_callgraph(wrong)) << wrong;
  EXPECT_EQ(parse_callgraph("dwarf,100")->stack_bytes, 104u);
}

TEST(OptionValue, Registers) {
  const auto& x86 = abi::register_table(abi::Arch::X86);
  EXPECT_EQ(*parse_registers("ax,BX,r15", x86, x86.default_mask), 0x800003u);
  EXPECT_EQ(register_list(x86, x86.default_mask),
            "AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 R13 R14 R15");
  EXPECT_EQ(*parse_registers("XMM0", x86, x86.default_mask | x86.vector_mask), u64{1} << 32);
  for (const char* wrong : {"XMM0", "ds", "", "ax,", "ax,,bx", "x0"})
    EXPECT_FALSE(parse_registers(wrong, x86, x86.default_mask)) << wrong;
}

TEST(OptionValue, FrequencyLimit) {
  std::vector<std::string> warnings;
  EXPECT_EQ(*limit_frequency(4000, false, false, 1000, warnings), 1000u);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(*limit_frequency(4000, true, false, 1000, warnings), 1000u);
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_FALSE(limit_frequency(4000, true, true, 1000, warnings));
  EXPECT_EQ(*limit_frequency(4000, true, true, std::nullopt, warnings), 4000u);
}

TEST(StatConfig, DefaultSets) {
  EventSources nothing(Root("/nowhere"));
  EventList list;
  add_stat_events(nothing, false, 1, list);
  std::string names;
  for (const auto& spec : list) names += spec.name + ' ';
  EXPECT_EQ(names,
            "task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses "
            "L1-dcache-loads L1-dcache-load-misses LLC-loads LLC-load-misses ");
  ASSERT_TRUE(configure_for_stat({}, list));
  EXPECT_EQ(attr_text(list[4].attr),
            "size: 128, sample_type: IDENTIFIER, read_format: TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING, disabled: 1, "
            "inherit: 1, "
            "enable_on_exec: 1, exclude_guest: 1");
}

TEST(RecordConfig, RefusesSensors) {
  EventSpec sensor;
  sensor.name = "hwmon_coretemp/temp1/";
  sensor.tool = ToolEvent::Sensor;
  EventList list{sensor};
  std::vector<std::string> warnings;
  const auto refused = configure_for_record({}, {}, list, warnings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "hwmon_coretemp/temp1/: sensors cannot be sampled");
}

TEST(StatConfig, GroupsAndTerms) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("{cpu-clock,page-faults},sched:sched_switch", sources, list));
  StatOptions options;
  options.workload = false;
  ASSERT_TRUE(configure_for_stat(options, list));
  EXPECT_EQ(attr_text(list[1].attr),
            "type: 1, size: 128, config: 0x2, sample_type: IDENTIFIER, read_format: "
            "TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|GROUP, inherit: 1, exclude_guest: 1");
  EXPECT_EQ(list[2].attr.sample_period, 0u);
  ASSERT_TRUE(parse_events("cpu-clock/freq=5/", sources, list));
  EXPECT_FALSE(configure_for_stat(options, list));
}

TEST(RecordConfig, RetireLatencyNeedsPreciseSamplesWithWeights) {
  const auto has = [](std::string_view words, std::string_view part) {
    return recorded({}, words).find(part) != std::string::npos;
  };
  EXPECT_TRUE(has("cycles:R", "|WEIGHT_STRUCT")) << recorded({}, "cycles:R");
  EXPECT_TRUE(has("cycles:R", "precise_ip: 1"));
  EXPECT_TRUE(has("cycles:ppuR", "precise_ip: 2"));
  EXPECT_TRUE(recorded({}, "cycles:R").starts_with("cycles:R: "));
  EXPECT_FALSE(has("cycles:p", "WEIGHT_STRUCT"));
}

TEST(RecordConfig, AuxActionsOfEventsReachTheAttr) {
  const std::string text = recorded({}, "{cycles/aux-action=start-paused/,sched:sched_switch/aux-action=pause/}");
  EXPECT_NE(text.find("sample_id_all: 1, exclude_guest: 1, mmap2: 1, comm_exec: 1, ksymbol: 1, bpf_event: 1, "
                      "aux_start_paused: 1\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("aux_pause: 1")) << text;
  EXPECT_NE(recorded({}, "cycles/aux-action=stop/").find("expected pause, resume or start-paused"), std::string::npos);
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("cycles/aux-action=resume/", sources, list));
  EXPECT_EQ(configure_for_stat({}, list).error().message,
            "event syntax error: 'cycles/aux-action=resume/': 'aux-action' is not usable in 'perf stat'");
}

TEST(StatConfig, RetireLatencyIsSampledNotCounted) {
  auto sources = support::server_sources();
  EventList list;
  ASSERT_TRUE(parse_events("{cycles:R,branches:R,instructions,branch-misses:R,branches},{cycles:R}", sources, list));
  ASSERT_TRUE(configure_for_stat({}, list));
  ASSERT_EQ(list.size(), 6u);
  std::string groups;  // for counted events, the first one leads the group
  for (std::size_t i = 0; i < list.size(); ++i)
    groups +=
        fmt::format("{}{}:{}", i == 0 ? "" : " ", list[i].tool == ToolEvent::RetireLatency ? "R" : "-", list[i].leader);
  EXPECT_EQ(groups, "R:0 R:1 -:2 R:2 -:2 R:5");
  EXPECT_EQ(list[0].group_size, 1u);
  EXPECT_EQ(list[2].group_size, 3u);
  EXPECT_TRUE(list[2].attr.has(abi::attr_flag::Disabled));
  EXPECT_NE(list[2].attr.read_format & abi::read_bit::Group, 0u);
}

}  // namespace
}  // namespace peregrine
