#include "analysis/diff/build_pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "analysis/diff/comparison.h"
#include "analysis/diff/test_recording.h"
#include "analysis/diff/total_change.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/row/row_table.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct BuildPairing : ::testing::Test {
  std::vector<BuildPair> pair() {
    was.table();
    is.table();
    return pair_builds(side_of(was), side_of(is));
  }
  PairingSide side_of(DiffedRecording& recording) {
    return {recording.hists, *recording.faces, [&](u32 dso) { return builds[{&recording, recording.words.dso(dso)}]; }};
  }
  std::map<std::pair<const DiffedRecording*, std::string_view>, std::string> builds;
  DiffedRecording was{"was"}, is{"another"};
};

TEST_F(BuildPairing, RenamedProgramsAreFoundByTheirFunctions) {
  was.add("parse", 50, "before");
  was.add("print", 20, "before");
  was.add("memcpy", 30, "libc.so.6");
  is.add("parse", 30, "after");
  is.add("emit", 30, "after");
  is.add("memcpy", 40, "libc.so.6");
  EXPECT_THAT(pair(), ElementsAre(BuildPair{"before", "after"}));
}

TEST_F(BuildPairing, OneSharedFunctionIsEnoughForNamesThatDifferInTheirVersion) {
  for (const auto* const name : {"a", "b", "main"}) was.add(name, 10, "/bin/sort-1.0");
  for (const auto* const name : {"c", "d", "main"}) is.add(name, 10, "/bin/sort-1.1");
  EXPECT_THAT(pair(), ElementsAre(BuildPair{"/bin/sort-1.0", "/bin/sort-1.1"}));
}

TEST_F(BuildPairing, OtherProgramsAreNotPaired) {
  for (const auto* const name : {"deflate", "crc32", "main"}) was.add(name, 10, "gzip");
  for (const auto* const name : {"compress", "sort", "main"}) is.add(name, 10, "bzip2");
  EXPECT_THAT(pair(), IsEmpty());
}

TEST_F(BuildPairing, StrippedBinariesArePairedByTheirNames) {
  was.add("0x100", 10, "tool.old");
  was.add("0x200", 10, "other");
  is.add("0x900", 10, "tool.new");
  EXPECT_THAT(pair(), ElementsAre(BuildPair{"tool.old", "tool.new"}));
}

TEST_F(BuildPairing, TheBestMatchIsTakenWhereSeveralArePossible) {
  for (const auto* const name : {"a", "b"}) was.add(name, 10, "libx.so.1");
  is.add("a", 10, "libx.so.2");
  is.add("a", 10, "liby.so.2");
  is.add("b", 10, "liby.so.2");
  EXPECT_THAT(pair(), ElementsAre(BuildPair{"libx.so.1", "liby.so.2"}));
}

TEST_F(BuildPairing, BuildsOfOneNameDifferByTheirBuildIds) {
  was.add("main", 10, "app");
  is.add("main", 10, "app");
  EXPECT_THAT(pair(), IsEmpty());  // the build-ids are unknown
  builds[{&was, "app"}] = builds[{&is, "app"}] = "aa";
  EXPECT_THAT(pair(), IsEmpty());
  builds[{&is, "app"}] = "bb";
  EXPECT_THAT(pair(), ElementsAre(BuildPair{"app", "app"}));
  EXPECT_FALSE(pair()[0].renamed());
}

TEST_F(BuildPairing, RowsOfPairedBinariesAreJoined) {
  was.add("parse", 50, "before");
  is.add("parse", 30, "after");
  is.add("fresh", 10, "after");
  PairedNaming names(is.words, pair());
  const FaceTable faces(is.hists.frames(), names, FaceKeys{.dso = true, .symbol = true});
  const RowTable after(is.hists, faces, names, {.columns = *parse_columns({.default_sort = "dso,symbol"})});
  const Comparison comparison({&was.table(), &after}, {});
  ASSERT_EQ(comparison.rows().size(), 2u);
  EXPECT_TRUE(comparison.rows()[0].present[0] && comparison.rows()[0].present[1]);
  EXPECT_FALSE(comparison.rows()[1].present[0]);
}

TEST(PairedNaming, ThreadsThatAreNamedAfterTheProgramAreRenamedAsWell) {
  PlainNames words("x");
  PairedNaming names(words, {{"/bin/a-very-long-program-old", "/bin/a-very-long-program-new"}, {"old", "new"}});
  words.comm = "new";
  EXPECT_EQ(names.text(SortKey::Comm, 0), "old");
  words.comm = "a-very-long-pro";
  EXPECT_EQ(names.text(SortKey::Comm, 0), "a-very-long-pro");
  words.comm = "newer";
  EXPECT_EQ(names.text(SortKey::Comm, 0), "newer");
}

TEST(TotalChange, IsRealWhereChanceDoesNotExplainIt) {
  const auto less = total_change({.period = 1000, .samples = 1000}, {.period = 660, .samples = 660});
  ASSERT_TRUE(less);
  EXPECT_DOUBLE_EQ(less->ratio, 0.66);
  EXPECT_TRUE(less->real());
  const auto few = total_change({.period = 1000, .samples = 10}, {.period = 660, .samples = 7});
  ASSERT_TRUE(few);
  EXPECT_FALSE(few->real());
  EXPECT_FALSE(total_change({}, {.period = 1, .samples = 1}));
}

}  // namespace
}  // namespace peregrine
