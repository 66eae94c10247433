#include "analysis/hist/entry/decay.h"

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr u32 kUncopied = 0xffffffffu;

// Copies entries one by one, with only the frames, chains and groups that they use.
class Copier {
 public:
  Copier(const Hists& from, Hists& to)
      : from_(from),
        to_(to),
        frames_(from.frames().size(), kUncopied),
        chains_(from.chains().size(), kUncopied),
        groups_(from.groups().size(), kUncopied) {
    chains_[0] = kRootChain.value;
  }

  void copy(HistEntry entry) {
    entry.group = group(entry.group);
    entry.leaf = frame(entry.leaf);
    entry.chain = chain(entry.chain);
    to_.add_sums(entry);
  }

 private:
  u32 frame(u32 id) {
    u32& known = frames_[id];
    if (known == kUncopied) known = to_.frames().intern(from_.frames()[HistFrameId(id)]).value;
    return known;
  }
  u32 chain(u32 id) {
    path_.clear();
    for (; chains_[id] == kUncopied; id = from_.chains().parent(ChainId(id)).value) path_.push_back(id);
    u32 at = chains_[id];
    for (; !path_.empty(); path_.pop_back()) {
      at = to_.chains().child(ChainId(at), HistFrameId(frame(from_.chains().frame(ChainId(path_.back())).value))).value;
      chains_[path_.back()] = at;
    }
    return at;
  }
  u32 group(u32 id) {
    u32& known = groups_[id];
    if (known != kUncopied) return known;
    const std::span<const u64> values = from_.groups()[GroupId(id)];
    values_.assign(values.begin(), values.end());
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (from_.frame_values()[i] && values_[i] < frames_.size()) values_[i] = frame(static_cast<u32>(values_[i]));
    return known = to_.groups().intern(values_).value;
  }

  const Hists& from_;
  Hists& to_;
  std::vector<u32> frames_, chains_, groups_;
  std::vector<u32> path_;
  std::vector<u64> values_;
};

}  // namespace

Hists faded(const Hists& hists, Fraction part) {
  Hists result(hists.groups().stride(), hists.frame_values());
  const auto fade = [&](u64 value) { return value * part.numerator / part.denominator; };
  Copier copier(hists, result);
  for (HistEntry entry : hists.entries()) {
    entry.period = fade(entry.period);
    entry.samples = static_cast<u32>(fade(entry.samples));
    if (entry.period != 0) copier.copy(entry);
  }
  for (u32 event = 0; event < hists.event_count(); ++event) {
    const EventTotals from = hists.totals(event);
    result.totals(event) = {.samples = fade(from.samples),
                            .period = fade(from.period),
                            .shown_samples = fade(from.shown_samples),
                            .shown_period = fade(from.shown_period),
                            .chain_period = fade(from.chain_period),
                            .shown_chain_period = fade(from.shown_chain_period)};
  }
  return result;
}

}  // namespace peregrine
