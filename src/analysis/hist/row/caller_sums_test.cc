#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"

namespace peregrine {
namespace {

// Frame n is function n of one library; groups are comms.
class Numbers : public Naming {
 public:
  std::string_view dso(u32) override { return "library"; }
  SymbolName symbol(u32, u32 id) override { return {names_[id], id * u64{16}, id * u64{16} + 16}; }
  std::string text(SortKey, u64 value) override { return fmt::format("comm{}", value); }

 private:
  std::vector<std::string> names_{"a", "b", "c", "d", "e", "f", "g"};
};

struct Wanted {
  u64 children = 0, own = 0;
  u32 first = ~0u, depth = 0;
  friend bool operator==(const Wanted&, const Wanted&) = default;
};

// Computes the same sums chain by chain, as a reference.
class Naive {
 public:
  void add(u64 comm, const std::vector<u32>& outermost_first, u32 leaf, u64 period, u32 ordinal, ChainOrder order) {
    const auto length = static_cast<u32>(outermost_first.size());
    std::map<u32, u32> met;  // by function: its depth in this chain
    for (u32 at = 0; at < length; ++at) {
      const bool caller = order == ChainOrder::Caller;
      if (caller)
        met.try_emplace(outermost_first[at], length - at);
      else
        met[outermost_first[at]] = at + 1;
    }
    met[leaf] = length;
    for (const auto& [function, depth] : met) {
      Wanted& row = rows[{comm, function}];
      row.children += period;
      row.depth = std::max(row.depth, depth);
      row.first = std::min(row.first, ordinal);
    }
    rows[{comm, leaf}].own += period;
  }

  std::map<std::pair<u64, u32>, Wanted> rows;
};

TEST(RowTable, CallersAreWhatEachChainSays) {
  std::mt19937 random(7);
  const auto below = [&](u32 limit) { return static_cast<u32>(random() % limit); };
  for (const ChainOrder order : {ChainOrder::Caller, ChainOrder::Callee}) {
    for (int round = 0; round < 20; ++round) {
      Numbers numbers;
      Hists hists(3);  // event, comm, thread
      Naive naive;
      for (u32 ordinal = 0; ordinal < 200; ++ordinal) {
        std::vector<u32> functions(below(9));
        for (u32& function : functions) function = below(7);
        // A chain usually ends at the function that was hit, except for inlined functions.
        const u32 leaf = functions.empty() || below(5) == 0 ? below(7) : functions.back();
        std::vector<HistFrameId> frames;
        for (const u32 function : functions)
          frames.push_back(hists.frames().intern({.dso = 0, .symbol = function, .level = '.'}));
        const u64 comm = below(3), values[] = {0, comm, below(4)}, period = 1 + below(100);
        hists.add({.group = hists.groups().intern(values),
                   .leaf = hists.frames().intern({.dso = 0, .symbol = leaf, .level = '.'}),
                   .chain = hists.chains().insert(frames),
                   .period = period,
                   .ordinal = ordinal});
        naive.add(comm, functions, leaf, period, ordinal, order);
      }
      const FaceTable faces(hists.frames(), numbers, {.dso = true, .symbol = true});
      const RowTable table(
          hists, faces, numbers,
          {.columns = *parse_columns({.children = true}), .children = true, .with_chains = true, .chain_order = order});
      std::map<std::pair<u64, u32>, Wanted> rows;
      for (const Row& row : table.rows())
        rows[{hists.groups()[GroupId(row.group)][1], static_cast<u32>(table.frame_look(row).start / 16)}] = {
            table.sums(row).children, table.sums(row).period, row.first, row.depth};
      EXPECT_EQ(rows, naive.rows);
    }
  }
}

}  // namespace
}  // namespace peregrine
