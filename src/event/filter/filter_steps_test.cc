// Runs the steps that filters are compiled to, as BPF programs do, on records and samples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "abi/sample_filter.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/filter/field_filter.h"
#include "event/filter/filter_text.h"
#include "event/filter/sample_filter.h"
#include "support/byte_buffer.h"

namespace peregrine {
namespace {

// Runs steps over a stack of booleans; `holds` evaluates those that compare.
template <class Holds>
bool run_steps(const std::vector<sample_filter_step>& steps, const Holds& holds) {
  std::vector<bool> stack;
  const auto pop = [&] {
    if (stack.empty()) throw std::logic_error("a joint without two tests");
    const bool top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const sample_filter_step& step : steps) {
    if (step.op == kFilterNot) {
      stack.push_back(!pop());
    } else if (step.op == kFilterAnd || step.op == kFilterOr) {
      const bool right = pop(), left = pop();
      stack.push_back(step.op == kFilterAnd ? left && right : left || right);
    } else {
      stack.push_back(holds(step));
    }
  }
  EXPECT_EQ(stack.size(), 1u);
  return !stack.empty() && stack.back();
}

template <class Number>
bool compares(u16 op, Number value, Number wanted) {
  switch (op) {
    case kFilterEqual:
      return value == wanted;
    case kFilterNotEqual:
      return value != wanted;
    case kFilterLess:
      return value < wanted;
    case kFilterLessEqual:
      return value <= wanted;
    case kFilterGreater:
      return value > wanted;
    case kFilterGreaterEqual:
      return value >= wanted;
    default:
      return (value & wanted) != 0;
  }
}

// A record with fields of several sizes, with its thread and CPU.
struct Hit {
  i32 pid = 0;
  u8 kind = 0;
  i64 state = 0;
  u64 sector = 0;
  u32 cpu = 0, common_pid = 0;
};

TraceFormat hit_format() {
  return *parse_trace_format("s",
                             "name: hit\nID: 1\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                             "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
                             "\tfield:u8 kind;\toffset:12;\tsize:1;\tsigned:0;\n"
                             "\tfield:long state;\toffset:16;\tsize:8;\tsigned:1;\n"
                             "\tfield:u64 sector;\toffset:24;\tsize:8;\tsigned:0;\n\n"
                             "print fmt: \"%s\", __print_flags(REC->kind, \"|\", { 1, \"SYNC\" }, { 2, \"META\" })\n");
}

bool hit_passes(const std::vector<sample_filter_step>& steps, const Hit& hit) {
  support::ByteBuffer record;
  record.put32(0).put32(hit.common_pid).put32(static_cast<u32>(hit.pid)).put(hit.kind, 1).zeros(3);
  record.put64(static_cast<u64>(hit.state)).put64(hit.sector);
  return run_steps(steps, [&](const sample_filter_step& step) {
    if (step.part == kFieldCpu) return compares<u64>(step.op, hit.cpu, step.value);
    if (step.part == kFieldPid) return compares<u64>(step.op, hit.common_pid, step.value);
    const u32 size = (64u - step.shift) / 8;
    const u64 value = load_number(record.bytes(), step.part, size, ByteOrder::Little);
    if (step.bits == 0) return compares<u64>(step.op, value, step.value);
    return compares<i64>(step.op, static_cast<i64>(extend_sign(value, size)), static_cast<i64>(step.value));
  });
}

TEST(FilterSteps, OfFieldsDoWhatTheFilterSays) {
  struct Case {
    std::string_view filter;
    bool (*expected)(const Hit&);
  };
  constexpr Case kCases[] = {
      {"pid == -1", [](const Hit& h) { return h.pid == -1; }},
      {"pid < 0", [](const Hit& h) { return h.pid < 0; }},
      {"pid >= -5 && pid <= 1", [](const Hit& h) { return h.pid >= -5 && h.pid <= 1; }},
      {"kind & 3", [](const Hit& h) { return (h.kind & 3) != 0; }},
      {"!(kind & 3)", [](const Hit& h) { return (h.kind & 3) == 0; }},
      {"kind == -1", [](const Hit& h) { return h.kind == 255; }},  // sets all bits of an unsigned field
      {"kind == SYNC|META", [](const Hit& h) { return h.kind == 3; }},
      {"state > -2", [](const Hit& h) { return h.state > -2; }},
      {"state == 0x8000000000000000", [](const Hit& h) { return h.state == std::numeric_limits<i64>::min(); }},
      {"sector > 0x7fffffffffffffff", [](const Hit& h) { return h.sector > 0x7fffffffffffffff; }},
      {"sector != -1", [](const Hit& h) { return h.sector != ~u64{0}; }},
      {"pid == 1 || pid == 1000 && kind == 0",
       [](const Hit& h) { return h.pid == 1 || (h.pid == 1000 && h.kind == 0); }},
      {"(pid == 1 || pid == 1000) && kind == 0",
       [](const Hit& h) { return (h.pid == 1 || h.pid == 1000) && h.kind == 0; }},
      {"!(pid == 1 || !(kind == 3)) || state == 7",
       [](const Hit& h) { return (h.pid != 1 && h.kind == 3) || h.state == 7; }},
      {"cpu == 2 && common_pid != 9", [](const Hit& h) { return h.cpu == 2 && h.common_pid != 9; }},
      {"!!!(cpu == 2)", [](const Hit& h) { return h.cpu != 2; }},
  };
  const TraceFormat format = hit_format();
  for (const auto& [filter, expected] : kCases) {
    const auto steps = parse_field_filter(filter, format);
    ASSERT_TRUE(steps) << filter << ": " << steps.error().what;
    for (const i32 pid : {-5, -1, 0, 1, 1000})
      for (const u8 kind : {u8{0}, u8{3}, u8{255}})
        for (const i64 state : {std::numeric_limits<i64>::min(), i64{-1}, i64{7}})
          for (const u64 sector : {u64{0}, u64{1} << 63, ~u64{0}})
            for (const u32 cpu : {0u, 2u}) {
              const Hit hit{
                  .pid = pid, .kind = kind, .state = state, .sector = sector, .cpu = cpu, .common_pid = cpu + 7};
              EXPECT_EQ(hit_passes(*steps, hit), expected(hit))
                  << filter << " of " << pid << ' ' << unsigned{kind} << ' ' << state << ' ' << sector << ' ' << cpu;
            }
  }
}

TEST(FilterSteps, OfSamplesDoWhatTheFilterSays) {
  using Parts = std::map<u16, u64>;
  // A load that hit L2 (mem_lvl 2 in bits 33 to 36), latency 40 (bits 32 to 47 of the weight) and 7.
  const Parts load{{kFilterPeriod, 1000},
                   {kFilterTid, 42},
                   {kFilterDataSource, 2 | u64{2} << 33 | u64{16} << 19},
                   {kFilterWeight, 7 | u64{40} << 32},
                   {kFilterIp, 0xffffffff81000000}};
  struct Case {
    std::string_view filter;
    bool expected;
  };
  constexpr Case kCases[] = {
      {"period > 999", true},
      {"period > 1000", false},
      {"period >= 1000 && tid == 42", true},
      {"period < 1000 || tid == 42", true},
      {"period < 1000, tid == 42", false},  // a comma is an "and" with the lowest precedence
      {"tid == 1 || tid == 42, period == 1000", true},
      {"ip >= 0xffffffff80000000", true},
      {"!(ip & 0x8000000000000000)", false},
      {"mem_op == load", true},
      {"mem_op == store", false},
      {"mem_lvl == l2", true},
      {"mem_lvl < l3", true},
      {"mem_snoop == hitm", true},
      {"mem_snoop == fwd", false},
      {"weight == 7", true},
      {"weight2 == 40 && ins_lat == 40", true},
      {"weight3 == 0 && retire_lat == 0", true},
      {"uid == 0", true},
  };
  for (const auto& [text, expected] : kCases) {
    const auto filter = parse_sample_filter(text);
    ASSERT_TRUE(filter) << text << ": " << filter.error().what;
    const bool passes = run_steps(filter->steps, [&](const sample_filter_step& step) {
      const auto part = load.find(step.part);
      u64 value = part == load.end() ? 0 : part->second >> step.shift;
      if (step.bits != 0) value &= (u64{1} << step.bits) - 1;
      return compares<u64>(step.op, value, step.value);
    });
    EXPECT_EQ(passes, expected) << text;
  }
}

// The filter written for the kernel needs no further translation.
TEST(FilterSteps, TheKernelsTextStaysAsItIs) {
  const TraceFormat format = hit_format();
  for (const char* filter : {"pid==1", "kind == SYNC|META", "kind == -1", "sector == 8:0",
                             "state == 0xffffffffffffffff", "!(pid<-3||cpu==1)", "comm ~ *sh && comm != 'a b'",
                             "comm !~ x", "((pid == 1))", "cpu == CPUS{0-3}", "sector.function == schedule"}) {
    const auto once = kernel_filter(filter, format);
    ASSERT_TRUE(once) << filter << ": " << once.error().what;
    const auto twice = kernel_filter(*once, format);
    ASSERT_TRUE(twice) << *once << ": " << twice.error().what;
    EXPECT_EQ(*twice, *once);
  }
}

TEST(FilterSteps, OperatorsFitTheField) {
  const auto operators = [](std::string_view declaration, unsigned size) {
    const auto format = parse_trace_format(
        "s",
        fmt::format("name: x\nID: 1\nformat:\n\n\tfield:{};\toffset:8;\tsize:{};\tsigned:0;\n", declaration, size));
    return filter_operators(format->fields.at(0));
  };
  constexpr std::string_view kNumber = "== != <= >= < > &", kText = "== != ~ !~";
  EXPECT_EQ(operators("int x", 4), kNumber);
  EXPECT_EQ(operators("void * x", 8), kNumber);
  EXPECT_EQ(operators("char x[16]", 16), kText);
  EXPECT_EQ(operators("__data_loc char[] x", 4), kText);
  EXPECT_EQ(operators("const char * x", 8), kText);
  EXPECT_EQ(operators("__data_loc cpumask_t x", 4), "== != & (CPUS{…})");
  EXPECT_EQ(operators("u8 x[6]", 6), "none");
  EXPECT_EQ(operators("struct timespec x", 16), "none");
}

TEST(FilterSymbols, AreTheNamesThatTheEventPrints) {
  const auto format = parse_trace_format(
      "s",
      "name: x\nID: 1\nformat:\n\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:0;\n"
      "\tfield:int ab;\toffset:12;\tsize:4;\tsigned:0;\n\n"
      "print fmt: \"%s %s %s\", __print_symbolic(REC->ab, { 7, \"SEVEN\" }, { 0x10, \"A}\" }, { 9, \"NINE\" }), "
      "__print_flags(REC->a & 0xff, \"|\", { (4UL), \"FOUR\" }, { 1U, \"ONE\" }, { 1 << 3, \"EIGHT\" }), "
      "__print_symbolic(REC->a, { 2, \"TWO\" })");
  ASSERT_TRUE(format);
  struct Case {
    std::string_view field, name;
    std::optional<u64> value;
  };
  constexpr Case kCases[] = {
      {"ab", "SEVEN", 7},     {"ab", "A}", 16},    {"ab", "NINE", 9}, {"a", "FOUR", 4},
      {"a", "FOUR|ONE", 5},   {"a", "ONE|ONE", 1}, {"a", "TWO", 2},  // from its second table
      {"a", "SEVEN", {}},                                            // from another field
      {"a", "EIGHT", {}},                                            // expressions are not evaluated
      {"a", "FOUR|NINE", {}}, {"a", "FOUR|", {}},  {"a", "", {}},     {"b", "ONE", {}},
  };
  for (const auto& [field, name, value] : kCases) EXPECT_EQ(symbol_value(*format, field, name), value) << name;
}

}  // namespace
}  // namespace peregrine
