// Compares Pattern with the C library's regcomp(3), which defines linux-perf's options, and tests long texts.
#include "base/text/pattern.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex.h>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/text/utf8.h"

namespace peregrine {
namespace {

bool search(std::string_view pattern, std::string_view text, PatternSyntax syntax = PatternSyntax::Extended) {
  const auto compiled = Pattern::compile(pattern, syntax);
  EXPECT_TRUE(compiled) << compiled.error().message;
  return compiled && compiled->matches(text);
}

std::string error_of(std::string_view pattern, PatternSyntax syntax = PatternSyntax::Extended) {
  const auto compiled = Pattern::compile(pattern, syntax);
  return compiled ? "accepted" : compiled.error().message;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST(Pattern, SearchesAnywhere) {
  EXPECT_TRUE(search("^sys_|^do_page_fault", "sys_read"));
  EXPECT_FALSE(search("^sys_|^do_page_fault", "__x64_sys_read"));
  EXPECT_TRUE(search("alloc", "kmem_cache_alloc_node"));
  EXPECT_TRUE(search("", "anything"));
}

TEST(Pattern, TakesPosixSyntaxThatRe2ReadsDifferently) {
  EXPECT_TRUE(search("a)", "a)"));       // unmatched: literal
  EXPECT_TRUE(search("[]a]", "]"));      // ']' first
  EXPECT_TRUE(search("[a\\]x", "\\x"));  // a backslash in brackets
  EXPECT_TRUE(search("^a{,2}$", "aa"));  // no lower bound
  EXPECT_FALSE(search("^a{,2}$", "aaa"));
  EXPECT_TRUE(search("^a+?$", ""));  // a+ or nothing, not a lazy a+
  EXPECT_TRUE(search("^(a{2}){2}$", "aaaa"));
  EXPECT_TRUE(search("a||b", "x"));  // an empty alternative
  EXPECT_TRUE(search("()", "x"));
  EXPECT_TRUE(search("\\d", "d"));  // no class for digits
  EXPECT_TRUE(search("[[.-.]]", "-"));
  EXPECT_TRUE(search("[[=a=]]", "a"));
  EXPECT_TRUE(search("^a.b$", "a\nb"));  // '.' is any character
  EXPECT_FALSE(search("^b$", "a\nb"));   // '^' is the beginning of the text
}

TEST(Pattern, TakesBasicSyntax) {
  const auto basic = PatternSyntax::Basic;
  EXPECT_TRUE(search("a\\{2\\}", "aa", basic));
  EXPECT_TRUE(search("^\\(ab\\)*$", "abab", basic));
  EXPECT_TRUE(search("a\\|b", "b", basic));
  EXPECT_TRUE(search("a+(b)", "a+(b)", basic));
  EXPECT_TRUE(search("*a^b$c", "*a^b$c", basic));
  EXPECT_TRUE(search("user.slice/*", "user.slice", basic));
}

TEST(Pattern, FindsWordEdges) {
  EXPECT_TRUE(search("\\<lock\\>", "spin lock 1"));
  EXPECT_FALSE(search("\\<lock\\>", "spin_lock"));
  EXPECT_TRUE(search("\\<(foo|bar)[a-z]*\\>", "x foobar y"));
  EXPECT_TRUE(search("\\bstd\\b", "std::sort"));
  EXPECT_FALSE(search("\\Bstd", "std::sort"));
  EXPECT_TRUE(search("\\`a\\w+\\'", "abc"));
}

TEST(Pattern, RefusesWhatRe2CannotMatch) {
  EXPECT_EQ(error_of("(a)x\\1"),
            "unsupported regular expression '(a)x\\1': back-references ('\\1') are not supported, at character 5");
  EXPECT_EQ(
      error_of("x\\<-"),
      "unsupported regular expression 'x\\<-': '\\<' is supported only before a letter, digit or '_', at character 2");
  for (const auto* pattern : {"\\<", "\\<a*-", "(a\\<)+b", "\\<(a|)-", "\\>", "-\\>", "a*\\>", "(a|-)\\>", "(\\>a|-)+"})
    EXPECT_TRUE(error_of(pattern).starts_with("unsupported regular expression"))
        << pattern << ": " << error_of(pattern);
}

TEST(Pattern, NamesTheMistakeAndItsPlace) {
  const std::array<std::array<std::string_view, 3>, 16> mistakes{{
      {"a(b", "'(' without ')'", "2"},
      {"*a", "nothing to repeat before '*'", "1"},
      {"a|+", "nothing to repeat before '+'", "3"},
      {"^*", "nothing to repeat before '*'", "2"},
      {"x{1}|{2}", "nothing to repeat before '{'", "6"},
      {"ab[c", "'[' without ']'", "3"},
      {"[]", "'[' without ']'", "1"},
      {"a[z-b]", "invalid range 'z-b'", "3"},
      {"[a-c-e]", "invalid range '-'", "5"},
      {"[[:foo:]]", "unknown character class '[:foo:]'", "2"},
      {"[[.space.]]", "unknown collating element 'space'", "2"},
      {"a\\", "trailing backslash", "2"},
      {"a{2", "'{' without '}'", "2"},
      {"a{2,1}", "invalid repetition '{2,1}'", "2"},
      {"a{1x}", "invalid repetition '{1x}'", "2"},
      {"a{32768}", "repetition '{32768}' exceeds 32767", "2"},
  }};
  for (const auto& [pattern, what, place] : mistakes)
    EXPECT_EQ(error_of(pattern),
              fmt::format("invalid regular expression '{}': {}, at character {}", pattern, what, place));
  EXPECT_EQ(error_of("a\\)", PatternSyntax::Basic),
            "invalid regular expression 'a\\)': ')' without '(', at character 2");
}

TEST(Pattern, RepeatsMoreOftenThanRe2Does) {
  EXPECT_TRUE(search("^a{2500}$", repeated("a", 2500)));
  EXPECT_FALSE(search("^a{2500}$", repeated("a", 2501)));
  EXPECT_TRUE(search("^a{1500,2500}$", repeated("a", 1500)));
  EXPECT_TRUE(search("^a{1500,2500}$", repeated("a", 2500)));
  EXPECT_FALSE(search("^a{1500,2500}$", repeated("a", 1499)));
  EXPECT_FALSE(search("^a{1500,2500}$", repeated("a", 2501)));
  EXPECT_TRUE(search("^a{1500,}$", repeated("a", 4000)));
  EXPECT_FALSE(search("^a{1500,}$", repeated("a", 1499)));
  EXPECT_TRUE(search("^(a{50}){60}$", repeated("a", 3000)));
  EXPECT_FALSE(search("^(a{50}){60}$", repeated("a", 3050)));
}

TEST(Pattern, MatchesCharactersOfUtf8) {
  EXPECT_TRUE(search("^h.tte$", "hütte"));
  EXPECT_TRUE(search("^[à-ü]{2}$", "éü"));
  EXPECT_TRUE(search("\xff",
                     "a\xff"
                     "b"));  // not UTF-8: bytes
  EXPECT_TRUE(search("ab",
                     "\xff\xfe"
                     "ab"));
}

TEST(Pattern, MatchesLongNames) {
  const std::string name(30'000, 'a');
  EXPECT_TRUE(search("a+b", name + "b"));
  EXPECT_FALSE(search("a+b", name));
  EXPECT_FALSE(search("^(a|aa)+$", name + "-"));
  EXPECT_FALSE(search("(a*)*b", name));
  EXPECT_FALSE(search("(.*a){200}b", name));
}

TEST(Pattern, RefusesOrMatchesLongPatterns) {
  const std::string name(30'000, 'a');
  EXPECT_FALSE(search(repeated("function_name|", 4'000) + "x", "another"));
  EXPECT_TRUE(error_of(std::string(1 << 20, 'a')).ends_with("…': too large, at character 131073"));
  EXPECT_TRUE(error_of("[" + std::string(1 << 20, 'a')).starts_with("unsupported regular expression '[aaaa"));
  EXPECT_TRUE(error_of(repeated(".", 130'000)).ends_with("': too large, at character 100002"));
  EXPECT_TRUE(error_of(repeated("a{1000}", 1'000)).ends_with("': too large, at character 708"));
  EXPECT_TRUE(error_of("[^é]{32767}").ends_with("' is too large"));  // several bytes each
  EXPECT_TRUE(error_of(std::string(100'000, '(')).find("too many nested groups") != std::string::npos);
  EXPECT_TRUE(error_of("a" + std::string(100'000, '{')).find("'{' without '}'") != std::string::npos);
  EXPECT_TRUE(error_of("a" + repeated("{1}*", 30'000)).find("too many nested repetitions") != std::string::npos);
  EXPECT_TRUE(error_of("((a{1000}){1000}){1000}").find("too large") != std::string::npos);
  EXPECT_TRUE(error_of("((a{1000}){1000}){20}").find("too large") != std::string::npos);
  EXPECT_TRUE(search(repeated("(", 999) + "a" + repeated(")", 999), name));
}

TEST(Pattern, MatchesFromSeveralThreads) {
  const auto pattern = Pattern::compile("a(b|c)*d$");
  ASSERT_TRUE(pattern);
  std::array<int, 4> hits{};
  std::vector<std::thread> threads;
  for (int& count : hits)
    threads.emplace_back([&pattern, &count] {
      for (int i = 0; i < 1'000; ++i)
        count += pattern->matches("xxa" + repeated("bc", static_cast<std::size_t>(i)) + "d");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(hits, (std::array{1'000, 1'000, 1'000, 1'000}));
}

// The C library as the reference.
class Reference {
 public:
  Reference(const std::string& pattern, PatternSyntax syntax)
      : error_(::regcomp(&compiled_, pattern.c_str(),
                         REG_NOSUB | (syntax == PatternSyntax::Extended ? REG_EXTENDED : 0))) {}
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() {
    if (error_ == 0) ::regfree(&compiled_);
  }
  int error() const { return error_; }
  bool matches(const std::string& text) const { return ::regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t compiled_{};
  int error_;
};

constexpr const char* kPieces[] = {"a",
                                   "b",
                                   "_",
                                   "-",
                                   " ",
                                   ".",
                                   "*",
                                   "+",
                                   "?",
                                   "(",
                                   ")",
                                   "|",
                                   "^",
                                   "$",
                                   "[",
                                   "]",
                                   "[a-c]",
                                   "[^a]",
                                   "[]a]",
                                   "[^]b]",
                                   "{",
                                   "}",
                                   "{2}",
                                   "{,2}",
                                   "{1,}",
                                   "{0,1}",
                                   "{1,3}",
                                   "\\(",
                                   "\\)",
                                   "\\|",
                                   "\\+",
                                   "\\?",
                                   "\\{",
                                   "\\}",
                                   "\\{2\\}",
                                   "\\{1,2\\}",
                                   "\\w",
                                   "\\W",
                                   "\\s",
                                   "\\S",
                                   "\\b",
                                   "\\B",
                                   "\\<",
                                   "\\>",
                                   "\\`",
                                   "\\'",
                                   "\\.",
                                   "\\*",
                                   "\\a",
                                   "\\",
                                   "[[:alpha:]]",
                                   "[a-]",
                                   "[[:punct:]_]",
                                   "[-a]",
                                   "[[.-.]]",
                                   "[[=a=]]",
                                   "[[.a.]-c]",
                                   "ab",
                                   "a b",
                                   ",",
                                   "1",
                                   "[\\]",
                                   "[%--]"};
constexpr std::string_view kLetters = "abc_- *+?()|^$[]{}\\.1,";

template <class Random>
std::string random_pattern(Random& random) {
  std::string pattern;
  for (auto left = 1 + random() % 6; left > 0; --left) pattern += kPieces[random() % std::size(kPieces)];
  return pattern;
}

TEST(Pattern, AgreesWithTheCLibraryOnRandomPatterns) {
  std::mt19937 random(16);
  unsigned compared = 0, both_refuse = 0, unsupported = 0;
  for (int round = 0; round < 6'000; ++round) {
    const auto syntax = random() % 2 == 0 ? PatternSyntax::Extended : PatternSyntax::Basic;
    const std::string pattern = random_pattern(random);
    const Reference reference(pattern, syntax);
    const auto ours = Pattern::compile(pattern, syntax);
    if (!ours && ours.error().kind == ErrorKind::Unsupported) {
      ++unsupported;
      continue;
    }
    if (reference.error() == REG_BADRPT && syntax == PatternSyntax::Basic) continue;  // "a**", which we accept
    ASSERT_EQ(ours.has_value(), reference.error() == 0)
        << pattern << ": " << (ours ? "accepted" : ours.error().message);
    if (!ours) {
      EXPECT_NE(ours.error().message.find(", at character "), std::string::npos) << ours.error().message;
      ++both_refuse;
      continue;
    }
    for (int texts = 0; texts < 10; ++texts) {
      std::string text;
      for (auto left = random() % 7; left > 0; --left) text += kLetters[random() % kLetters.size()];
      ASSERT_EQ(ours->matches(text), reference.matches(text)) << "'" << pattern << "' in '" << text << "'";
      ++compared;
    }
  }
  EXPECT_GT(compared, 30'000u);
  EXPECT_GT(both_refuse, 1'000u);
  EXPECT_LT(unsupported, 600u);
}

TEST(Utf8, TellsCharactersFromBytes) {
  EXPECT_TRUE(is_utf8("aé€\xf0\x9f\x98\x80"));
  EXPECT_EQ(utf8_value("€", 3), 0x20acu);
  for (const auto* bytes : {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"})
    EXPECT_FALSE(is_utf8(bytes));
}

TEST(Utf8, CutsExcerptsBetweenCharacters) {
  EXPECT_EQ(excerpt("short"), "short");
  EXPECT_EQ(excerpt(std::string(59, 'a') + "€uro"), std::string(59, 'a') + "…");
}

}  // namespace
}  // namespace peregrine
