#include "script/generate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace peregrine::script {
namespace {

EventPlan generated_event(std::string handler, std::vector<FieldPlan> fields) {
  EventPlan plan;
  plan.handler = std::move(handler);
  plan.fields = std::move(fields);
  return plan;
}

// Only the handlers: from the first one to the common end of all scripts.
std::string python_handlers(const std::vector<EventPlan>& plans) {
  const std::string text = python_script(plans), none = python_script({});
  const auto [begin, ignored] = std::ranges::mismatch(text, none);
  const std::size_t size = text.size() - none.size();
  return std::string(begin, begin + static_cast<std::ptrdiff_t>(size));
}

std::size_t count_in(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(GeneratePython, FormatsNumbersAsNumbersAndTheRestAsText) {
  const std::string text =
      python_script(std::vector{generated_event("town__shout", {{.name = "level", .kind = FieldKind::Signed},
                                                                {.name = "size", .kind = FieldKind::Unsigned},
                                                                {.name = "who", .kind = FieldKind::Text},
                                                                {.name = "pair", .kind = FieldKind::List}})});
  EXPECT_EQ(count_in(text, "def town__shout(event_name, context, common_cpu, "), 1u);
  EXPECT_EQ(count_in(text, "    print(\"level=%d, size=%d, who=%s, pair=%s\" %\n          (level, size, who, pair))\n"),
            1u);
}

// In Python, "(x)" is x, and "(x,)" is a tuple of it.
TEST(GeneratePython, OneValueIsATupleToo) {
  const std::string text = python_script(std::vector{generated_event("a__b", {{.name = "x"}})});
  EXPECT_EQ(count_in(text, "    print(\"x=%d\" %\n          (x,))\n"), 1u);
}

TEST(GeneratePython, NamesOfValuesAreAskedFor) {
  EventPlan plan = generated_event("irq__raise", {{.name = "vec"}, {.name = "mask"}});
  plan.names = {{.field = "vec", .delimiter = "", .flags = false, .names = {{1, "TIMER"}}},
                {.field = "mask", .delimiter = "|", .flags = true, .names = {{1, "A"}}}};
  const std::string python = python_script(std::vector{plan}), perl = perl_script(std::vector{plan});
  EXPECT_EQ(count_in(python, "symbol_str(\"irq__raise\", \"vec\", vec), flag_str(\"irq__raise\", \"mask\", mask)"), 1u);
  EXPECT_EQ(count_in(python, "\"vec=%s, mask=%s\""), 1u) << "names are texts";
  EXPECT_EQ(
      count_in(perl, "symbol_str(\"irq::raise\", \"vec\", $vec),\n        flag_str(\"irq::raise\", \"mask\", $mask)"),
      1u);
}

TEST(GeneratePython, LongListsAreWrapped) {
  std::vector<FieldPlan> fields;
  for (int i = 0; i < 40; ++i) fields.push_back({.name = fmt::format("a_rather_long_field_{}", i)});
  const std::string text = python_handlers({generated_event("town__shout", fields)});
  std::size_t parameter_lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("           ")) {
      ++parameter_lines;
      EXPECT_LE(line.size(), 112u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    at = end + 1;
  }
  EXPECT_GT(parameter_lines, 10u);
}

TEST(Generated, HasOneHandlerForEachTracepointOnly) {
  const std::vector plans{generated_event("a__b", {{.name = "x"}}), generated_event("", {}),
                          generated_event("a__b", {{.name = "x"}}), generated_event("a__c", {{.name = "x"}})};
  const std::string python = python_script(plans), perl = perl_script(plans);
  EXPECT_EQ(count_in(python, "\ndef a__"), 2u);
  EXPECT_EQ(count_in(perl, "\nsub a::"), 2u);
}

TEST(Generated, IsWholeWithoutAnyTracepoint) {
  const std::string python = python_script({}), perl = perl_script({});
  for (const char* name : {"trace_begin", "trace_end", "trace_unhandled", "process_event", "print_header"}) {
    EXPECT_EQ(count_in(python, std::string("\ndef ") + name + "("), 1u) << name;
    EXPECT_EQ(count_in(perl, std::string("\nsub ") + name + "\n"), 1u) << name;
  }
}

TEST(GeneratePerl, SignedAndUnsignedNumbersDiffer) {
  const std::string text =
      perl_script(std::vector{generated_event("town__shout", {{.name = "level", .kind = FieldKind::Signed},
                                                              {.name = "size", .kind = FieldKind::Unsigned},
                                                              {.name = "who", .kind = FieldKind::Text}})});
  EXPECT_EQ(count_in(text, "\nsub town::shout\n{\n"), 1u);
  EXPECT_EQ(
      count_in(text, "    printf(\"level=%d, size=%u, who=%s\\n\",\n        $level,\n        $size,\n        $who);\n"),
      1u);
}

}  // namespace
}  // namespace peregrine::script
