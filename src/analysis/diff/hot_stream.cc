#include "analysis/diff/hot_stream.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>

#include "analysis/hist/chain/branch_sums.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/entry/hists.h"
#include "base/percent.h"
#include "base/types.h"

namespace peregrine {
namespace {

struct Sums {
  u64 period = 0;
  std::vector<BranchSums> branches;  // outermost frame first
};

bool same_frame(const FaceTable& a_faces, const FrameLook& a, const FaceTable& b_faces, const FrameLook& b) {
  if (!a.symbol.valid() || !b.symbol.valid() || !a.line.valid() || !b.line.valid()) return false;
  return a_faces.text(a.symbol) == b_faces.text(b.symbol) && a_faces.text(a.line) == b_faces.text(b.line);
}

u64 cycles_of(const HotStream& stream, const FaceTable& faces, const std::vector<BranchSums>& branches) {
  u64 cycles = 0;
  for (std::size_t at = 0; at < stream.frames.size() && at < branches.size(); ++at) {
    const BranchSums& sums = branches[branches.size() - 1 - at];
    if (sums.ends != 0 && faces.look(stream.frames[at]).symbol.valid()) cycles += sums.cycles / sums.ends;
  }
  return cycles;
}

}  // namespace

std::vector<HotStream> hot_streams(const Hists& hists, const FaceTable& faces, u32 event, std::size_t most) {
  std::map<std::pair<u32, u32>, Sums> by_chain;  // by face of the sampled function, and by chain
  std::map<u32, u64> by_face;
  u64 whole = 0;
  for (u32 at = 0; at < hists.entries().size(); ++at) {
    const HistEntry& entry = hists.entries()[at];
    if (entry.chain == kRootChain.value || hists.groups()[GroupId(entry.group)][0] != event) continue;
    whole += entry.period;
    const u32 face = faces.face(HistFrameId(entry.leaf)).value;
    by_face[face] += entry.period;
    Sums& sums = by_chain[{face, entry.chain}];
    sums.period += entry.period;
    const std::span<const BranchSums> branches = hists.branches_of(at);
    sums.branches.resize(std::max(sums.branches.size(), branches.size()));
    for (std::size_t i = 0; i < branches.size(); ++i) sums.branches[i].add(branches[i]);
  }
  using Chain = std::pair<std::pair<u32, u32>, Sums>;
  std::vector<Chain> order(by_chain.begin(), by_chain.end());
  std::ranges::stable_sort(order, [](const Chain& a, const Chain& b) { return a.second.period > b.second.period; });
  order.resize(std::min(most, order.size()));
  std::ranges::stable_sort(
      order, [&](const Chain& a, const Chain& b) { return by_face[a.first.first] > by_face[b.first.first]; });
  std::vector<HotStream> streams;
  for (const auto& [key, sums] : order) {
    HotStream stream{.frames = hists.chains().frames(ChainId(key.second)), .period = sums.period};
    std::ranges::reverse(stream.frames);
    stream.share = percent_of(stream.period, whole);
    stream.cycles = cycles_of(stream, faces, sums.branches);
    streams.push_back(std::move(stream));
  }
  return streams;
}

StreamPairs pair_streams(const std::vector<HotStream>& first, const FaceTable& first_faces,
                         const std::vector<HotStream>& second, const FaceTable& second_faces) {
  StreamPairs pairs;
  std::vector<bool> taken(second.size());
  const auto same = [&](const HotStream& a, const HotStream& b) {
    return std::ranges::equal(a.frames, b.frames, [&](HistFrameId x, HistFrameId y) {
      return same_frame(first_faces, first_faces.look(x), second_faces, second_faces.look(y));
    });
  };
  for (std::size_t at = 0; at < first.size(); ++at) {
    std::size_t other = 0;
    while (other < second.size() && (taken[other] || !same(first[at], second[other]))) ++other;
    if (other == second.size()) {
      pairs.first_only.push_back(at);
      continue;
    }
    taken[other] = true;
    pairs.both.emplace_back(at, other);
  }
  for (std::size_t at = 0; at < second.size(); ++at)
    if (!taken[at]) pairs.second_only.push_back(at);
  return pairs;
}

}  // namespace peregrine
