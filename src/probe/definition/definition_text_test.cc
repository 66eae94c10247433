// Messages about mistakes in definitions, and formatted parts that parse back to the same values.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "probe/definition/definition.h"

namespace peregrine {
namespace {

struct Mistake {
  const char *text, *message;
};

TEST(ProbeDefinitionMistakes, NameTheWordAndTheReason) {
  const Mistake cases[] = {
      {"", "empty probe definition"},
      {"work+x", "'x' in the probe definition 'work+x': not an offset in bytes (such as 16 or 0x10)"},
      {"work:x", "'x' in the probe definition 'work:x': not a line number"},
      {"work:-1", "'-1' in the probe definition 'work:-1': not a line number"},
      {"work:4294967296", "'4294967296' in the probe definition 'work:4294967296': not a line number"},
      {"work%exit", "'%exit' in the probe definition 'work%exit': only %return can follow a function"},
      {"work@", "'@' in the probe definition 'work@': expected a source file"},
      {"work@a.c@b.c", "'b.c' in the probe definition 'work@a.c@b.c': duplicate source file"},
      {"work;", "';' in the probe definition 'work;': expected a pattern of the source line"},
      {"work:3;x", "'x' in the probe definition 'work:3;x': a pattern cannot be combined with a line or an offset"},
      {"work:3+4", "'+' in the probe definition 'work:3+4': a line cannot be combined with an offset"},
      {"work+4%return",
       "'%return' in the probe definition 'work+4%return': %return cannot be combined with an offset, a line or a "
       "pattern"},
      {"@main.c",
       "'main.c' in the probe definition '@main.c': a source file needs a line number (FILE:LINE) or a "
       "pattern (FILE;PATTERN)"},
      {"+4", "probe definition '+4' has no function or source file"},
      {"1st=work",
       "'1st' in the probe definition '1st=work': invalid event name: must be letters, digits, _, and not start with a "
       "digit"},
      {"a-b:c=work", "'a-b' in the probe definition 'a-b:c=work': invalid group name: must be letters, digits, _"},
  };
  for (const Mistake& each : cases) {
    const auto definition = parse_probe(each.text);
    ASSERT_FALSE(definition) << each.text;
    EXPECT_EQ(definition.error().message, each.message);
    EXPECT_EQ(definition.error().kind, ErrorKind::Usage) << each.text;
  }
}

TEST(ProbeDefinitionMistakes, OfArgumentsQuoteTheArgumentOnly) {
  const Mistake cases[] = {
      {"1a=b", "'1a' in the probe definition '1a=b': invalid field name: must be letters, digits, _"},
      {"a-b", "'-b' in the probe definition 'a-b': expected ->, . or ["},
      {"a[3", "'[3' in the probe definition 'a[3': missing ']'"},
      {"a[i]", "'[i]' in the probe definition 'a[i]': an index must be a number"},
      {"a->", "'' in the probe definition 'a->': missing member name"},
      {"a:", "':' in the probe definition 'a:': expected a type (u8…u64, s8…s64, x8…x64, string, …)"},
      {"a=", "'a=' in the probe definition 'a=': nothing to fetch"},
      {"(int)%di", "'%di' in the probe definition '(int)%di': only a variable can be cast"},
  };
  for (const Mistake& each : cases) {
    const auto definition = parse_probe(std::string("work ") + each.text);
    ASSERT_FALSE(definition) << each.text;
    EXPECT_EQ(definition.error().message, each.message);
  }
}

TEST(ProbePlaceText, ReadsBackAsTheSamePlace) {
  for (const char* text : {"work", "work+16", "work%return", "work:6", "work:6@prog.c", "work@net/tcp.c", "@prog.c:45",
                           "work+16@prog.c", "work%return@prog.c", "ns::A::get:3", "0x401000"}) {
    const auto place = parse_probe_place(text);
    ASSERT_TRUE(place) << text << ": " << place.error().message;
    EXPECT_EQ(place->text(), text);
  }
  EXPECT_EQ(parse_probe_place("prog.c:45")->text(), "@prog.c:45") << "the same place, written like the others";
  EXPECT_EQ(parse_probe_place("work:0")->text(), "work") << "the line of the declaration is the entry";
  EXPECT_EQ(parse_probe_place(" work+0x10 ")->text(), "work+16");
}

TEST(ProbeArgumentText, ReadsBackAsTheSameArgument) {
  for (const char* text :
       {"n", "name:string", "o->in.arr[3]:x8", "o.in->next", "a[-1]", "(struct sock *)p->sk", "%di", "$retval:s32",
        "+8(%si):u32", "\\42:u8", "v@user", "p->name:string@user", "@0x1000", "@counter+8:u64"}) {
    const auto definition = parse_probe(std::string("work ") + text);
    ASSERT_TRUE(definition) << text << ": " << definition.error().message;
    ASSERT_EQ(definition->arguments.size(), 1u) << text;
    EXPECT_EQ(definition->arguments[0].text(), text);
    EXPECT_EQ(definition->arguments[0].name, "") << text;
    const auto named = parse_probe(std::string("work field=") + text);
    ASSERT_TRUE(named) << text;
    EXPECT_EQ(named->arguments[0].name, "field");
    EXPECT_EQ(named->arguments[0].text(), text) << "without the name of the field";
  }
}

TEST(ProbeArgumentText, TellsVariablesFromTheKernelsSyntax) {
  const auto is_variable = [](const char* text) { return parse_probe(text)->arguments.at(0).is_variable(); };
  for (const char* text : {"work n", "work _n", "work (int)n", "work n->next", "work ns::counter"})
    EXPECT_TRUE(is_variable(text)) << text;
  for (const char* text : {"work %di", "work $retval", "work +0(%di)", "work @counter", "work \\5"})
    EXPECT_FALSE(is_variable(text)) << text;
}

TEST(CNames, AreIdentifiers) {
  for (const char* name : {"a", "_", "A9", "__x_1"}) EXPECT_TRUE(is_c_name(name)) << name;
  for (const char* name : {"", "9a", "a-b", "a.b", "a b", "\xc3\xa4"}) EXPECT_FALSE(is_c_name(name)) << name;
}

TEST(LineRanges, MistakesAreNamed) {
  const Mistake cases[] = {
      {"work:6-4", "'6-4' in the probe definition 'work:6-4': the last line is before the first"},
      {"work:x", "'x' in the probe definition 'work:x': not a line number"},
      {"work:3-", "'' in the probe definition 'work:3-': not a line number"},
      {"work:3+x", "'x' in the probe definition 'work:3+x': not a line number"},
      {"work:2+4294967295",
       "'2+4294967295' in the probe definition 'work:2+4294967295': the last line is before the "
       "first"},
      {":3", "':3' in the probe definition ':3': expected a function or source file before the lines"},
      {"", "'' in the probe definition '': expected a function or source file before the lines"},
  };
  for (const Mistake& each : cases) {
    const auto range = parse_line_range(each.text);
    ASSERT_FALSE(range) << each.text;
    EXPECT_EQ(range.error().message, each.message);
  }
}

TEST(LineRanges, CountFromTheFirst) {
  struct Case {
    const char* text;
    u32 first;
    std::optional<u32> last;
  };
  for (const Case& each :
       {Case{"work", 0, std::nullopt}, Case{"work:4", 4, std::nullopt}, Case{"work:4-4", 4, 4}, Case{"work:4+1", 4, 4},
        Case{"work:4+0", 4, 4}, Case{"work:0+10", 0, 9}, Case{" work:1-4294967295 ", 1, 4294967295}}) {
    const auto range = parse_line_range(each.text);
    ASSERT_TRUE(range) << each.text << ": " << range.error().message;
    EXPECT_EQ(range->function, "work");
    EXPECT_EQ(range->first, each.first) << each.text;
    EXPECT_EQ(range->last, each.last) << each.text;
  }
}

}  // namespace
}  // namespace peregrine
