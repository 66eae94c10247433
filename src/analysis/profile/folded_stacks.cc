#include "analysis/profile/folded_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "analysis/hist/chain/chain_children.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {
namespace {

class Folder {
 public:
  Folder(const Profile& profile, const FoldRequest& request) : profile_(profile), request_(request) {}

  FoldedStacks fold() {
    const std::vector<HistFrameId> frames = label_frames();
    const std::vector<ChainId> stacks = folded_.stacks.merge(profile_.stacks, frames);
    const std::vector<u32> threads = label_threads();
    rank_labels();
    number_stacks();
    for (const ProfileSample& sample : profile_.samples) {
      if (sample.event != request_.event) continue;
      folded_.rows.push_back({.root = threads[sample.thread],
                              .stack = stacks[sample.stack.value],
                              .period = sample.period,
                              .samples = sample.samples});
    }
    sum_rows();
    return std::move(folded_);
  }

 private:
  u32 label(std::string text, u32 example) {
    const StringId id = texts_.intern(text);
    if (id.value == folded_.labels.size()) {
      folded_.labels.push_back(std::move(text));
      folded_.example.push_back(example);
    }
    return id.value;
  }
  std::vector<HistFrameId> label_frames();
  std::vector<u32> label_threads();
  void rank_labels();
  void number_stacks();
  void sum_rows();

  const Profile& profile_;
  const FoldRequest& request_;
  FoldedStacks folded_;
  StringPool texts_;
  std::vector<u32> rank_;    // alphabetical rank of labels
  std::vector<u32> number_;  // by stack: its position in row order
};

std::vector<HistFrameId> Folder::label_frames() {
  std::vector<HistFrameId> result;
  for (u32 at = 0; at < profile_.frames.size(); ++at) {
    const ProfileFrame& frame = profile_.frames[at];
    std::string name = frame_name(profile_, frame);
    if (request_.addresses && !frame.symbol.valid() && name.ends_with(']'))
      name.insert(name.size() - 1, fmt::format(" <{:x}>", frame.address));
    if (request_.mark_inlined && frame.inlined)
      name += "_[i]";
    else if (request_.mark_kernel && frame.kernel)
      name += "_[k]";
    else if (request_.mark_jit && frame.jit)
      name += "_[j]";
    result.push_back(HistFrameId(label(std::move(name), at)));
  }
  return result;
}

std::vector<u32> Folder::label_threads() {
  std::vector<u32> result;
  for (const ProfileThread& thread : profile_.threads) {
    std::string name(profile_.text(thread.comm));
    name.erase(name.find_last_not_of(' ') + 1);
    std::ranges::replace(name, ' ', '_');
    if (request_.tid)
      name += fmt::format("-{}/{}", thread.pid, thread.tid);
    else if (request_.pid)
      name += fmt::format("-{}", thread.pid);
    result.push_back(label(std::move(name), ~0u));
  }
  return result;
}

void Folder::rank_labels() {
  std::vector<u32> order(folded_.labels.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](u32 at) { return std::string_view(folded_.labels[at]); });
  rank_.resize(order.size());
  for (u32 at = 0; at < order.size(); ++at) rank_[order[at]] = at;
}

void Folder::number_stacks() {
  const ChainChildren children(folded_.stacks);
  number_.resize(folded_.stacks.size());
  std::vector<u32> open{kRootChain.value};
  for (u32 next = 0; !open.empty(); ++next) {
    const u32 at = open.back();
    open.pop_back();
    number_[at] = next;
    const std::size_t from = open.size();
    for (const u32 child : children.of(at)) open.push_back(child);
    std::ranges::sort(open.begin() + static_cast<std::ptrdiff_t>(from), open.end(), std::greater(),
                      [&](u32 child) { return rank_[folded_.stacks.frame(ChainId(child)).value]; });
  }
}

void Folder::sum_rows() {
  std::vector<FoldedStacks::Row>& rows = folded_.rows;
  std::ranges::sort(
      rows, {}, [&](const FoldedStacks::Row& row) { return u64{rank_[row.root]} << 32 | number_[row.stack.value]; });
  std::size_t kept = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (kept > 0 && rows[kept - 1].root == rows[at].root && rows[kept - 1].stack == rows[at].stack) {
      rows[kept - 1].period += rows[at].period;
      rows[kept - 1].samples += rows[at].samples;
    } else {
      rows[kept++] = rows[at];
    }
  }
  rows.resize(kept);
}

}  // namespace

FoldedStacks fold(const Profile& profile, const FoldRequest& request) { return Folder(profile, request).fold(); }

u32 first_sampled_event(const Profile& profile) {
  for (u32 event = 0; event < profile.events.size(); ++event)
    if (profile.events[event].samples != 0) return event;
  return 0;
}

}  // namespace peregrine
