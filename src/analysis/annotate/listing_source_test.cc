#include "analysis/annotate/listing_source.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

TEST(SourcePath, LiesBelowSymfsOrBehindAPrefix) {
  EXPECT_EQ(source_path("/usr/src/work.c", {}), "/usr/src/work.c");
  EXPECT_EQ(source_path("/usr/src/work.c", {.symfs = "/root"}), "/root/usr/src/work.c");
  EXPECT_EQ(source_path("/usr/src/work.c", {.prefix = "/home/me"}), "/home/me/usr/src/work.c");
  EXPECT_EQ(source_path("/usr/src/work.c", {.prefix = "/home/me", .prefix_strip = 2}), "/home/me/work.c");
  EXPECT_EQ(source_path("/usr/src/work.c", {.prefix = "/home/me", .prefix_strip = 9}), "/home/me/work.c");
  EXPECT_EQ(source_path("src/work.c", {.symfs = "/root"}), "src/work.c");
}

// Maps addresses to lines of one file.
class TablePlaces : public PlaceNames {
 public:
  TablePlaces(std::string path, std::vector<u32> lines) : path_(std::move(path)), lines_(std::move(lines)) {}
  Place find(u64 address) override { return {path_, lines_.at(address)}; }

 private:
  std::string path_;
  std::vector<u32> lines_;
};

Listing listing_of(std::size_t lines) {
  Listing listing;
  for (u64 i = 0; i < lines; ++i) {
    listing.lines.emplace_back();
    listing.lines.back().code.address = i;
  }
  return listing;
}

std::vector<u32> numbers(const ListingLine& line) {
  std::vector<u32> result;
  for (const SourceRow& row : line.source) result.push_back(row.number);
  return result;
}

class Sources : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("sources_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream text(folder_ / "work.c");
    for (int i = 1; i <= 20; ++i) text << "\tline " << i << "\r\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ / "work.c"; }
  std::filesystem::path folder_;
};

TEST_F(Sources, StandBeforeTheInstructionWithFiveLinesThatLeadThere) {
  Listing listing = listing_of(6);
  TablePlaces places(path(), {8, 8, 10, 9, 20, 99});
  SourceTexts texts({});
  add_source(listing, places, &texts);
  EXPECT_THAT(numbers(listing.lines[0]), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_THAT(numbers(listing.lines[1]), ElementsAre());
  EXPECT_THAT(numbers(listing.lines[2]), ElementsAre(9, 10));
  EXPECT_THAT(numbers(listing.lines[3]), ElementsAre(9));  // jumping back shows only this line
  EXPECT_THAT(numbers(listing.lines[4]), ElementsAre(15, 16, 17, 18, 19, 20));
  EXPECT_THAT(numbers(listing.lines[5]), ElementsAre());  // past the end of the file
  EXPECT_EQ(listing.lines[0].source.back().text, "        line 8");
  EXPECT_EQ(listing.lines[2].place, path() + ":10");
}

TEST_F(Sources, AreNamedWhenTheirTextIsNotThere) {
  Listing listing = listing_of(3);
  TablePlaces places("/nowhere/work.c", {8, 8, 9});
  SourceTexts texts({});
  add_source(listing, places, &texts);
  ASSERT_EQ(listing.lines[0].source.size(), 1u);
  EXPECT_EQ(listing.lines[0].source[0].text, "/nowhere/work.c:8");
  EXPECT_TRUE(listing.lines[1].source.empty());
  EXPECT_EQ(listing.lines[2].source[0].text, "/nowhere/work.c:9");
}

TEST_F(Sources, OnlyRegularFilesAreRead) {
  SourceTexts texts({});
  EXPECT_EQ(texts.find("/dev/zero"), nullptr);
  EXPECT_EQ(texts.find(folder_.string()), nullptr);
}

}  // namespace
}  // namespace peregrine
