#include "event/term.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "abi/aux_action.h"
#include "base/result.h"
#include "event/source.h"
#include "support/machine.h"

namespace peregrine {
namespace {

// "KEY=VALUE@COLUMN:VALUE_COLUMN" for each term, or the error with its column.
std::string terms_text(std::string_view text, std::size_t column = 0) {
  const auto terms = split_terms(text, column);
  if (!terms) return fmt::format("{}: {}", terms.error().column, terms.error().what);
  std::string all;
  for (const Term& term : *terms)
    all += fmt::format("{}{}{}@{}:{} ", term.key, term.value ? "=" : "", term.value.value_or(""), term.column,
                       term.value_column);
  return all;
}

TEST(Terms, AreSeparatedByCommas) {
  EXPECT_EQ(terms_text("event=0x3c,inv,name=foo"), "event=0x3c@0:6 inv@11:14 name=foo@15:20 ");
  EXPECT_EQ(terms_text(" a=1 , b "), "a=1@1:3 b@7:9 ");
  EXPECT_EQ(terms_text(""), "");
  EXPECT_EQ(terms_text("  "), "");
  EXPECT_EQ(terms_text("a=", 4), "a=@4:6 ");  // columns refer to the whole text
}

TEST(Terms, ValuesMayBeQuoted) {
  EXPECT_EQ(terms_text("name='a,b=c',x=1"), "name=a,b=c@0:5 x=1@13:15 ");
  EXPECT_EQ(terms_text("name=\"it's\""), "name=it's@0:5 ");
  EXPECT_EQ(terms_text("name=''"), "name=@0:5 ");
}

TEST(Terms, PointAtMistakes) {
  EXPECT_EQ(terms_text("a=1,,b=2", 10), "14: parser error");
  EXPECT_EQ(terms_text(",a"), "0: parser error");
  EXPECT_EQ(terms_text("a,"), "2: parser error");
  EXPECT_EQ(terms_text("=1"), "0: parser error");
  EXPECT_EQ(terms_text("name='x"), "5: unterminated quote");
  EXPECT_EQ(terms_text("name='x'y"), "8: parser error");
}

TEST(Terms, ABareWordIsOne) {
  EXPECT_EQ((Term{.key = "inv", .value = {}}.number()), 1u);
  EXPECT_EQ((Term{.key = "a", .value = "0x10"}.number()), 16u);
  EXPECT_EQ((Term{.key = "a", .value = ""}.number()), std::nullopt);
  EXPECT_EQ((Term{.key = "a", .value = "x"}.number()), std::nullopt);
}

// The event with these terms applied, or the error.
std::string failed_term(std::string_view text, EventSpec& spec) {
  const auto terms = split_terms(text, 0);
  if (!terms) return terms.error().what;
  for (const Term& term : *terms)
    if (const auto done = apply_general_term(term, spec); !done)
      return fmt::format("{}: {}", done.error().column, done.error().what);
  return "";
}

TEST(GeneralTerms, SayHowToRecord) {
  EventSpec spec;
  ASSERT_EQ(
      failed_term("config=1,config1=2,config2=3,config3=4,name=foo,call-graph=dwarf,stack-size=4096,max-stack=7,nr=9,"
                  "time=0,percore,aux-output,aux-sample-size=8,branch_type='any,u',driver-config=@sink,"
                  "aux-action=pause,ratio-to-prev=0.5",
                  spec),
      "");
  EXPECT_EQ(spec.attr.config, 1u);
  EXPECT_EQ(spec.attr.config1, 2u);
  EXPECT_EQ(spec.attr.config2, 3u);
  EXPECT_EQ(spec.attr.config3, 4u);
  EXPECT_EQ(spec.name, "foo");
  const EventTerms expected{.time = false,
                            .callgraph = "dwarf",
                            .stack_size = 4096,
                            .max_stack = 7,
                            .max_events = 9,
                            .branch = "any,u",
                            .driver_config = "@sink",
                            .percore = true,
                            .aux_output = true,
                            .aux_sample_size = 8,
                            .aux_action = abi::aux_action::Pause,
                            .ratio_to_prev = 0.5};
  EXPECT_TRUE(spec.terms == expected);
}

TEST(GeneralTerms, TheLastOfTwoOppositesWins) {
  EventSpec spec;
  ASSERT_EQ(failed_term("period=1000,freq=99", spec), "");
  EXPECT_EQ(spec.terms.freq, 99u);
  EXPECT_EQ(spec.terms.period, std::nullopt);
  ASSERT_EQ(failed_term("period=7,inherit,no-inherit,no-overwrite,overwrite", spec), "");
  EXPECT_EQ(spec.terms.freq, std::nullopt);
  EXPECT_EQ(spec.terms.period, 7u);
  EXPECT_EQ(spec.terms.inherit, false);
  EXPECT_EQ(spec.terms.overwrite, true);
}

TEST(GeneralTerms, PointAtTheValue) {
  struct Case {
    std::string_view text, error;
  };
  constexpr Case kCases[] = {
      {"period=x", "7: expected numeric value"},
      {"period=", "7: expected numeric value"},
      {"time=2", "5: expected 0 or 1"},
      {"percore=2", "8: expected 0 or 1"},
      {"name", "4: expected string value"},
      {"name=", "5: expected string value"},
      {"aux-action=stop", "11: expected pause, resume or start-paused"},
      {"aux-sample-size=4294967296", "16: too big"},
      {"branch_type=some", "12: invalid branch sample type"},
      {"ratio-to-prev=0", "14: Invalid ratio-to-prev value"},
      {"ratio-to-prev=-1", "14: Invalid ratio-to-prev value"},
      {"ratio-to-prev=half", "14: Invalid ratio-to-prev value"},
  };
  for (const auto& [text, error] : kCases) {
    EventSpec spec;
    EXPECT_EQ(failed_term(text, spec), error) << text;
  }
  EventSpec spec;
  EXPECT_EQ(failed_term("branch_type=no,aux-sample-size=4294967295", spec), "");
}

TEST(GeneralTerms, AreListedForMessages) {
  const std::string names = general_term_names();
  EXPECT_TRUE(names.starts_with("config,config1,config2,config3,name,period,freq,"));
  for (const std::string_view name : {"call-graph", "max-stack", "aux-action"}) {
    EXPECT_TRUE(is_general_term(name)) << name;
    EXPECT_TRUE(tracepoint_takes(name)) << name;
  }
  // A tracepoint has no config registers, and its period is already in its attr.
  for (const std::string_view name : {"config", "name", "period", "freq"}) {
    EXPECT_TRUE(is_general_term(name)) << name;
    EXPECT_FALSE(tracepoint_takes(name)) << name;
  }
  EXPECT_FALSE(is_general_term("event"));
  EXPECT_FALSE(is_general_term(""));
}

TEST(SyntaxErrors, HaveACaretUnderTheColumn) {
  EXPECT_EQ(format_syntax_error("cycles:x", {7, "Bad modifier"}).message,
            "event syntax error: 'cycles:x'\n                            \\___ Bad modifier");
  EXPECT_EQ(format_syntax_error("", {0, "parser error"}).message,
            "event syntax error: ''\n                     \\___ parser error");
  EXPECT_EQ(format_syntax_error("ab", {9, "beyond"}).message,
            "event syntax error: 'ab'\n                       \\___ beyond");
}

// The text is truncated so that the caret stays visible.
TEST(SyntaxErrors, CutLongTexts) {
  const std::string early = format_syntax_error(std::string(80, 'a'), {3, "here"}).message;
  EXPECT_EQ(early, "event syntax error: '" + std::string(60, 'a') + "'\n" + std::string(24, ' ') + "\\___ here");
  const std::string late = format_syntax_error(std::string(30, 'a') + "X" + std::string(9, 'b'), {30, "here"}).message;
  EXPECT_EQ(late, "event syntax error: '.." + std::string(11, 'a') + "X" + std::string(9, 'b') + "'\n" +
                      std::string(34, ' ') + "\\___ here");
}

TEST(SyntaxErrors, DetailsFollowAndTheHintIsApart) {
  const Error error = format_syntax_error("x", {0, "unknown", "valid: y", "did you mean 'y'?"});
  EXPECT_TRUE(error.message.ends_with("\\___ unknown\n\nvalid: y"));
  EXPECT_EQ(error.hint, "did you mean 'y'?");
  EXPECT_EQ(error.kind, ErrorKind::Usage);
}

TEST(EventGroups, AreMadeOfAWholeListAndBroken) {
  EventList list(3);
  for (std::size_t i = 0; i < list.size(); ++i) list[i].leader = i;
  join_group(list);
  EXPECT_TRUE(is_leader(list, 0));
  EXPECT_EQ(list[0].group_size, 3u);
  for (std::size_t i = 1; i < list.size(); ++i) EXPECT_EQ(list[i].leader, 0u);
  break_group(list, 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_TRUE(is_leader(list, i));
    EXPECT_EQ(list[i].group_size, 1u);
  }
  EventList none;
  join_group(none);
  EXPECT_TRUE(none.empty());
}

TEST(EventSourcesOfAHybrid, CanBeNarrowedToAKindOfCore) {
  const testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  for (const char* spelling : {"atom", "cpu_atom"}) {
    EventSources sources(hybrid.root());
    ASSERT_EQ(sources.core_pmus().size(), 2u);
    ASSERT_TRUE(sources.choose_core_type(spelling));
    ASSERT_EQ(sources.core_pmus().size(), 1u);
    EXPECT_EQ(sources.core_pmus()[0]->name, "cpu_atom");
    EXPECT_TRUE(sources.is_left_out(*sources.pmu("cpu_core")));
    EXPECT_FALSE(sources.is_left_out(*sources.pmu("cpu_atom")));
    EXPECT_FALSE(sources.is_left_out(*sources.pmu("software")));
  }
  EventSources sources(hybrid.root());
  EXPECT_FALSE(sources.choose_core_type("lp"));
  EXPECT_EQ(sources.core_pmus().size(), 2u);
}

TEST(EventSourcesOfAHybrid, CanBeNarrowedToAPmu) {
  const testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(hybrid.root());
  ASSERT_TRUE(sources.choose_pmu("cpu_core"));
  EXPECT_TRUE(sources.is_left_out(*sources.pmu("cpu_atom")));
  EXPECT_TRUE(sources.is_left_out(*sources.pmu("software")));
  EXPECT_FALSE(sources.is_left_out(*sources.pmu("cpu_core")));
  EventSources other(hybrid.root());
  const auto refused = other.choose_pmu("cpu_cor");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "this machine has no PMU 'cpu_cor'");
  EXPECT_EQ(refused.error().hint, "did you mean 'cpu_core'?");
  EXPECT_EQ(other.choose_pmu("zzzzzzzz").error().hint, "the PMUs are in /sys/bus/event_source/devices");
}

}  // namespace
}  // namespace peregrine
