#include "pipeline/replay/user_stacks.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "abi/arch/registers.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "unwind/branch_chain.h"
#include "unwind/unwinder.h"

namespace peregrine {

bool UserStacks::complete(const Resolver::Context& context, abi::Arch arch, ByteOrder order, unsigned max_stack,
                          abi::Sample& sample) {
  if (!StackUnwinder::has_stack(sample)) return false;
  chain_.clear();
  unsigned frames = 0;
  for (const u64 ip : sample.callchain) {
    if (ip < abi::kContextMax && frames++ == max_stack) break;
    chain_.push_back(ip);
  }
  chain_.push_back(abi::kContextUser);
  const UnwindLimits limits{.frames = max_stack};
  const UnwindStop stop = unwinder_.unwind(context.space, arch, order, sample, limits, chain_);
  ++counts_.stacks[static_cast<std::size_t>(stop)];
  sample.callchain = chain_;
  return true;
}

bool UserStacks::complete_by_branches(unsigned max_stack, std::span<const u64> below, abi::Sample& sample) {
  const auto looked_at = sample.callchain.first(std::min<std::size_t>(max_stack, sample.callchain.size()));
  const auto user = std::ranges::find(looked_at, abi::kContextUser);
  if (sample.branches.empty() || user == looked_at.end()) return false;
  chain_.assign(looked_at.begin(), user + 1);
  append_branch_callers(sample.branches, chain_);
  chain_.insert(chain_.end(), below.begin(), below.end());
  sample.callchain = chain_;
  return true;
}

}  // namespace peregrine
