#include "event/print/print_parser.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "event/field/trace_format.h"
#include "event/print/print_names.h"

namespace peregrine {
namespace {

// A program with the fields "flags" (u32), "small" (s16) and "list" (u16[4]), and the source of a print format.
struct Compiled {
  explicit Compiled(std::string_view print_fmt, u8 long_size = 8) {
    const auto format = parse_trace_format(
        "s",
        "name: x\nID: 1\nformat:\n\n\tfield:u32 flags;\toffset:0;\tsize:4;\tsigned:0;\n"
        "\tfield:s16 small;\toffset:4;\tsize:2;\tsigned:1;\n\tfield:u16 list[4];\toffset:8;\tsize:8;\tsigned:0;\n");
    program.order = ByteOrder::Little;
    program.long_size = long_size;
    program.fields = format->fields;
    error = parse_print_format(print_fmt, program);
  }
  PrintFormat::Program program;
  std::string error;
};

// Evaluates a constant expression.
u64 constant(const std::string& expression, u8 long_size = 8) {
  const Compiled compiled("\"%-llu\", " + expression, long_size);
  EXPECT_EQ(compiled.error, "") << expression;
  if (compiled.program.steps.size() != 1) return ~u64{0};
  const PrintNode& node = compiled.program.nodes[compiled.program.steps[0].node];
  EXPECT_EQ(node.kind, PrintNode::Kind::Number) << expression << " is not constant";
  return node.value;
}

std::string parse_failure(const std::string& arguments) { return Compiled("\"%d\", " + arguments).error; }

TEST(PrintParser, OperatorsBindAsInC) {
  struct Case {
    const char* expression;
    u64 value;
  };
  constexpr Case kCases[] = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"20 - 4 - 3", 13},
      {"100 / 10 / 5", 2},
      {"17 % 10 * 2", 14},
      {"1 << 2 + 1", 8},
      {"256 >> 4 >> 2", 4},
      {"5 & 3 == 3", 1},
      {"6 & 3 | 8", 10},
      {"6 ^ 3 & 1", 7},
      {"1 | 6 ^ 2", 5},
      {"2 < 3 == 1", 1},
      {"3 > 2 > 1", 0},
      {"4 <= 4 != 0", 1},
      {"0 && 1 || 1", 1},
      {"1 || 1 && 0", 1},
      {"0 ? 1 : 0 ? 2 : 3", 3},
      {"1 ? 0 ? 4 : 5 : 6", 5},
      {"1 || 0 ? 7 : 8", 7},
      {"!0 + 1", 2},
      {"!!5", 1},
      {"~0 & 0xff", 255},
      {"-1 & 0xffff", 0xffff},
      {"- -3", 3},
      {"+4", 4},
      {"2 * -3 + 10", 4},
  };
  for (const auto& [expression, value] : kCases) EXPECT_EQ(constant(expression), value) << expression;
}

TEST(PrintParser, ReadsEverySpellingOfANumber) {
  struct Case {
    const char* expression;
    u64 value;
  };
  constexpr Case kCases[] = {
      {"0", 0},
      {"42", 42},
      {"0x2A", 42},
      {"052", 42},
      {"1U", 1},
      {"1UL", 1},
      {"1ULL", 1},
      {"1l", 1},
      {"0xffffffffffffffffULL", ~u64{0}},
      {"'A'", 65},
      {"'\\n'", 10},
      {"'\\0'", 0},
      {"'\\''", 39},
      {"NET_RX_SOFTIRQ", 3},
      {"HRTIMER_RESTART", 1},
  };
  for (const auto& [expression, value] : kCases) EXPECT_EQ(constant(expression), value) << expression;
}

TEST(PrintParser, DivisionByZeroIsZero) {
  EXPECT_EQ(constant("1 / 0"), 0u);
  EXPECT_EQ(constant("7 % 0"), 0u);
}

TEST(PrintParser, CastsKeepTheBytesOfTheType) {
  EXPECT_EQ(constant("(u8)0x1ff"), 0xffu);
  EXPECT_EQ(constant("(unsigned short) 0x12345"), 0x2345u);
  EXPECT_EQ(constant("(u32)-1"), 0xffffffffu);
  EXPECT_EQ(constant("(u64)-1"), ~u64{0});
  EXPECT_EQ(constant("(gfp_t)5"), 5u);  // unknown size: unchanged
  // Not a cast, but a name in parentheses.
  EXPECT_EQ(constant("(TIMER_SOFTIRQ) + 1"), 2u);
  EXPECT_EQ(constant("(3) - 1"), 2u);
}

TEST(PrintParser, SizesFollowTheRecordedMachine) {
  EXPECT_EQ(constant("sizeof(long)"), 8u);
  EXPECT_EQ(constant("sizeof(long)", 4), 4u);
  EXPECT_EQ(constant("(unsigned long)-1", 4), 0xffffffffu);
  EXPECT_EQ(constant("sizeof(REC->list)"), 8u);
  EXPECT_EQ(constant("sizeof(struct page *)", 4), 4u);
}

TEST(PrintParser, KnowsTheSizesOfTypes) {
  struct Case {
    std::string_view type;
    u8 on_64_bits, on_32_bits;
  };
  constexpr Case kCases[] = {
      {"char", 1, 1},
      {"unsigned char", 1, 1},
      {"bool", 1, 1},
      {"__u8", 1, 1},
      {"short", 2, 2},
      {"__be16", 2, 2},
      {"unsigned short", 2, 2},
      {"int", 4, 4},
      {"unsigned", 4, 4},
      {"unsigned int", 4, 4},
      {"u32", 4, 4},
      {"const u32", 4, 4},
      {"long", 8, 4},
      {"unsigned long", 8, 4},
      {"size_t", 8, 4},
      {"long long", 8, 8},
      {"unsigned long long", 8, 8},
      {"s64", 8, 8},
      {"void *", 8, 4},
      {"const char *", 8, 4},
      {"int  ", 4, 4},
      {"struct page", 0, 0},
      {"", 0, 0},
      {"pid_t", 0, 0},
  };
  for (const auto& [type, on_64_bits, on_32_bits] : kCases) {
    EXPECT_EQ(size_of_type(type, 8), on_64_bits) << type;
    EXPECT_EQ(size_of_type(type, 4), on_32_bits) << type;
  }
}

TEST(PrintParser, FieldsThatTheFormatLacksReadAsZero) {
  EXPECT_EQ(constant("REC->nothing + 1"), 1u);
  EXPECT_EQ(constant("(REC)->nothing"), 0u);
}

TEST(PrintParser, ConstantsAreFoldedButFieldsAreNot) {
  const Compiled compiled(R"("%-d", (1 << 3 | 2) + REC->flags)");
  const PrintNode& sum = compiled.program.nodes[compiled.program.steps.at(0).node];
  ASSERT_EQ(sum.kind, PrintNode::Kind::Binary);
  EXPECT_EQ(compiled.program.nodes[sum.a].kind, PrintNode::Kind::Number);
  EXPECT_EQ(compiled.program.nodes[sum.a].value, 10u);
  EXPECT_EQ(compiled.program.nodes[sum.b].kind, PrintNode::Kind::Field);
}

TEST(PrintParser, TablesAreKeptWithTheirField) {
  const Compiled compiled(
      R"("%s %s", __print_flags(REC->flags & 7, "|", { 1, "A" }, { 1 << 1, "B" "b" }, {-1, NULL }), )"
      R"(__print_symbolic(REC->small >> 2, { KERNEL_ONE, "one" }, { '\n', "line" }))");
  ASSERT_EQ(compiled.error, "");
  ASSERT_EQ(compiled.program.tables.size(), 2u);
  const PrintNames &flags = compiled.program.tables[0], &symbols = compiled.program.tables[1];
  EXPECT_EQ(flags.field, "flags");
  EXPECT_TRUE(flags.flags);
  EXPECT_EQ(flags.delimiter, "|");
  ASSERT_EQ(flags.words.size(), 2u);  // the pair with NULL terminates the table
  EXPECT_EQ(flags.words[1].value, 2u);
  EXPECT_EQ(flags.words[1].text, "Bb");
  EXPECT_EQ(symbols.field, "small");
  EXPECT_FALSE(symbols.flags);
  EXPECT_EQ(symbols.words.at(0).value, std::nullopt);  // not defined by the format
  EXPECT_EQ(symbols.words.at(1).value, 10u);
}

TEST(PrintParser, SaysWhatItDoesNotUnderstand) {
  struct Case {
    const char* arguments;
    std::string_view error;
  };
  constexpr Case kCases[] = {
      {"nice(REC->flags)", "unknown function nice before 'REC->flags)'"},
      {"(1 + 2", "missing ')' before ''"},
      {"1 +", "missing operand before ''"},
      {"1 ? 2", "missing ':' before ''"},
      {"REC.flags", "missing '->' before '.flags'"},
      {"REC->1", "missing field name before '1'"},
      {"REC->list[0", "missing ']' before ''"},
      {"0x", "'0x' is not a number before ''"},
      {"12q", "'12q' is not a number before ''"},
      {"'a", "unterminated character before ''a'"},
      {"sizeof(u32", "unterminated sizeof before 'u32'"},
      {"sizeof(struct page)", "unknown type size before 'struct page)'"},
      {"__get_str(7)", "missing field name before '7)'"},
      {"__print_hex(REC->list)", "missing ',' before ')'"},
      {"__print_flags(REC->flags, 1)", "missing string before '1)'"},
      {"__print_symbolic(REC->flags, [1])", "missing '{' before '[1])'"},
      {"__print_dynamic_array(nothing, 4)", "array is not a field before ', 4)'"},
      {"\"open", "unterminated string before '\"open'"},
      {"", "missing operand before ''"},
      {"@", "missing operand before '@'"},
  };
  for (const auto& [arguments, error] : kCases) EXPECT_EQ(parse_failure(arguments), error) << arguments;
}

TEST(PrintParser, SaysWhatIsMissing) {
  EXPECT_EQ(Compiled("").error, "missing string before ''");
  EXPECT_EQ(Compiled("REC->flags").error, "missing string before 'REC->flags'");
  EXPECT_EQ(Compiled("\"%d %d\", 1").error, "missing argument before ''");
  EXPECT_EQ(Compiled("\"%d\" 1").error, "unterminated string before '\"%d\" 1'");
  EXPECT_EQ(Compiled("\"%*d\", 1").error, "missing argument before ''");
}

TEST(PrintParser, ErrorsQuoteAtMostFortyCharacters) {
  const std::string rest(100, 'x');
  EXPECT_EQ(parse_failure("f(" + rest), "unknown function f before '" + rest.substr(0, 40) + "'");
}

TEST(PrintParser, LimitsDepthAndSize) {
  const auto nested = [](unsigned depth) { return std::string(depth, '(') + '1' + std::string(depth, ')'); };
  EXPECT_EQ(parse_failure(nested(20)), "");
  EXPECT_TRUE(parse_failure(nested(200)).starts_with("nested too deeply before ")) << parse_failure(nested(200));
  // A tree that leans to the left needs no nesting, however deep it is.
  std::string chain = "REC->flags";
  for (unsigned i = 0; i < 150; ++i) chain += " + REC->flags";
  EXPECT_TRUE(parse_failure(chain).starts_with("expression too large before ")) << parse_failure(chain);
  // So many arguments that the limit on nodes is exceeded.
  std::string format = "\"", arguments;
  for (std::size_t i = 0; i < PrintFormat::Program::kMostNodes; ++i) {
    format += "%d";
    arguments += ", REC->flags";
  }
  EXPECT_TRUE(Compiled(format + '"' + arguments).error.starts_with("expression too large before "));
}

}  // namespace
}  // namespace peregrine
