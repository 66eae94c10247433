#include "event/vendor/named_event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "abi/attr.h"
#include "event/kind/pfm_event.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/kernel_symbol.h"
#include "event/syntax/parse.h"
#include "event/vendor/event_file.h"
#include "support/machine.h"
#include "sys/root.h"

namespace peregrine {
namespace {

ProcessorModel model(std::string_view cpuid) { return processor_model(Root("/nonexistent"), cpuid); }

TEST(ProcessorModel, FromTextAndFromProc) {
  EXPECT_EQ(model_tables(model("GenuineIntel-6-55-4")).core, "skx");
  EXPECT_EQ(model_tables(model("GenuineIntel-6-55-7")).core, "clx");
  EXPECT_EQ(model_tables(model("AuthenticAMD-25-11-1")).core, "amd64_fam19h_zen4");
  EXPECT_EQ(model_tables(model("GenuineIntel-6-97-2")).core, "");
  EXPECT_EQ(model("0x00000000410fd0c1").midr, 0x410fd0c1u);
  testing::Machine server(PEREGRINE_FIXTURES, "intel-server"), arm(PEREGRINE_FIXTURES, "arm-biglittle");
  EXPECT_EQ(model_tables(processor_model(server.root(), "")).core, "clx");
  EXPECT_EQ(processor_model(arm.root(), "").midr, 0x410fd030u);
}

TEST(NamedEvents, BothSpellingsFindTheSame) {
  const NamedEvents events(model("GenuineIntel-6-55-4"), {});
  const auto found = events.find("br_inst_retired.near_call");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found, events.find("BR_INST_RETIRED:NEAR_CALL"));
  EXPECT_EQ(found[0]->event.terms, "event=0xc4,umask=0x2");
  EXPECT_FALSE(found[0]->description.empty());
  EXPECT_FALSE(events.find("idq_uops_not_delivered.cycles_0_uops_deliv.core").empty());
  EXPECT_TRUE(events.find("nothing.like_it").empty());
  EXPECT_EQ(events.find_code(0x2c4)->event.name, "br_inst_retired.near_call");
  EXPECT_EQ(events.find_code(0x10002c4), nullptr);
  EXPECT_TRUE(NamedEvents(model("nobody"), {}).all().empty());
}

// Reads every model's table, so that the sanitisers check each.
TEST(NamedEvents, AllModels) {
  for (const char* vendor : {"GenuineIntel-6", "GenuineIntel-15", "AuthenticAMD-15", "AuthenticAMD-16",
                             "AuthenticAMD-21", "AuthenticAMD-23", "AuthenticAMD-25"}) {
    std::string_view before;
    for (unsigned number = 0; number < 0xd0; ++number) {
      const auto one = model(fmt::format("{}-{:X}-0", vendor, number));
      const auto core = model_tables(one).core;
      if (core.empty() || core == before) continue;
      before = core;
      const NamedEvents events(one, {});
      EXPECT_GT(events.all().size(), 15u) << core;
      for (const auto& event : events.all()) {
        EXPECT_FALSE(event.event.terms.empty() || event.event.name.empty()) << core;
        EXPECT_FALSE(events.find(event.event.name).empty()) << event.event.name;
      }
    }
  }
  const NamedEvents skylake(model("GenuineIntel-6-9E-9"), {});
  ASSERT_FALSE(skylake.find("frontend_retired.latency_ge_16").empty());
  EXPECT_EQ(skylake.find("frontend_retired.latency_ge_16")[0]->event.terms, "event=0xc6,umask=0x1,frontend=0x401006");
  EXPECT_EQ(skylake.find("mem_trans_retired.load_latency_gt_128")[0]->event.terms, "event=0xcd,umask=0x1,ldlat=0x80");
}

TEST(EventFile, ReadsTheShapeOfLinuxPerfsLists) {
  const auto file = parse_event_file(
      R"([{"EventName": "my.calls", "EventCode": "0xC4", "UMask": "0x02", "SampleAfterValue": "100003",
           "BriefDescription": "calls", "CounterMask": "1", "Invert": "0"},
          {"EventName": "my.reads", "EventCode": "0xB7,0xBB", "UMask": "1", "MSRIndex": "0x1a6,0x1a7", "MSRValue": "0x10"},
          {"EventName": "my.channel", "EventCode": 4, "UMask": "3", "Unit": "iMC", "PerPkg": "1", "ScaleUnit": "64Bytes"},
          {"MetricName": "not an event"},
          {"EventName": "my.mistake", "EventCode": "four"},
          {"EventName": "my.nothing"}])",
      "mine.json");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->events.size(), 3u);
  EXPECT_EQ(file->events[0].event.terms, "event=0xC4,umask=0x02,cmask=1,period=100003");
  EXPECT_EQ(file->events[1].event.terms, "event=0xB7,umask=1,offcore_rsp=0x10");
  EXPECT_EQ(file->events[2].pmu, "uncore_imc");
  EXPECT_EQ(file->events[2].event.unit, "Bytes");
  EXPECT_DOUBLE_EQ(file->events[2].event.scale, 64);
  EXPECT_TRUE(file->events[2].event.per_package);
  ASSERT_EQ(file->problems.size(), 2u);
  EXPECT_EQ(file->problems[0], "mine.json: event 5 'my.mistake': EventCode is not a number: 'four'");
  EXPECT_EQ(file->problems[1], "mine.json: event 6 'my.nothing': missing EventCode or ConfigCode");
  EXPECT_FALSE(parse_event_file("{", "x"));
  EXPECT_FALSE(parse_event_file("{}", "x"));
  EXPECT_FALSE(parse_event_file("[1]", "x"));
}

TEST(EventFile, HasTheUsualRetireLatency) {
  const auto file = parse_event_file(
      R"([{"EventName": "a", "EventCode": "1", "RetirementLatencyMean": 63.76, "RetirementLatencyMin": 15,
           "RetirementLatencyMax": 5156},
          {"EventName": "b", "EventCode": "1", "RetirementLatencyMean": "2.5"},
          {"EventName": "c", "EventCode": "1", "RetirementLatencyMean": -1},
          {"EventName": "d", "EventCode": "1", "RetirementLatencyMean": "often"}])",
      "mine.json");
  ASSERT_TRUE(file && file->events.size() == 4);
  ASSERT_TRUE(file->events[0].event.usual_latency);
  EXPECT_DOUBLE_EQ(file->events[0].event.usual_latency->mean, 63.76);
  EXPECT_DOUBLE_EQ(file->events[0].event.usual_latency->min, 15);
  EXPECT_DOUBLE_EQ(file->events[0].event.usual_latency->max, 5156);
  ASSERT_TRUE(file->events[1].event.usual_latency);
  EXPECT_DOUBLE_EQ(file->events[1].event.usual_latency->max, 2.5);
  EXPECT_FALSE(file->events[2].event.usual_latency);
  EXPECT_FALSE(file->events[3].event.usual_latency);
}

TEST(EventFile, AUsersNameWins) {
  const std::string path = std::filesystem::temp_directory_path() / fmt::format("events-{}.json", ::getpid());
  std::ofstream(path) << R"([{"EventName": "br_inst_retired.near_call", "EventCode": "0x11",
                             "RetirementLatencyMean": 7}])";
  testing::Machine server(PEREGRINE_FIXTURES, "intel-server");
  EventSources sources(server.root());
  sources.event_files = {path, "/nonexistent.json"};
  EventList list;
  ASSERT_TRUE(parse_events("br_inst_retired.near_call:R", sources, list));
  EXPECT_EQ(list[0].attr.config, 0x11u);
  EXPECT_DOUBLE_EQ(list[0].usual_latency.value_or(RetireLatency()).mean, 7);
  EXPECT_EQ(sources.problems().size(), 1u);
  std::filesystem::remove(path);
}

// Type, config, config1 and the excluded modes as encoded by libpfm4 4.13 itself, with LIBPFM_FORCE_PMU=skx.
TEST(PfmEvents, EncodedAsLibpfm4Does) {
  testing::Machine server(PEREGRINE_FIXTURES, "intel-server");
  const auto encoded = [&](std::string_view words) -> std::string {
    EventSources sources(server.root());
    EventList list;
    if (auto done = parse_pfm_events(words, sources, list); !done) return done.error().message.substr(0, 5);
    std::string text;
    for (const auto& spec : list) {
      const auto& attr = spec.attr;
      text += fmt::format("{}{}:{:x}:{:x}", text.empty() ? "" : " ", attr.type, attr.config, attr.config1);
      if (attr.has(abi::attr_flag::ExcludeUser)) text += "-u";
      if (attr.has(abi::attr_flag::ExcludeKernel)) text += "-k";
      if (&list[spec.leader] != &spec) text += "+";
    }
    return text;
  };
  EXPECT_EQ(encoded("INST_RETIRED:ANY_P"), "4:c0:0");
  EXPECT_EQ(encoded("inst_retired:any_p:u"), "4:c0:0-k");
  EXPECT_EQ(encoded("inst_retired:any_p:k:c=2:i"), "4:28000c0:0-u");
  EXPECT_EQ(encoded("MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30"), "4:1cd:1e");
  EXPECT_EQ(encoded("UOPS_ISSUED:ANY:t"), "4:20010e:0");
  EXPECT_EQ(encoded("RTM_RETIRED:ABORTED:intx"), "4:1000004c9:0");
  EXPECT_EQ(encoded("clx::INST_RETIRED:ANY_P,{perf::page-faults,INST_RETIRED}"), "4:c0:0 1:2:0 4:c0:0+");
  EXPECT_EQ(encoded("cycles:period=77777,Context-Switches"), "0:0:0 1:3:0");
  EXPECT_EQ(encoded("perf::PERF_COUNT_HW_CPU_CYCLES:u"), "0:0:0-k");
  EXPECT_EQ(encoded("perf::cycles:c=2"), "event");
  EXPECT_EQ(encoded("PERF_COUNT_HW_NOTHING"), "event");
  EXPECT_EQ(encoded("inst_retired:nothing"), "event");
  EXPECT_EQ(encoded("skx::INST_RETIRED"), "event");
  EXPECT_EQ(encoded("{INST_RETIRED"), "event");
  EXPECT_EQ(encoded(""), "event");
}

TEST(Breakpoints, TakeKernelSymbols) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kallsyms-{}", ::getpid());
  std::filesystem::create_directories(folder / "proc");
  std::ofstream(folder / "proc/kallsyms") << "ffffffff81000000 T _text\nffffffff82605000 D jiffies\n"
                                             "ffffffffc0201000 d counter\t[ext4]\n0000000000000000 D hidden\n";
  const auto address = [&](std::string_view words) -> std::string {
    EventSources sources(Root(folder.string()));
    EventList list;
    if (auto done = parse_events(words, sources, list); !done) return done.error().hint;
    return fmt::format("{:x}/{}", list[0].attr.config1, list[0].attr.config2);
  };
  EXPECT_EQ(address("mem:jiffies:w"), "ffffffff82605000/4");
  EXPECT_EQ(address("mem:jiffies+0x10/8:rw:k"), "ffffffff82605010/8");
  EXPECT_EQ(address("mem:counter/1:r"), "ffffffffc0201000/1");
  EXPECT_EQ(address("mem:jifies:w"), "0/4");  // perhaps a name in a program
  EXPECT_EQ(address("mem:jiffies+x:w"), "");
  const Root root(folder.string());
  EXPECT_EQ(kernel_symbol_address(root, "jifies").error().hint, "did you mean 'jiffies'?");
  EXPECT_EQ(kernel_symbol_address(root, "hidden").error().hint, "run as root, or set kernel.kptr_restrict to 0");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace peregrine
