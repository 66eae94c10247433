#include "analysis/hist/quality/stack_health.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "machine/process/moment.h"

namespace peregrine {
namespace {

class StackHealthTest : public ::testing::Test {
 protected:
  static HistFrame in(DsoId dso, u32 symbol = 1) { return {.dso = dso.value, .symbol = symbol}; }
  static HistFrame nowhere(u64 address) { return {.address = address}; }
  // Outermost first.
  void add(std::initializer_list<HistFrame> frames, int samples) {
    ChainId chain = kRootChain;
    HistFrameId leaf;
    for (const HistFrame& frame : frames) chain = hists_.chains().child(chain, leaf = hists_.frames().intern(frame));
    for (int i = 0; i < samples; ++i)
      hists_.add({.group = hists_.groups().intern(group_), .leaf = leaf, .chain = chain, .period = 1});
  }
  StackHealth health() const { return stack_health_of(hists_, dsos_); }

  std::vector<u64> group_ = {0};
  Hists hists_{1};
  DsoTable dsos_{{}};
  DsoId app_ = dsos_.find_or_add(DsoKind::File, "/bin/app");
  DsoId libc_ = dsos_.find_or_add(DsoKind::File, "/lib/libc.so.6");
  DsoId python_ = dsos_.find_or_add(DsoKind::File, "/usr/bin/python3.11");
  DsoId jit_ = dsos_.find_or_add(DsoKind::Anonymous, "/tmp/perf-7.map");
};

TEST_F(StackHealthTest, ChainsThatEndOutsideOfAllMapsAreBroken) {
  add({in(app_), in(libc_)}, 60);
  add({nowhere(0x3b031b010000006c), in(libc_), in(app_)}, 30);
  add({nowhere(0x10), in(app_)}, 10);
  const StackHealth found = health();
  EXPECT_EQ(found.samples, 100u);
  EXPECT_EQ(found.broken, 40u);
  EXPECT_EQ(explain_broken_stacks(found, dsos_),
            "40% of stacks are truncated, mostly in libc.so.6 (no frame pointers); use perf record --call-graph dwarf");
}

TEST_F(StackHealthTest, ChainsOfTheKernelAreNotJudged) {
  add({{.dso = app_.value, .symbol = 1, .level = 'k'}}, 30);
  add({nowhere(0xffffffff81000000)}, 30);
  EXPECT_EQ(health().samples, 0u);
  EXPECT_EQ(explain_broken_stacks(health(), dsos_), "");
}

TEST_F(StackHealthTest, AFewBrokenChainsAreNotWorthALine) {
  add({in(app_), in(libc_)}, 99);
  add({nowhere(0x10), in(app_)}, 1);
  EXPECT_EQ(explain_broken_stacks(health(), dsos_), "");
}

TEST_F(StackHealthTest, InterpretersHideFunctionsUnlessTheyWriteAMap) {
  add({in(python_), in(libc_)}, 50);
  add({in(python_), in(jit_), in(python_)}, 50);
  const StackHealth found = health();
  EXPECT_EQ(found.interpreted, 50u);
  EXPECT_EQ(explain_interpreted_stacks(found),
            "50% of stacks lack the names of Python functions; to record them: python3 -X perf (since 3.12)");
}

}  // namespace
}  // namespace peregrine
