#include "analysis/hist/flame_tree.h"

#include <algorithm>
#include <map>

#include "analysis/hist/chain_children.h"

namespace peregrine {
namespace {

struct Sum {
  u64 period = 0, samples = 0;
};

class FlameMaker {
 public:
  FlameMaker(const Hists& hists, const FaceTable& faces, const FlameRequest& request)
      : hists_(hists), faces_(faces), request_(request), chains_(hists.chains()), sums_(chains_.size()) {
    name_frames();
    children_ = ChainChildren(chains_);
  }
  FlameTree make(Naming& naming);

 private:
  struct Part {  // one comm's entries
    std::vector<u32> entries;
    Sum sum;
  };
  void name_frames();
  void add_comm(const std::string& comm, const Part& part, u64 offset);
  void expand(u32 box, const std::vector<u32>& nodes);
  FlameKind kind_of(const FrameLook& look) const;

  const Hists& hists_;
  const FaceTable& faces_;
  const FlameRequest& request_;
  const ChainTree& chains_;
  FlameTree tree_;
  u64 least_ = 0;
  std::vector<u32> label_;          // by frame: its place in names_
  std::vector<std::string> names_;  // in alphabetical order
  std::vector<FlameKind> kinds_;    // by label
  ChainChildren children_;
  std::vector<Sum> sums_;  // by chain node, of the comm at hand
};

FlameKind FlameMaker::kind_of(const FrameLook& look) const {
  const std::string_view dso = faces_.text(look.dso);
  if (look.level == 'k' || look.level == 'g')
    return dso.starts_with("[kernel") || dso.starts_with("[guest") || dso.contains("vmlinux") ? FlameKind::Kernel
                                                                                              : FlameKind::Module;
  if (dso.starts_with("[JIT]")) return FlameKind::Jit;
  if (!look.symbol.valid()) return FlameKind::Unresolved;
  return dso.contains(".so") || dso == "[vdso]" ? FlameKind::Library : FlameKind::Application;
}

void FlameMaker::name_frames() {
  std::map<std::string, std::pair<FlameKind, std::vector<u32>>> by_name;
  for (u32 frame = 0; frame < hists_.frames().size(); ++frame) {
    const FrameLook& look = faces_.look(HistFrameId(frame));
    const std::string_view dso = faces_.text(look.dso);
    std::string name(look.symbol.valid() ? faces_.text(look.symbol) : dso);
    if (!look.symbol.valid() && !name.starts_with('[')) name = fmt::format("[{}]", name);
    auto& named = by_name.try_emplace(std::move(name), kind_of(look), std::vector<u32>()).first->second;
    named.second.push_back(frame);
  }
  label_.resize(hists_.frames().size());
  for (auto& [name, named] : by_name) {
    for (const u32 frame : named.second) label_[frame] = static_cast<u32>(names_.size());
    names_.push_back(name);
    kinds_.push_back(named.first);
  }
}

FlameTree FlameMaker::make(Naming& naming) {
  std::map<std::string, Part> comms;
  Sum all;
  for (u32 at = 0; at < hists_.entries().size(); ++at) {
    const HistEntry& entry = hists_.entries()[at];
    const std::span<const u64> values = hists_.groups()[GroupId(entry.group)];
    if (values[0] != request_.event) continue;
    Part& part = comms[naming.text(SortKey::Comm, values[request_.comm_column])];
    part.entries.push_back(at);
    part.sum.period += entry.period;
    part.sum.samples += entry.samples;
    all.period += entry.period;
    all.samples += entry.samples;
  }
  least_ = static_cast<u64>(static_cast<double>(all.period) * request_.least_share);
  tree_.boxes.push_back({.name = "all", .period = all.period, .samples = all.samples});
  u64 offset = 0;
  for (const auto& [comm, part] : comms) {
    add_comm(comm, part, offset);
    offset += part.sum.period;
  }
  for (const FlameBox& box : tree_.boxes) tree_.depth = std::max(tree_.depth, box.depth + 1);
  return std::move(tree_);
}

void FlameMaker::add_comm(const std::string& comm, const Part& part, u64 offset) {
  if (part.sum.period < least_ || part.sum.period == 0) {
    ++tree_.pruned;
    return;
  }
  const u32 box = static_cast<u32>(tree_.boxes.size());
  tree_.boxes.push_back({.name = comm,
                         .kind = FlameKind::Comm,
                         .period = part.sum.period,
                         .samples = part.sum.samples,
                         .offset = offset,
                         .depth = 1,
                         .parent = 0});
  std::vector<u32> touched;
  for (const u32 id : part.entries) {
    const HistEntry& entry = hists_.entries()[id];
    for (ChainId at(entry.chain);; at = chains_.parent(at)) {
      Sum& sum = sums_[at.value];
      if (sum.samples == 0) touched.push_back(at.value);
      sum.period += entry.period;
      sum.samples += entry.samples;
      if (at == kRootChain) break;
    }
  }
  expand(box, {kRootChain.value});
  for (const u32 at : touched) sums_[at] = {};
}

void FlameMaker::expand(u32 box, const std::vector<u32>& nodes) {
  const auto label = [&](u32 node) { return label_[chains_.frame(ChainId(node)).value]; };
  // A run of unresolved frames of one dso says nothing by its height: it is one box.
  const bool unresolved = tree_.boxes[box].kind == FlameKind::Unresolved;
  std::vector<u32> below;
  std::vector<u32> open = nodes;
  while (!open.empty()) {
    const u32 node = open.back();
    open.pop_back();
    for (const u32 child : children_.of(node)) {
      if (sums_[child].samples == 0) continue;
      const bool same = unresolved && node != kRootChain.value && label(child) == label(node);
      (same ? open : below).push_back(child);
    }
  }
  std::ranges::sort(below, {}, [&](u32 node) { return std::pair(label(node), node); });
  u64 offset = tree_.boxes[box].offset;
  for (std::size_t from = 0, to = 0; from < below.size(); from = to) {
    Sum sum;
    for (; to < below.size() && label(below[to]) == label(below[from]); ++to) {
      sum.period += sums_[below[to]].period;
      sum.samples += sums_[below[to]].samples;
    }
    const u64 left = offset;
    offset += sum.period;
    if (sum.period < least_ || sum.period == 0) {
      ++tree_.pruned;
      continue;
    }
    const u32 child = static_cast<u32>(tree_.boxes.size());
    tree_.boxes.push_back({.name = names_[label(below[from])],
                           .kind = kinds_[label(below[from])],
                           .period = sum.period,
                           .samples = sum.samples,
                           .offset = left,
                           .depth = tree_.boxes[box].depth + 1,
                           .parent = box});
    expand(child, {below.begin() + static_cast<std::ptrdiff_t>(from), below.begin() + static_cast<std::ptrdiff_t>(to)});
  }
}

}  // namespace

FlameTree make_flame_tree(const Hists& hists, const FaceTable& faces, Naming& naming, const FlameRequest& request) {
  return FlameMaker(hists, faces, request).make(naming);
}

}  // namespace peregrine
