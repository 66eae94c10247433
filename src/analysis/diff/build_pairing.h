// Pairs builds of one program that have different names: `sort-old` and `sort-new`, libfoo.so.1.2 and libfoo.so.1.3.
//
//   Hists of the baseline ─┐
//   Hists of another file ─┴─▶ pair_builds() ─▶ PairedNaming ─▶ comparisons see the baseline's names
//
// diff joins rows by the texts of their keys, so a renamed binary would not match. A binary that only one recording has
// is paired with the one in the other that shares most functions. Binaries with one name and different build-ids are
// paired too, so that diff can report them.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "base/types.h"

namespace peregrine {

// The same program in the baseline and in another recording; names as in the Shared Object column.
struct BuildPair {
  std::string was, is;
  bool renamed() const { return was != is; }
  friend bool operator==(const BuildPair&, const BuildPair&) = default;
};

// One recording with its own names.
struct PairingSide {
  const Hists& hists;
  const FaceTable& faces;
  std::function<std::string(u32 dso)> build_id;  // in hex; empty: not recorded
};
// One-to-one; ordered by weight in the baseline, heaviest first.
std::vector<BuildPair> pair_builds(const PairingSide& baseline, const PairingSide& other);

// Another recording's names, but paired binaries, and threads named after them, have the baseline's names.
class PairedNaming : public Naming {
 public:
  // `own` must outlive this.
  PairedNaming(Naming& own, std::vector<BuildPair> pairs) : own_(own), pairs_(std::move(pairs)) {}

  const std::vector<BuildPair>& pairs() const { return pairs_; }

  std::string_view dso(u32 dso) override;
  u64 dso_size(u32 dso) override { return own_.dso_size(dso); }
  SymbolName symbol(u32 dso, u32 symbol) override { return own_.symbol(dso, symbol); }
  std::string_view source(u32 text) override { return own_.source(text); }
  std::string text(SortKey key, u64 value) override;
  std::string_view order(SortKey key, u64 value) override { return own_.order(key, value); }

 private:
  Naming& own_;
  std::vector<BuildPair> pairs_;
};

}  // namespace peregrine
