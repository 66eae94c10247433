#include "base/file/piece_file.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace peregrine {
namespace {

std::string written() {
  PieceWriter writer;
  writer.put(u64{7});
  writer.put_all(std::vector<u32>{1, 2, 3});
  writer.put_text(std::string(100000, 'x') + "end");
  writer.put_text("");
  return writer.finish();
}

bool reads_back(std::string_view file) {
  PieceReader reader(file);
  const bool same = reader.get64() == 7 && reader.get_all<u32>(3) == std::vector<u32>{1, 2, 3} &&
                    reader.get_text() == std::string(100000, 'x') + "end" && reader.get_text().empty();
  return reader.ends_well() && same;
}

TEST(PieceFile, ReadsWhatWasWritten) { EXPECT_TRUE(reads_back(written())); }

TEST(PieceFile, NoticesEveryCutAndDamage) {
  const std::string whole = written();
  for (std::size_t at = 0; at < whole.size(); at += at < 64 || at + 64 > whole.size() ? 1 : 977) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_FALSE(reads_back(damaged)) << at;
    EXPECT_FALSE(reads_back(whole.substr(0, at))) << at;
  }
  EXPECT_FALSE(reads_back(whole + "x"));
}

TEST(PieceFile, TellsWhereATextLies) {
  PieceWriter writer;
  writer.put_text("first");
  writer.put_text("second");
  const std::string file = writer.finish();
  PieceReader reader(file);
  reader.pass_text();
  const auto place = reader.pass_text();
  EXPECT_TRUE(reader.ends_well());
  EXPECT_EQ(reader.text_at(place), "second");
}

TEST(PieceFile, TakesNoMemoryForACountThatCannotBe) {
  const std::string file = written();
  PieceReader reader(file);
  EXPECT_TRUE(reader.get_all<u64>(~u64{0} / 8).empty());
  EXPECT_FALSE(reader.ok());
  EXPECT_FALSE(reader.ends_well());
}

}  // namespace
}  // namespace peregrine
