#include "event/vendor/event_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sys/hardware/pmu.h"

namespace peregrine {
namespace {

// The only event in a file with these members besides the name.
NamedEvent event_with(std::string_view members) {
  const auto file = parse_event_file(fmt::format(R"([{{"EventName": "x", {}}}])", members), "f");
  EXPECT_TRUE(file && file->events.size() == 1 && file->problems.empty()) << members;
  return file && !file->events.empty() ? file->events[0] : NamedEvent();
}

// "" if the file has no problems.
std::string problem_of(std::string_view members) {
  const auto file = parse_event_file(fmt::format(R"([{{"EventName": "x", {}}}])", members), "f");
  if (!file) return file.error().message;
  return file->problems.empty() ? "" : file->problems[0];
}

TEST(EventFileMembers, BecomeTerms) {
  struct Case {
    std::string_view members, terms;
  };
  constexpr Case kCases[] = {
      {R"("EventCode": "0x3c")", "event=0x3c"},
      {R"("EventCode": "0")", "event=0"},
      {R"("EventCode": 60, "UMask": 1)", "event=60,umask=1"},
      {R"("EventCode": "1", "UMask": "0x00", "CounterMask": "0", "Invert": "0x0")", "event=1"},
      {R"("EventCode": "1", "CounterMask": "2", "Invert": "1", "EdgeDetect": "1", "AnyThread": "1")",
       "event=1,cmask=2,inv=1,edge=1,any=1"},
      {R"("EventCode": "1", "UMaskExt": "0x7", "PortMask": "0x1", "FCMask": "0x4")",
       "event=1,umask_ext=0x7,ch_mask=0x1,fc_mask=0x4"},
      {R"("ConfigCode": "0x8000000002")", "config=0x8000000002"},
      {R"("EventCode": "0xB7, 0xBB", "MSRIndex": "0x1a6, 0x1a7", "MSRValue": "0x3F80")",
       "event=0xB7,offcore_rsp=0x3F80"},
      {R"("EventCode": "0xcd", "MSRIndex": "0x3F6", "MSRValue": "0x80")", "event=0xcd,ldlat=0x80"},
      {R"("EventCode": "0xc6", "MSRIndex": "0x3F7", "MSRValue": "0x12")", "event=0xc6,frontend=0x12"},
      {R"("EventCode": "0xc6", "MSRIndex": "0x3F7", "MSRValue": "0x00")", "event=0xc6"},
      {R"("EventCode": "0xc6", "MSRIndex": "0x999", "MSRValue": "0x12")", "event=0xc6"},
      {R"("EventCode": "0x35", "Filter": "filter_opc=0x182")", "event=0x35,filter_opc=0x182"},
      {R"("EventCode": "1", "SampleAfterValue": "2000003", "Unknown": [1])", "event=1,period=2000003"},
  };
  for (const auto& [members, terms] : kCases) EXPECT_EQ(event_with(members).event.terms, terms) << members;
}

TEST(EventFileMembers, UnitsAreNamedLikePmus) {
  struct Case {
    std::string_view unit, pmu;
  };
  constexpr Case kCases[] = {
      {"iMC", "uncore_imc"},
      {"CHA", "uncore_cha"},
      {"UPI LL", "uncore_upi"},
      {"CBO", "uncore_cbox"},
      {"DFPMC", "amd_df"},
      {"L3PMC", "amd_l3"},
      {"CPU-M-CF", "cpum_cf"},
      {"cpu", ""},
      {"", ""},
      {"uncore_imc", "uncore_imc"},
      {"cpu_atom", "cpu_atom"},
      {"imc", "imc"},
  };
  for (const auto& [unit, pmu] : kCases)
    EXPECT_EQ(event_with(fmt::format(R"("EventCode": "1", "Unit": "{}")", unit)).pmu, pmu) << unit;
}

TEST(EventFileMembers, AScaleIsANumberBeforeItsUnit) {
  struct Case {
    std::string_view text;
    bool has_scale;
    double scale;
    std::string_view unit;
  };
  constexpr Case kCases[] = {
      {"64Bytes", true, 64, "Bytes"}, {"6.103515625E-5MiB", true, 6.103515625e-5, "MiB"},
      {"100%", true, 100, "%"},       {"2.5 Joules", true, 2.5, "Joules"},
      {"1000", true, 1000, ""},       {"-1x", true, -1, "x"},
      {"Bytes", false, 1, ""},        {"", false, 1, ""},
      {"nanoseconds", false, 1, ""},  // neither a number nor NaN
      {"infinite", false, 1, ""},
  };
  for (const auto& [text, has_scale, scale, unit] : kCases) {
    const PmuEvent event = event_with(fmt::format(R"("EventCode": "1", "ScaleUnit": "{}")", text)).event;
    EXPECT_EQ(event.has_scale, has_scale) << text;
    EXPECT_DOUBLE_EQ(event.scale, scale) << text;
    EXPECT_EQ(event.unit, unit) << text;
  }
}

TEST(EventFileMembers, DescribeTheEvent) {
  const NamedEvent event = event_with(
      R"("EventCode": "1", "BriefDescription": "short", "PublicDescription": "long", "Topic": "cache",
         "Deprecated": "1", "PerPkg": "1")");
  EXPECT_EQ(event.event.name, "x");
  EXPECT_EQ(event.description, "short");
  EXPECT_EQ(event.long_description, "long");
  EXPECT_EQ(event.topic, "cache");
  EXPECT_TRUE(event.deprecated);
  EXPECT_TRUE(event.event.per_package);
  EXPECT_EQ(event.other, "");  // unknown to libpfm4
  const NamedEvent plain = event_with(R"("EventCode": "1", "Deprecated": "0", "PerPkg": "0")");
  EXPECT_FALSE(plain.deprecated);
  EXPECT_FALSE(plain.event.per_package);
  EXPECT_FALSE(plain.event.usual_latency);
}

TEST(EventFileMembers, AnEventNeedsACode) {
  constexpr std::string_view kNoCode = "f: event 1 'x': missing EventCode or ConfigCode";
  EXPECT_EQ(problem_of(R"("BriefDescription": "?")"), kNoCode);
  EXPECT_EQ(problem_of(R"("EventCode": "")"), kNoCode);
  EXPECT_EQ(problem_of(R"("EventCode": ["1"])"), kNoCode);
  // A filter and a register are only added to an event code.
  EXPECT_EQ(problem_of(R"("Filter": "filter_opc=0x182")"), kNoCode);
  EXPECT_EQ(problem_of(R"("MSRIndex": "0x3F6", "MSRValue": "0x80")"), kNoCode);
}

TEST(EventFileMembers, NumbersMustBeNumbers) {
  EXPECT_EQ(problem_of(R"("EventCode": "1", "UMask": "all")"), "f: event 1 'x': UMask is not a number: 'all'");
  EXPECT_EQ(problem_of(R"("EventCode": "0xZZ")"), "f: event 1 'x': EventCode is not a number: '0xZZ'");
  EXPECT_EQ(problem_of(R"("EventCode": "-1")"), "f: event 1 'x': EventCode is not a number: '-1'");
  EXPECT_EQ(problem_of(R"("EventCode": "1", "SampleAfterValue": "99999999999999999999")"),
            "f: event 1 'x': SampleAfterValue is not a number: '99999999999999999999'");
}

TEST(EventFileDocument, IsAnArrayOfObjects) {
  const auto refused = [](std::string_view text) {
    const auto file = parse_event_file(text, "mine.json");
    return file ? "accepted" : file.error().message;
  };
  EXPECT_EQ(refused(""), "mine.json: not JSON");
  EXPECT_EQ(refused("[{]"), "mine.json: not JSON");
  EXPECT_EQ(refused(R"({"EventName": "x"})"), "mine.json: not an array of objects");
  EXPECT_EQ(refused("7"), "mine.json: not an array of objects");
  EXPECT_EQ(refused(R"([{}, "x"])"), "mine.json: entry 2 is not an object");
}

TEST(EventFileDocument, OneProblemDoesNotHideOtherEvents) {
  const auto file = parse_event_file(
      R"([{"EventName": "a", "EventCode": "1"}, {"EventName": "b"}, {"MetricName": "m", "MetricExpr": "a"},
          {"EventName": "c", "EventCode": "z"}, {"EventName": "d", "EventCode": "2"}])",
      "f");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->events.size(), 2u);
  EXPECT_EQ(file->events[1].event.name, "d");
  EXPECT_EQ(file->problems, (std::vector<std::string>{"f: event 2 'b': missing EventCode or ConfigCode",
                                                      "f: event 4 'c': EventCode is not a number: 'z'"}));
  const auto empty = parse_event_file("[]", "f");
  EXPECT_TRUE(empty && empty->events.empty() && empty->problems.empty());
}

}  // namespace
}  // namespace peregrine
