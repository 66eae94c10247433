#include "analysis/hist/quality/name_coverage.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>

#include "analysis/hist/quality/missing_names.h"
#include "machine/process/moment.h"

namespace peregrine {
namespace {

class NameCoverageTest : public ::testing::Test {
 protected:
  void add(u32 dso, std::optional<u32> symbol, int samples, char level = '.') {
    HistFrame frame{.dso = dso, .level = level};
    if (symbol)
      frame.symbol = *symbol;
    else
      frame.address = ++address_;
    const HistFrameId leaf = hists_.frames().intern(frame);
    for (int i = 0; i < samples; ++i) hists_.add({.group = hists_.groups().intern(group_), .leaf = leaf, .period = 1});
  }
  NameCoverage count() const { return name_coverage_of(hists_, dsos_); }

  std::vector<u64> group_ = {0};
  u64 address_ = 0;
  DsoTable dsos_{{}};
  Hists hists_{1};
};

TEST_F(NameCoverageTest, TheDsoThatLacksMostNamesComesFirst) {
  add(1, 5, 30);
  add(1, std::nullopt, 2);
  add(2, std::nullopt, 4);
  add(2, std::nullopt, 3);
  add(HistFrame::kNone, std::nullopt, 1, 'k');
  const NameCoverage hits = count();
  EXPECT_EQ(hits.samples, 40u);
  EXPECT_EQ(hits.unnamed, 10u);
  ASSERT_EQ(hits.dsos.size(), 3u);
  EXPECT_EQ(hits.dsos[0].dso, 2u);
  EXPECT_EQ(hits.dsos[0].unnamed, 7u);
  EXPECT_EQ(hits.dsos[1].samples, 32u);
  EXPECT_EQ(hits.dsos[2].level, 'k');
}

TEST_F(NameCoverageTest, AFewMissingNamesAreNotWorthALine) {
  const DsoId load = dsos_.find_or_add(DsoKind::File, "/nowhere/load");
  add(load.value, 1, 96);
  add(load.value, std::nullopt, 4);
  EXPECT_EQ(sum_up_missing_names(dsos_, count()), "");
  add(load.value, std::nullopt, 4);
  static_cast<void>(dsos_.symbols(load));
  EXPECT_TRUE(sum_up_missing_names(dsos_, count())
                  .starts_with("8% of samples have no symbol, all in load: the file does not exist here"));
}

class Explained : public ::testing::Test {
 protected:
  MissingNames of(DsoKind kind, const std::string& name) {
    const DsoId id = dsos_.find_or_add(kind, name);
    static_cast<void>(dsos_.symbols(id));
    return explain_missing_names(dsos_, {.dso = id.value, .samples = 1, .unnamed = 1});
  }
  static SymbolPlaces places() {
    SymbolPlaces places;
    places.live_kallsyms = ::testing::TempDir() + "/hidden_kallsyms";
    places.live_notes = "/nonexistent";
    FILE* list = fopen(places.live_kallsyms.c_str(), "w");
    fputs("0000000000000000 T _text\n0000000000000000 T schedule\n", list);
    fclose(list);
    return places;
  }
  DsoTable dsos_{places()};
};

TEST_F(Explained, AKernelThatHidesItsAddressesIsSaidToDoSo) {
  const DsoId kernel = dsos_.find_or_add(DsoKind::Kernel, "[kernel.kallsyms]");
  dsos_.set_kernel(kernel);
  const MissingNames missing = of(DsoKind::Kernel, "[kernel.kallsyms]");
  EXPECT_NE(missing.why.find("kptr_restrict"), std::string::npos);
  EXPECT_NE(missing.remedy.find("sysctl"), std::string::npos);
}

TEST_F(Explained, EachKindHasItsOwnReason) {
  EXPECT_EQ(of(DsoKind::File, "/nowhere/x").why, "the file does not exist here");
  EXPECT_EQ(of(DsoKind::File, "anon_inode:x").why, "it has no backing file");
  EXPECT_EQ(of(DsoKind::NoSymbols, "[heap]").why, "it has no backing file");
  EXPECT_EQ(explain_missing_names(dsos_, {.level = '.', .samples = 1, .unnamed = 1}).why,
            "no recorded map covers these addresses");
  EXPECT_EQ(explain_missing_names(dsos_, {.samples = 1}).why, "");
}

}  // namespace
}  // namespace peregrine
