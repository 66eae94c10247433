#include "unwind/branch_stitcher.h"

#include <cstddef>
#include <span>
#include <utility>

#include "base/types.h"

namespace peregrine {

std::span<const u64> BranchStitcher::callers_below(u32 tid, std::span<const abi::BranchEntry> calls, u64 hw_index) {
  constexpr std::size_t kMost = 1024;
  if (registers_ == 0 || hw_index >= registers_ || calls.empty() || calls.size() > registers_) {
    threads_.erase(tid);
    return {};
  }
  Thread next;
  next.hw_index = hw_index;
  for (const abi::BranchEntry& call : calls) next.calls.push_back({call.from, call.to});
  Thread& last = threads_[tid];
  std::size_t shared = 0;
  if (continues(last, next.calls, hw_index, shared)) {
    for (std::size_t i = shared + 1; i < last.calls.size(); ++i) next.below.push_back(last.calls[i].from);
    next.below.insert(next.below.end(), last.below.begin(), last.below.end());
    if (next.below.size() > kMost) next.below.resize(kMost);
  }
  last = std::move(next);
  return last.below;
}

// Whether the oldest call of this sample was also in the last sample, in the same register. Sets `shared_from` to its
// index there.
bool BranchStitcher::continues(const Thread& last, const std::vector<Call>& calls, u64 hw_index,
                               std::size_t& shared_from) const {
  const u64 oldest = (hw_index + registers_ - (calls.size() - 1)) % registers_;
  shared_from = static_cast<std::size_t>((last.hw_index + registers_ - oldest) % registers_);
  return shared_from < last.calls.size() && last.calls[shared_from] == calls.back();
}

}  // namespace peregrine
