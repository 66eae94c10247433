#include "pipeline/decode/trace/call_stack.h"

#include <algorithm>
#include <cstddef>

#include "abi/branch_flag.h"
#include "base/types.h"
#include "pipeline/decode/trace/trace_output.h"

namespace peregrine {
namespace {

constexpr u64 kKernelContext = static_cast<u64>(-128), kUserContext = static_cast<u64>(-512);

}  // namespace

u32 CallStack::follow(u32 tid, const auxtrace::Branch& branch) {
  namespace flag = abi::branch_flag;
  std::vector<Call>& calls = stacks_[tid];
  if ((branch.flags & flag::Call) != 0) {
    const u64 back = branch.from + branch.length;
    if (branch.length != 0 && back != branch.to) {
      if (calls.size() == kDeepest) calls.erase(calls.begin(), calls.begin() + kDeepest / 2);
      calls.push_back({back, (branch.flags & flag::TraceEnd) != 0});
    }
  } else if ((branch.flags & flag::TraceBegin) != 0) {
    if (!calls.empty() && calls.back().left_trace) calls.pop_back();
  } else if ((branch.flags & flag::Return) != 0 && branch.from != 0) {
    const auto answered =
        std::find_if(calls.rbegin(), calls.rend(), [&](const Call& call) { return call.back == branch.to; });
    if (answered != calls.rend()) calls.erase(answered.base() - 1, calls.end());
  }
  return static_cast<u32>(calls.size());
}

void CallStack::forget(u32 tid) {
  if (const auto found = stacks_.find(tid); found != stacks_.end()) found->second.clear();
}

void CallStack::chain(u32 tid, u64 ip, std::size_t most, std::vector<u64>& out) const {
  out.clear();
  u64 context = 0;
  std::size_t addresses = 0;
  const auto add = [&](u64 address) {
    const u64 its = address >= kKernelStart ? kKernelContext : kUserContext;
    if (its != context) out.push_back(its);
    context = its;
    out.push_back(address);
    ++addresses;
  };
  add(ip);
  const auto found = stacks_.find(tid);
  if (found == stacks_.end()) return;
  for (auto call = found->second.rbegin(); call != found->second.rend() && addresses < most; ++call) add(call->back);
}

}  // namespace peregrine
