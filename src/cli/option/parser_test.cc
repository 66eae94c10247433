#include "cli/option/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/types.h"
#include "cli/option/store.h"

namespace peregrine {
namespace {

struct ParsedTarget {
  std::string cpus;
};

// The options set by a command line, and the sequence of callbacks.
struct Options {
  bool all = false, period = false, children = true, buildid = true;
  int verbose = 0;
  unsigned mode = 0;
  u64 count = 0;
  std::optional<double> limit;
  std::string output = "perf.data", vmlinux;
  std::vector<std::string> events;
  ParsedTarget target;
  std::string trail;
};

Result<> note(Options& options, const Use& use) {
  options.trail += fmt::format("{}{}={};", use.negated ? "!" : "", use.option->name, use.value);
  return {};
}

constexpr Option kTable[] = {
    {.name = "all-cpus", .letter = 'a', .store = set<&Options::all>},
    {.name = "period", .letter = 'P', .store = set<&Options::period>},
    {.name = "verbose", .letter = 'v', .store = count<&Options::verbose>},
    {.name = "count",
     .letter = 'c',
     .value = Value::Required,
     .help = "how often\nin all",
     .store = set<&Options::count>},
    {.name = "percent-limit", .value = Value::Required, .store = set<&Options::limit>},
    {.name = "output", .letter = 'o', .value = Value::Required, .metavar = "file", .store = set<&Options::output>},
    {.name = "vmlinux", .value = Value::Required, .store = set_readable<&Options::vmlinux>},
    {.name = "event", .letter = 'e', .value = Value::Required, .store = set<&Options::events>},
    {.name = "cpu", .letter = 'C', .value = Value::Required, .store = set<&Options::target, &ParsedTarget::cpus>},
    {.name = "children", .store = set<&Options::children>},
    {.name = "no-buildid", .letter = 'B', .store = assign<&Options::buildid, false>},
    {.name = "no-buildid-cache", .letter = 'N', .store = call<note>},
    {.name = "mode-two", .store = assign<&Options::mode, 2u>},
    {.name = "compress", .letter = 'z', .value = Value::Sticky, .store = call<note>, .implied = "1"},
    {.name = "call-graph", .letter = 'g', .value = Value::NextWord, .store = call<note>, .implied = "fp"},
    {.name = "filter", .value = Value::Required, .store = call<note>},
    {.name = "aio", .value = Value::Sticky},
    {.name = "outline", .store = call<note>, .since = Since::Ours},
    {.name = "exact", .store = call<note>, .since = Since::Ours},
};

struct Case {
  const char* line;      // arguments, separated by blanks
  const char* expected;  // state that differs from the start, then words; or "error: message | hint"
};

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string outcome(const char* line, Words words = Words::Anywhere) {
  Options options;
  auto parsed = parse_options(kTable, words, split(line), &options, kOwner<Options>);
  if (!parsed)
    return fmt::format("error: {}{}{}", parsed.error().message, parsed.error().hint.empty() ? "" : " | ",
                       parsed.error().hint);
  std::string text;
  auto say = [&](bool differs, const std::string& what) { text += differs ? what + " " : ""; };
  say(parsed->asked == Asked::ShortHelp, "-h");
  say(parsed->asked == Asked::Manual, "manual");
  say(parsed->asked == Asked::ListOptions, "list-opts");
  say(options.all, "all");
  say(options.period, "period");
  say(!options.children, "no-children");
  say(!options.buildid, "no-buildid");
  say(options.verbose != 0, fmt::format("verbose={}", options.verbose));
  say(options.mode != 0, fmt::format("mode={}", options.mode));
  say(options.count != 0, fmt::format("count={}", options.count));
  say(options.limit.has_value(), fmt::format("limit={}", options.limit.value_or(0)));
  say(options.output != "perf.data", fmt::format("output={}", options.output));
  for (const auto& event : options.events) say(true, "event=" + event);
  say(!options.target.cpus.empty(), "cpus=" + options.target.cpus);
  say(!options.trail.empty(), options.trail);
  for (const auto& word : parsed->words) text += "[" + word + "]";
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

class ParserTable : public ::testing::TestWithParam<Case> {};
TEST_P(ParserTable, GivesTheOutcome) { EXPECT_EQ(outcome(GetParam().line), GetParam().expected) << GetParam().line; }

INSTANTIATE_TEST_SUITE_P(Letters, ParserTable,
                         ::testing::Values(Case{"-a", "all"}, Case{"-aP", "all period"}, Case{"-vv -v", "verbose=3"},
                                           Case{"-c99", "count=99"}, Case{"-c 99", "count=99"},
                                           Case{"-ac99", "all count=99"}, Case{"-c 0x10", "count=16"},
                                           Case{"-ex,y -ez", "event=x,y event=z"}, Case{"-C 0-3", "cpus=0-3"},
                                           Case{"-o -", "output=-"}, Case{"-e -a", "event=-a"},
                                           Case{"-Z", "error: unknown switch `Z' | did you mean -z? "},
                                           Case{"-output=x", "output=utput=x"},
                                           Case{"-xperiod", "error: unknown switch `x'"},
                                           Case{"-c", "error: switch `c' requires a value | --count: how often"},
                                           Case{"-c x1", "error: switch `c' expects a numerical value"},
                                           Case{"-c 1x", "error: switch `c' expects a numerical value"}));

INSTANTIATE_TEST_SUITE_P(
    Names, ParserTable,
    ::testing::Values(Case{"--all-cpus", "all"}, Case{"--count=5 --count 6", "count=6"},
                      Case{"--count=", "error: option `count' expects a numerical value"},
                      Case{"--output=a=b", "output=a=b"}, Case{"--percent-limit 0.5", "limit=0.5"},
                      Case{"--percent-limit nan", "error: option `percent-limit' expects a numerical value"},
                      Case{"--percent-limit=inf", "error: option `percent-limit' expects a numerical value"},
                      Case{"--percent-limit=-1", "error: option `percent-limit' expects a numerical value"},
                      Case{"--percent-limit=1e999", "error: option `percent-limit' expects a numerical value"},
                      Case{"--percent-limit 2 --no-percent-limit", ""}, Case{"--output x --no-output", ""},
                      Case{"--event x --no-event --event y", "event=y"}, Case{"--verbose --no-verbose", ""},
                      Case{"--all-cpus=1", "error: option `all-cpus' takes no value | --all-cpus: "},
                      Case{"--no-output=1", "error: option `output' takes no value | --output <file>: "},
                      Case{"--count", "error: option `count' requires a value | --count: how often"},
                      Case{"--mode-two", "mode=2"}, Case{"--mode-two --no-mode-two", ""},
                      Case{"--aio", "error: --aio is not built yet"}));

INSTANTIATE_TEST_SUITE_P(Negation, ParserTable,
                         ::testing::Values(Case{"--no-children", "no-children"}, Case{"--no-children --children", ""},
                                           Case{"--no-buildid", "no-buildid"}, Case{"-B", "no-buildid"},
                                           Case{"-B --buildid", ""}, Case{"--no-buildid --no-no-buildid", ""},
                                           Case{"--buildid-cache", "!no-buildid-cache=;"}));

INSTANTIATE_TEST_SUITE_P(
    Abbreviations, ParserTable,
    ::testing::Values(Case{"--al", "all"}, Case{"--out x", "output=x"}, Case{"--no-ch", "no-children"},
                      Case{"--c",
                           "error: Ambiguous option: c (could be --compress or --call-graph) | it matches "
                           "--count --cpu --children --compress --call-graph"},
                      Case{"--per", "error: Ambiguous option: per (could be --period or --percent-limit)"},
                      Case{"--ou x", "output=x"},  // not --outline, which is our own option
                      Case{"--outline", "outline=;"},
                      Case{"--exac", "error: unknown option `exac' | did you mean --exact?"},
                      Case{"--build", "error: Ambiguous option: build (could be --buildid or --buildid-cache)"},
                      Case{"--no-buildid-c", "no-buildid-cache=;"}));

INSTANTIATE_TEST_SUITE_P(OptionalValues, ParserTable,
                         ::testing::Values(Case{"-z 3", "compress=1; [3]"}, Case{"-z3", "compress=3;"},
                                           Case{"--compress=3 x", "compress=3; [x]"}, Case{"-az3", "all compress=3;"},
                                           Case{"-g dwarf", "call-graph=dwarf;"},
                                           Case{"-gdwarf x", "call-graph=dwarf; [x]"},
                                           Case{"-g -a", "all call-graph=fp;"}, Case{"-g", "call-graph=fp;"},
                                           Case{"-ag x", "all call-graph=x;"},
                                           Case{"--call-graph -g", "call-graph=fp;call-graph=fp;"}));

INSTANTIATE_TEST_SUITE_P(
    WordsAndHelp, ParserTable,
    ::testing::Values(Case{"x -a y", "all [x][y]"}, Case{"-- -a", "[-a]"}, Case{"-a -- x --", "all [x][--]"},
                      Case{"- -a", "all [-]"}, Case{"-a -h cpu -x", "-h all [cpu][-x]"}, Case{"--help", "manual"},
                      Case{"--list-opts", "list-opts"}, Case{"", ""},
                      Case{"--frobnicate", "error: unknown option `frobnicate'"},
                      Case{"--evnet x", "error: unknown option `evnet' | did you mean --event?"},
                      Case{"--no-perod", "error: unknown option `no-perod' | did you mean --no-period?"}));

TEST(Parser, StopsAtTheFirstWordOfAWorkload) {
  EXPECT_EQ(outcome("-a ls -P", Words::StopAtFirst), "all [ls][-P]");
  EXPECT_EQ(outcome("-a -- ls -P", Words::StopAtFirst), "all [ls][-P]");
  EXPECT_EQ(outcome("ls -- -P", Words::StopAtFirst), "[ls][--][-P]");
}

TEST(Parser, CallsInTheOrderOfTheCommandLine) {
  EXPECT_EQ(outcome("--filter a -z2 --filter b"), "filter=a;compress=2;filter=b;");
}

TEST(Parser, RefusesAFileThatCannotBeRead) {
  EXPECT_EQ(outcome("--vmlinux /nonexistent/image"), "error: Invalid file: /nonexistent/image");
  EXPECT_EQ(outcome("--vmlinux /dev/null"), "");
  EXPECT_EQ(outcome("--vmlinux /dev/null --no-vmlinux"), "");
}

// The output of --parse-only: the same parsing, without storing anything.
TEST(NameUses, SpellsEachUseAsTheTableUnderstandsIt) {
  const std::vector<std::string> arguments{"-avc99", "--no-period", "--percent=3", "-z",
                                           "-zx",    "--buildid",   "--",          "-a"};
  std::vector<std::string> uses;
  const auto parsed = name_uses(kTable, Words::StopAtFirst, arguments, uses);
  ASSERT_TRUE(parsed) << parsed.error().message;
  const std::vector<std::string> expected{"--all-cpus",        "--verbose",  "--count=99",   "--no-period",
                                          "--percent-limit=3", "--compress", "--compress=x", "--buildid"};
  EXPECT_EQ(uses, expected);
  EXPECT_EQ(parsed->words, std::vector<std::string>{"-a"});
}

TEST(NameUses, RefusesWhatParsingRefuses) {
  std::vector<std::string> uses;
  for (const char* wrong : {"--frobnicate", "--aio", "--output", "-Q"})
    EXPECT_FALSE(name_uses(kTable, Words::Anywhere, std::vector<std::string>{wrong}, uses)) << wrong;
}

}  // namespace
}  // namespace peregrine
