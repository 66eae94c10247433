// The text of help and manual pages: line breaks, and characters with a special meaning in troff or Markdown.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/frame/command.h"
#include "cli/help/manual.h"
#include "cli/help/short_help.h"
#include "cli/option/option.h"

namespace peregrine {
namespace {

TEST(WrappedText, BreaksAtBlanksAndKeepsLines) {
  struct Case {
    std::string_view text;
    std::size_t indent, columns;
    const char* wrapped;
  };
  for (const Case& test : {
           Case{"", 2, 30, ""},
           Case{"one", 2, 30, "  one\n"},
           Case{"aaaa bbbb cccc dddd eeee", 0, 24, "aaaa bbbb cccc dddd eeee\n"},
           Case{"aaaa bbbb cccc dddd eeee", 0, 23, "aaaa bbbb cccc dddd\neeee\n"},
           Case{"aaaa bbbb cccc dddd eeee", 2, 23, "  aaaa bbbb cccc dddd\n  eeee\n"},
           Case{"first\n\nthird", 1, 80, " first\n \n third\n"},
           Case{"a-word-that-is-longer-than-a-line b", 0, 20, "a-word-that-is-longer-than-a-line\nb\n"},
           Case{"aaaa bbbb cccc dddd eeee", 10, 5, "          aaaa bbbb cccc dddd\n          eeee\n"},
       })
    EXPECT_EQ(wrapped_text(test.text, test.indent, test.columns), test.wrapped) << test.text;
}

constexpr Option kFormRows[] = {
    {.name = "delay", .letter = 'D', .value = Value::Required, .metavar = "ms", .help = "wait. Until then\n.nothing"},
    {.letter = 'x', .value = Value::Sticky, .metavar = "n", .help = "a\\b", .implied = "1"},
    {.name = "plain", .value = Value::Required, .help = "a <b> *c* [d|e]"},
};
constexpr std::string_view kFormExamples[] = {"perf form -x '\\n'|a new line", "perf form --delay 5"};
constexpr Command kForm{.name = "form",
                        .summary = "Show *all* of it",
                        .options = kFormRows,
                        .description = ".first\n'second'\n\nthird",
                        .examples = kFormExamples};

TEST(OptionRows, HaveTheFormOfTheirValue) {
  EXPECT_EQ(option_row({.name = "a", .value = Value::Required, .help = "h"}), "        --a ...           h\n");
  EXPECT_EQ(option_row({.letter = 'a', .value = Value::Required, .metavar = "n", .help = "h"}),
            "    -a <n>                h\n");
  EXPECT_EQ(option_row({.letter = 'a', .value = Value::Sticky, .metavar = "n", .help = "h"}),
            "    -a[<n>]               h\n");
  EXPECT_EQ(option_row({.name = "abc", .letter = 'a', .value = Value::Sticky, .metavar = "n", .help = "h"}),
            "    -a, --abc[=<n>]       h\n");
}

TEST(OptionRows, LongNamesHaveALineOfTheirOwn) {
  EXPECT_EQ(option_row({.name = "sixteen-letters-", .help = "h"}),
            "        --sixteen-letters-\n                          h\n");
  EXPECT_EQ(option_row({.name = "fourteen-lettr", .help = "h"}), "        --fourteen-lettr  h\n");
}

TEST(ManualForms, TroffShowsControlCharactersOfTroff) {
  const std::string troff = manual_troff(make_manual("perf", kForm), "1");
  EXPECT_TRUE(troff.contains(".PP\n\\&.first\n.br\n\\&'second'\n")) << troff;
  EXPECT_TRUE(
      troff.contains(".TP\n\\fB\\-D, \\-\\-delay <ms>\\fR\nwait. Until then\n.br\n\\&.nothing (not built yet)\n"))
      << troff;
  EXPECT_TRUE(troff.contains("\na\\eb. Without a value: 1.")) << troff;
  EXPECT_TRUE(troff.contains("\\fBperf form \\-x '\\en'\\fR\na new line\n")) << troff;
}

TEST(ManualForms, MarkdownShowsItsControlCharacters) {
  const std::string markdown = manual_markdown(make_manual("perf", kForm));
  EXPECT_TRUE(markdown.starts_with("# perf-form\n\nShow \\*all\\* of it\n")) << markdown;
  EXPECT_TRUE(markdown.contains("- `--plain ...`: a \\<b\\> \\*c\\* \\[d\\|e]")) << markdown;
  EXPECT_TRUE(markdown.contains("- `perf form -x '\\n'`: a new line\n")) << markdown;
  EXPECT_TRUE(markdown.contains("```\nperf form --delay 5\n```\n")) << markdown;
}

TEST(ManualForms, PartsHaveASectionEach) {
  static constexpr Command kInnerPart{.name = "form inner", .summary = "s", .options = kFormRows};
  static constexpr const Command* kFormParts[] = {&kInnerPart};
  constexpr Command kOuter{.name = "form", .summary = "s", .parts = kFormParts};
  const std::string text = manual_text(make_manual("perf", kOuter), 80);
  EXPECT_TRUE(text.contains("\nOPTIONS OF FORM INNER\n       -D, --delay <ms>\n")) << text;
  EXPECT_FALSE(text.contains("\nOPTIONS\n")) << "the command itself has none";
}

TEST(ManualForms, CommandsOfOursHaveNoOptionsApart) {
  static constexpr Option kOurs[] = {{.name = "new", .help = "h", .since = Since::Ours}};
  constexpr Command kTheirs{.name = "a", .summary = "s", .options = kOurs};
  constexpr Command kOursOnly{.name = "b", .summary = "s", .options = kOurs, .since = Since::Ours};
  EXPECT_TRUE(manual_text(make_manual("perf", kTheirs), 80).contains("\nONLY IN PEREGRINE\n"));
  EXPECT_TRUE(manual_text(make_manual("perf", kOursOnly), 80).contains("\nOPTIONS\n"));
  EXPECT_TRUE(short_help("perf", kTheirs).contains(" Only in peregrine:"));
  EXPECT_FALSE(short_help("perf", kOursOnly).contains(" Only in peregrine:"));
}

TEST(ShortHelpFilter, SaysThatNothingIsAboutAWord) {
  const std::string words[] = {"nothing-of-that"};
  EXPECT_TRUE(short_help("perf", kForm, words).ends_with("\n\n No option of form matches 'nothing-of-that'.\n\n"));
  const std::string letters[] = {"x"};
  const std::string text = short_help("perf", kForm, letters);
  EXPECT_TRUE(text.contains("-x[<n>]") && !text.contains("--delay")) << text;
}

}  // namespace
}  // namespace peregrine
