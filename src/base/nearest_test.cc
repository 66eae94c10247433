#include "base/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace peregrine {
namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("record", "record"), 0u);
  EXPECT_EQ(edit_distance("recrod", "record"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
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
}

}  // namespace
}  // namespace peregrine
