// How each kind of row handles a use, its negation, and invalid values.
#include "cli/option/store.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/option/joined.h"
#include "cli/option/parser.h"

namespace peregrine {
namespace {

struct Inner {
  unsigned pages = 128;
  std::optional<u64> even = 6;
};

struct Stored {
  bool flag = false, on = true;
  std::optional<bool> choice;
  u8 small = 1;
  i32 number = -5;
  u64 large = 0;
  double ratio = 0.5;
  std::optional<unsigned> maybe;
  std::optional<std::string> name;
  std::vector<std::string> list{"first"};
  Inner inner;
  unsigned level = 3;
  std::string color = "grey";
  enum class Mode { Auto, Fast } mode = Mode::Auto;
};

Result<unsigned> parse_even(std::string_view word) {
  const auto number = parse_number<unsigned>(word);
  if (number && *number % 2 == 0) return *number;
  return fail(ErrorKind::Usage, "'{}' is not even", word);
}
Result<std::string_view> parse_color(std::string_view word) {
  if (word == "red" || word == "blue") return word;
  return fail(ErrorKind::Usage, "'{}' is no color", word);
}

constexpr Option kFlagRows[] = {
    {.name = "flag", .store = set<&Stored::flag>},
    {.name = "on", .store = set<&Stored::on>},
    {.name = "choice", .store = set<&Stored::choice>},
    {.name = "level", .letter = 'l', .store = count<&Stored::level>},
    {.name = "fast", .store = assign<&Stored::mode, Stored::Mode::Fast>},
};
constexpr Option kValueRows[] = {
    {.name = "small", .value = Value::Required, .store = set<&Stored::small>},
    {.name = "number", .letter = 'n', .value = Value::Required, .store = set<&Stored::number>},
    {.name = "large", .value = Value::Required, .store = set<&Stored::large>},
    {.name = "ratio", .value = Value::Required, .store = set<&Stored::ratio>},
    {.name = "maybe", .value = Value::Required, .store = set<&Stored::maybe>},
    {.name = "name", .value = Value::Required, .store = set<&Stored::name>},
    {.name = "list", .value = Value::Required, .store = set<&Stored::list>},
    {.name = "pages",
     .letter = 'm',
     .value = Value::Required,
     .store = set_at_most<4096, &Stored::inner, &Inner::pages>},
    {.name = "even", .value = Value::Required, .store = set_parsed<&parse_even, &Stored::inner, &Inner::even>},
    {.name = "color", .value = Value::Required, .store = set_parsed<&parse_color, &Stored::color>},
};
constexpr auto kStoredRows = joined(kFlagRows, kValueRows);

// The struct after parsing this command line, or the error message.
Result<Stored> stored(std::vector<std::string> arguments) {
  Stored options;
  const auto parsed = parse_options(kStoredRows, Words::Anywhere, arguments, &options, kOwner<Stored>);
  if (!parsed) return std::unexpected(parsed.error());
  return options;
}
std::string why_not(std::vector<std::string> arguments) {
  const auto options = stored(std::move(arguments));
  return options ? "stored" : options.error().message;
}

TEST(Stores, FlagsAreSetAndNegated) {
  EXPECT_TRUE(stored({"--flag"})->flag);
  EXPECT_FALSE(stored({"--flag", "--no-flag"})->flag);
  EXPECT_FALSE(stored({"--no-on"})->on);
  EXPECT_TRUE(stored({"--no-on", "--on"})->on);
}

TEST(Stores, OptionalFlagsTellNoFromNotSaid) {
  EXPECT_EQ(stored({})->choice, std::nullopt);
  EXPECT_EQ(stored({"--choice"})->choice, true);
  EXPECT_EQ(stored({"--no-choice"})->choice, false);
}

TEST(Stores, CountsStartAtTheDefaultAndAreNegatedToNothing) {
  EXPECT_EQ(stored({"-ll"})->level, 5u);
  EXPECT_EQ(stored({"-ll", "--no-level"})->level, 0u);
  EXPECT_EQ(stored({"--no-level", "-l"})->level, 1u);
}

TEST(Stores, ConstantsAreAssignedAndTakenBack) {
  EXPECT_EQ(stored({"--fast"})->mode, Stored::Mode::Fast);
  EXPECT_EQ(stored({"--fast", "--no-fast"})->mode, Stored::Mode::Auto);
}

TEST(Stores, NumbersFillTheirType) {
  EXPECT_EQ(stored({"--small", "255"})->small, 255);
  EXPECT_EQ(stored({"--number=-2147483648"})->number, std::numeric_limits<i32>::min());
  EXPECT_EQ(stored({"--number", "-7"})->number, -7) << "a value may begin with a dash";
  EXPECT_EQ(stored({"--large=0xffffffffffffffff"})->large, ~u64{0});
  EXPECT_EQ(stored({"--large=18446744073709551615"})->large, ~u64{0});
  EXPECT_DOUBLE_EQ(stored({"--ratio", "1e-3"})->ratio, 0.001);
}

TEST(Stores, NumbersThatDoNotFitAreErrors) {
  for (const char* wrong : {"256", "-1", "1.5", "", " 1", "1 ", "0x", "0x100", "1k"})
    EXPECT_EQ(why_not({"--small", wrong}), "option `small' expects a numerical value") << wrong;
  EXPECT_EQ(why_not({"--large=18446744073709551616"}), "option `large' expects a numerical value");
  EXPECT_EQ(why_not({"-n2147483648"}), "switch `n' expects a numerical value") << "as it was written";
  EXPECT_EQ(why_not({"--number=x"}), "option `number' expects a numerical value");
}

TEST(Stores, NegatedValuesAreTheDefaultsAgain) {
  const auto options = stored({"--small=9", "--no-small", "--number=9", "--no-number", "--ratio=9", "--no-ratio",
                               "--maybe=9", "--no-maybe", "--name=x", "--no-name", "-m9", "--no-pages"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->small, 1);
  EXPECT_EQ(options->number, -5);
  EXPECT_DOUBLE_EQ(options->ratio, 0.5);
  EXPECT_EQ(options->maybe, std::nullopt);
  EXPECT_EQ(options->name, std::nullopt);
  EXPECT_EQ(options->inner.pages, 128u);
}

TEST(Stores, OptionalValuesMayBeEmptyOrZero) {
  EXPECT_EQ(stored({})->maybe, std::nullopt);
  EXPECT_EQ(stored({"--maybe", "0"})->maybe, 0u);
  EXPECT_EQ(stored({"--name="})->name, "");
  EXPECT_EQ(why_not({"--maybe="}), "option `maybe' expects a numerical value");
}

TEST(Stores, ListsGrowUntilTheyAreCleared) {
  EXPECT_EQ(stored({"--list", "a", "--list=b,c"})->list, (std::vector<std::string>{"first", "a", "b,c"}));
  EXPECT_EQ(stored({"--list", "a", "--no-list", "--list", "b"})->list, std::vector<std::string>{"b"});
}

TEST(Stores, SizesHaveALimit) {
  EXPECT_EQ(stored({"-m4096"})->inner.pages, 4096u);
  EXPECT_EQ(why_not({"-m4097"}), "-m: 4097 is too large: at most 4096");
  EXPECT_EQ(why_not({"--pages", "4294967295"}), "--pages: 4294967295 is too large: at most 4096");
  EXPECT_EQ(why_not({"--pages", "4294967296"}), "option `pages' expects a numerical value");
}

TEST(Stores, ParsedValuesAreStored) {
  EXPECT_EQ(stored({"--even=4"})->inner.even, 4u);
  EXPECT_EQ(stored({"--color", "red", "--color", "blue"})->color, "blue");
  EXPECT_EQ(stored({"--even=4", "--no-even"})->inner.even, 6u) << "as initialised";
  EXPECT_EQ(stored({"--color=red", "--no-color"})->color, "grey");
}

TEST(Stores, RefusedValuesLeaveTheMemberAsInitialised) {
  EXPECT_EQ(why_not({"--even=5"}), "'5' is not even");
  Stored options;
  const Use red{.value = "red"}, wrong{.value = "wet"};
  constexpr Store kTakesColor = set_parsed<&parse_color, &Stored::color>;
  ASSERT_TRUE(kTakesColor.apply(&options, red));
  EXPECT_EQ(options.color, "red");
  EXPECT_FALSE(kTakesColor.apply(&options, wrong));
  EXPECT_EQ(options.color, "grey");
}

TEST(Stores, TheLastUseWins) {
  EXPECT_EQ(stored({"--small=1", "--small=2"})->small, 2);
  EXPECT_FALSE(stored({"--flag", "--no-flag", "--flag", "--no-flag"})->flag);
}

TEST(JoinedTables, KeepTheirOrder) {
  ASSERT_EQ(kStoredRows.size(), 15u);
  EXPECT_EQ(kStoredRows.front().name, "flag");
  EXPECT_EQ(kStoredRows[5].name, "small");
  EXPECT_EQ(kStoredRows.back().name, "color");
}

std::vector<std::string_view> two_words() { return {"comm", "dso"}; }

TEST(OptionHelp, HasTheWordsOfTheValue) {
  constexpr Option kSort{.name = "sort", .help = "sort by {words}; {words} again", .words = two_words};
  EXPECT_EQ(value_words(kSort), "comm dso");
  EXPECT_EQ(help_text(kSort), "sort by comm dso; {words} again") << "once";
  constexpr Option kFree{.name = "free", .help = "any {words}"};
  EXPECT_EQ(value_words(kFree), "");
  EXPECT_EQ(help_text(kFree), "any {words}");
}

TEST(OptionHelp, TheMetavarOfAChoiceHasTheWords) {
  constexpr Option kAbsRel{.name = "addr", .value = Value::Required, .metavar = "abs|rel"};
  EXPECT_EQ(value_words(kAbsRel), "abs rel");
  constexpr Option kExecutable{.name = "exec", .value = Value::Required, .metavar = "executable|path"};
  EXPECT_EQ(value_words(kExecutable), "");
  constexpr Option kFunction{.name = "line", .value = Value::Required, .metavar = "FUNC|SRC"};
  EXPECT_EQ(value_words(kFunction), "");
}

}  // namespace
}  // namespace peregrine
