#include "analysis/hist/key/face_table.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_keys.h"
#include "support/word_profile.h"

namespace peregrine {
namespace {

// Frames of a program and a library under different sort keys.
struct FaceTableTest : ::testing::Test {
  HistFrameId add(std::string_view frame) { return profile.intern(frame); }
  HistFrameId add_line(std::string_view frame, std::string_view line) {
    HistFrame made = profile.words.frame(frame);
    made.line = profile.words.id(line);
    return profile.hists.frames().intern(made);
  }
  HistFrameId add_inlined(std::string_view frame, std::string_view name) {
    HistFrame made = profile.words.frame(frame);
    made.inlined = profile.words.id(name);
    return profile.hists.frames().intern(made);
  }
  FaceTable table(FaceKeys keys) { return {profile.hists.frames(), profile.words, keys}; }
  std::string file_of(std::string_view line) {
    const HistFrameId frame = add_line("sh:main", line);
    const FaceTable faces = table({.file = true});
    return std::string(faces.text(faces.look(frame).file));
  }

  support::WordProfile profile{0};
};

TEST_F(FaceTableTest, FramesThatNoKeyTellsApartShareAFace) {
  const HistFrameId main = add("sh:main"), parse = add("sh:parse"), malloc = add("libc.so:malloc");
  const FaceTable none = table({});
  EXPECT_EQ(none.size(), 1u);
  const FaceTable by_dso = table({.dso = true});
  EXPECT_EQ(by_dso.size(), 2u);
  EXPECT_EQ(by_dso.face(main), by_dso.face(parse));
  EXPECT_NE(by_dso.face(main), by_dso.face(malloc));
  EXPECT_EQ(table({.symbol = true}).size(), 3u);
}

TEST_F(FaceTableTest, AFaceShowsItsFirstFrame) {
  const HistFrameId main = add("sh:main");
  const HistFrameId parse = add("sh:parse");
  const FaceTable faces = table({.dso = true});
  EXPECT_EQ(faces.frame(faces.face(parse)), main);
  EXPECT_EQ(faces.text(faces.look(faces.face(parse)).dso), "sh");
}

TEST_F(FaceTableTest, FunctionsOfOneNameAreToldApartByAddress) {
  profile.words.set_extent("init", 0x100, 0x180);
  const HistFrameId one = add("sh:init"), other = add("libc.so:init");
  const FaceTable faces = table({.symbol = true});
  EXPECT_NE(faces.face(one), faces.face(other)) << "one address in two dsos";
  EXPECT_EQ(faces.symbol_rank(one), faces.symbol_rank(other)) << "they are listed side by side";
  EXPECT_EQ(symbol_size(faces.look(one)), 0x80u);
}

TEST_F(FaceTableTest, UnknownPlacesHaveFixedTextsAndRankLast) {
  const HistFrameId main = add("sh:main"), stripped = add("sh:0x40"), unmapped = add("0x7f00");
  const FaceTable faces = table({.dso = true, .symbol = true});
  EXPECT_EQ(faces.text(faces.look(unmapped).dso), "[unknown]");
  EXPECT_FALSE(faces.look(unmapped).mapped);
  EXPECT_FALSE(faces.look(stripped).symbol.valid());
  EXPECT_EQ(faces.look(stripped).start, 0x40u);
  EXPECT_EQ(symbol_size(faces.look(stripped)), 0u);
  EXPECT_LT(faces.symbol_rank(main), faces.symbol_rank(stripped));
  EXPECT_EQ(faces.symbol_rank(stripped), faces.symbol_rank(unmapped));
  EXPECT_LT(faces.dso_rank(main), faces.dso_rank(unmapped));
}

TEST_F(FaceTableTest, AnUnknownFrameOfADsoThatIsCalledUnknownIsStillMapped) {
  const HistFrameId named = add("[unknown]:main"), unmapped = add("0x7f00");
  const FaceTable faces = table({.dso = true});
  EXPECT_TRUE(faces.look(named).mapped);
  EXPECT_LT(faces.dso_rank(named), faces.dso_rank(unmapped));
}

TEST_F(FaceTableTest, RanksAreAlphabetical) {
  const HistFrameId z = add("zsh:alpha"), a = add("ash:zeta"), b = add("bash:mid");
  const FaceTable faces = table({.dso = true, .symbol = true});
  EXPECT_LT(faces.dso_rank(a), faces.dso_rank(b));
  EXPECT_LT(faces.dso_rank(b), faces.dso_rank(z));
  EXPECT_LT(faces.symbol_rank(z), faces.symbol_rank(b));
  EXPECT_LT(faces.symbol_rank(b), faces.symbol_rank(a));
}

TEST_F(FaceTableTest, AnInlinedFunctionIsAnotherInEachThatContainsIt) {
  const HistFrameId in_main = add_inlined("sh:main", "min"), in_parse = add_inlined("sh:parse", "min");
  const HistFrameId main = add("sh:main");
  const FaceTable faces = table({.symbol = true});
  EXPECT_EQ(faces.text(faces.look(in_main).symbol), "min (inlined)");
  EXPECT_TRUE(faces.look(in_main).inlined);
  EXPECT_NE(faces.face(in_main), faces.face(in_parse));
  EXPECT_NE(faces.face(in_main), faces.face(main));
}

TEST_F(FaceTableTest, LinesAndFilesTellFramesApartIfAKeyShowsThem) {
  const HistFrameId first = add_line("sh:main", "main.c:10"), second = add_line("sh:main", "main.c:20");
  const FaceTable lines = table({.line = true}), files = table({.file = true}), symbols = table({.symbol = true});
  EXPECT_NE(lines.face(first), lines.face(second));
  EXPECT_LT(lines.line_rank(first), lines.line_rank(second));
  EXPECT_EQ(files.face(first), files.face(second));
  EXPECT_EQ(symbols.face(first), symbols.face(second));
}

TEST_F(FaceTableTest, TheFileOfALineIsAllBeforeItsNumber) {
  const struct Case {
    std::string_view line, file;
  } cases[] = {
      {"main.c:12", "main.c"},
      {"dir/a:b.c:3", "dir/a:b.c"},
      {"main.c:", ""},
      {"main.c", ""},
      {"main.c:1x", ""},
      {"??:0", ""},
      {":7", ""},
      {"", ""},
  };
  for (const Case& each : cases) EXPECT_EQ(file_of(each.line), each.file) << each.line;
}

TEST_F(FaceTableTest, SizesAreLookedUpOnRequest) {
  profile.words.set_dso_size("sh", 4096);
  const HistFrameId small = add("sh:main"), unknown = add("libc.so:main");
  EXPECT_EQ(table({.dso = true}).look(small).dso_size, 0u);
  const FaceTable faces = table({.dso_size = true});
  EXPECT_EQ(faces.look(small).dso_size, 4096u);
  EXPECT_EQ(faces.look(unknown).dso_size, 0u);
  EXPECT_NE(faces.face(small), faces.face(unknown));
}

// Siblings with equal weight in a call graph: the highest address first.
TEST_F(FaceTableTest, EqualSiblingsStandByDsoAndAddressDescending) {
  profile.words.set_extent("low", 0x100, 0x200);
  profile.words.set_extent("high", 0x300, 0x400);
  const HistFrameId low = add("sh:low"), high = add("sh:high"), later = add("zlib:low"), unmapped = add("0xffff");
  const FaceTable faces = table({.symbol = true});
  EXPECT_TRUE(faces.sibling_before(high, low));
  EXPECT_FALSE(faces.sibling_before(low, high));
  EXPECT_TRUE(faces.sibling_before(later, high)) << "dsos by number, not by name";
  EXPECT_TRUE(faces.sibling_before(low, unmapped));
  EXPECT_FALSE(faces.sibling_before(low, low));
}

TEST(FaceKeysOf, AreThoseOfFrameKeys) {
  const auto keys = [](std::string_view sort) {
    return face_keys(parse_columns({.sort = std::string(sort), .branches = true})->keys);
  };
  EXPECT_FALSE(keys("comm,cpu").dso || keys("comm,cpu").symbol);
  EXPECT_TRUE(keys("comm,dso").dso && !keys("comm,dso").symbol);
  EXPECT_TRUE(keys("srcline").line && !keys("srcline").file);
  EXPECT_TRUE(keys("srcfile,symbol_size,dso_size").file && keys("symbol_size").size && keys("dso_size").dso_size);
  EXPECT_FALSE(keys("dso_from,symbol_to").dso || keys("symbol_to").symbol) << "those frames are values of groups";
}

}  // namespace
}  // namespace peregrine
