#include "base/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace peregrine {
namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("record", "record"), 0u);
  EXPECT_EQ(edit_distance("recrod", "record"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

// The full matrix, computed as in textbooks.
unsigned plain_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<unsigned>> cells(a.size() + 1, std::vector<unsigned>(b.size() + 1));
  for (unsigned i = 0; i <= a.size(); ++i) {
    for (unsigned j = 0; j <= b.size(); ++j) {
      unsigned& cell = cells[i][j] = std::max(i, j);
      if (i == 0 || j == 0) continue;
      cell = std::min({cells[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), cells[i - 1][j] + 1, cells[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cell = std::min(cell, cells[i - 2][j - 2] + 1);
    }
  }
  return cells[a.size()][b.size()];
}

TEST(Nearest, IsTheNearestOfMany) {
  std::mt19937 random(7);
  const auto some_word = [&](std::size_t longest) {
    std::string word(1 + random() % longest, 'a');
    for (char& c : word) c = static_cast<char>('a' + random() % 3);
    return word;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> words(20);
    for (auto& word : words) word = some_word(12);
    const std::string wanted = some_word(12);
    const std::vector<std::string_view> views(words.begin(), words.end());
    const auto near = nearest(wanted, views);
    std::optional<std::string_view> expected;
    const unsigned limit = most_edits(wanted.size());
    unsigned best = limit + 1;
    for (const auto& word : views) {
      ASSERT_EQ(edit_distance(wanted, word), plain_distance(wanted, word));
      unsigned distance = plain_distance(wanted, word);
      if (wanted.size() >= 3 && word.starts_with(wanted)) distance = std::min(distance, limit);
      if (distance >= word.size() || distance >= best) continue;
      best = distance;
      expected = word;
    }
    ASSERT_EQ(near, expected) << wanted;
  }
}

TEST(Nearest, GivesUpOnLongWords) {
  const std::string word(100'000, 'a'), other(200, 'a');
  const std::array<std::string_view, 2> words{word, other};
  EXPECT_EQ(nearest(word, words), std::nullopt);
  EXPECT_EQ(nearest(std::string(198, 'a') + "b", words), other);
}

TEST(Nearest, FindsWhatWasMeant) {
  constexpr std::array<std::string_view, 5> kWords{"record", "report", "script", "stat", "buildid-list"};
  EXPECT_EQ(nearest("recrod", kWords), "record");
  EXPECT_EQ(nearest("stats", kWords), "stat");
  EXPECT_EQ(nearest("buildid", kWords), "buildid-list");
  EXPECT_EQ(nearest("frobnicate", kWords), std::nullopt);
  EXPECT_EQ(nearest("x", kWords), std::nullopt);
  constexpr std::array<std::string_view, 2> kOperators{"!=", ">="};
  EXPECT_EQ(nearest("=>", kOperators), ">=");
}

TEST(Nearest, MakesNoWildGuesses) {
  constexpr std::array<std::string_view, 6> kWords{"fib", "dso", "top", "aio", "force", "cycles"};
  EXPECT_EQ(nearest("foo", kWords), std::nullopt);
  EXPECT_EQ(nearest("itrace", kWords), std::nullopt);
  EXPECT_EQ(nearest("tpo", kWords), "top");
  EXPECT_EQ(nearest("fource", kWords), "force");
  EXPECT_EQ(nearest("cyclers", kWords), "cycles");
  EXPECT_EQ(nearest("sickle", kWords), std::nullopt);  // four edits
  EXPECT_EQ(nearest("forks", kWords), std::nullopt);   // two of five letters
}

TEST(Nearest, WithinALimitIgnoresPrefixesAndTheNameItself) {
  constexpr std::array<std::string_view, 4> kPrograms{"cat", "catalogue", "make", "cmake"};
  EXPECT_EQ(nearest_within(1, "mkae", kPrograms), "make");
  EXPECT_EQ(nearest_within(1, "make", kPrograms), "cmake");
  EXPECT_EQ(nearest_within(1, "catal", kPrograms), std::nullopt);
  EXPECT_EQ(nearest_within(0, "cta", kPrograms), std::nullopt);
}

}  // namespace
}  // namespace peregrine
