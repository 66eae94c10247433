#include "analysis/hist/collector/branch_history.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "abi/record.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr u8 kConditional = 1;              // PERF_BR_COND
constexpr u64 kLongestCall = 8;             // bytes of a call instruction
constexpr std::size_t kDeepestStack = 127;  // branches; deeper stacks are corrupt

struct Branch {
  const abi::BranchEntry* entry = nullptr;
  u64 rounds = 0, round_cycles = 0;
};

u32 kinds_of(const abi::BranchEntry& branch) {
  if (branch.type == 0 || branch.from == 0) return 0;
  u32 kinds = 1u << (branch.type & 15);
  if (branch.type == kConditional) kinds |= branch.to > branch.from ? kBranchForward : kBranchBackward;
  const auto crosses = [&](u64 area) { return (branch.from & ~(area - 1)) != (branch.to & ~(area - 1)); };
  if (crosses(u64{2} << 20))
    kinds |= kBranchCrosses2M;
  else if (crosses(4096))
    kinds |= kBranchCrosses4K;
  return kinds;
}

// A loop can only begin at the first branch in each slot. linux-perf uses the same number of slots, so both find the
// same loops.
std::size_t slot_of(u64 from) { return ((from * 0x61c8864680b583ebu) >> 57) % 127; }

// Removes sequences of branches that repeat the preceding ones, and counts the rounds at the branch after them.
void fold_loops(std::vector<Branch>& branches) {
  constexpr u8 kEmpty = 0xff;
  std::array<u8, 127> first;
  first.fill(kEmpty);
  for (std::size_t at = 0; at < branches.size(); ++at) {
    u8& slot = first[slot_of(branches[at].entry->from)];
    if (slot == kEmpty) {
      slot = static_cast<u8>(at);
      continue;
    }
    if (branches[slot].entry->from != branches[at].entry->from) continue;
    const std::size_t length = std::min(at - slot, branches.size() - at);
    const auto repeats = [&](std::size_t i) { return branches[slot + i].entry->from == branches[at + i].entry->from; };
    std::size_t same = 0;
    u64 cycles = 0;
    for (; same < length && repeats(same); ++same) cycles += branches[at + same].entry->cycles;
    if (same < length) continue;
    if (at + length < branches.size()) {
      ++branches[at + length].rounds;
      branches[at + length].round_cycles = cycles;
    }
    const auto begin = branches.begin() + static_cast<std::ptrdiff_t>(at);
    branches.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
  }
}

// Number of innermost callchain entries that the branches already cover: markers, and return addresses of branches.
std::size_t told_by(std::span<const Branch> newest_first, std::span<const u64> callchain) {
  std::size_t told = 0;
  for (const Branch& branch : newest_first) {
    if (told >= callchain.size()) break;
    const u64 from = branch.entry->from;
    if (callchain[told] >= abi::kContextMax || (from < callchain[told] && from + kLongestCall >= callchain[told]))
      ++told;
  }
  return told;
}

}  // namespace

void make_branch_history(std::span<const abi::BranchEntry> newest_first, std::span<const u64> callchain,
                         ChainOrder order, unsigned max_stack, BranchHistory& history) {
  history.ends.clear();
  history.callers = callchain;
  history.context = 0;
  if (newest_first.size() > kDeepestStack) newest_first = {};
  const std::size_t count = std::min<std::size_t>(newest_first.size(), max_stack);
  std::vector<Branch> branches(count);
  for (std::size_t i = 0; i < count; ++i)
    branches[i].entry = &newest_first[order == ChainOrder::Callee ? i : newest_first.size() - 1 - i];
  const std::size_t told = order == ChainOrder::Callee ? told_by(branches, callchain) : 0;
  fold_loops(branches);
  for (const Branch& branch : branches) {
    const abi::BranchEntry& entry = *branch.entry;
    history.ends.push_back({entry.to,
                            {.ends = 1,
                             .predicted = entry.predicted ? 1u : 0u,
                             .aborted = entry.abort ? 1u : 0u,
                             .kinds = kinds_of(entry),
                             .target = true,
                             .first_target = true}});
    history.ends.push_back(
        {entry.from,
         {.ends = 1, .cycles = entry.cycles, .rounds = branch.rounds, .round_cycles = branch.round_cycles}});
  }
  const std::size_t least = std::min(told, callchain.size());
  const std::size_t kept = callchain.size() - std::min(callchain.size(), branches.size());
  history.callers =
      order == ChainOrder::Callee ? callchain.subspan(least, kept - std::min(kept, least)) : callchain.last(kept);
  for (const u64& value : callchain) {
    if (&value == history.callers.data()) break;
    if (value >= abi::kContextMax) history.context = value;
  }
}

}  // namespace peregrine
