#include "analysis/lock/lock_sums.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "analysis/lock/lock_callers.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

namespace {

// Formatted like a sample's callchain, without the tracing frames above the lock's own.
std::vector<u64> chain_of(const LockWaits& waits, LockCallers& callers, const Machine& machine) {
  const auto own = std::ranges::find_if(waits.frames, [&](u64 frame) { return callers.is_lock_code(machine, frame); });
  std::vector<u64> chain{abi::kContextKernel};
  chain.insert(chain.end(), own == waits.frames.end() ? waits.frames.begin() : own, waits.frames.end());
  return chain;
}

void add(LockRow& row, const LockWaits& waits) {
  row.least = row.waits == 0 ? waits.least : std::min(row.least, waits.least);
  row.most = std::max(row.most, waits.most);
  row.total += waits.total;
  row.waits += waits.count;
  row.acquired += waits.count;
  row.contended += waits.count;
}

u64 key_of(const LockWaits& waits, LockBy by, u64 caller) {
  if (by == LockBy::Task) return waits.tid;
  if (by == LockBy::Cgroup) return waits.cgroup;
  return by == LockBy::Lock ? waits.lock : caller;
}

}  // namespace

std::vector<LockRow> lock_rows(std::span<const LockWaits> waits, const LockUsage::Request& request, Machine& machine) {
  Resolver resolver(machine);
  LockCallers callers(request.skip, request.max_stack);
  std::unordered_map<u64, LockRow> rows;
  for (const LockWaits& each : waits) {
    const u64 caller = callers.follow(resolver.context(0, 0, kForever), chain_of(each, callers, machine), resolver);
    if (!request.functions.empty() && !callers.has_function(request.functions, resolver)) continue;
    const bool tasks = request.by == LockBy::Task;
    const u64 key = key_of(each, request.by, caller);
    const auto [at, fresh] = rows.try_emplace(key);
    add(at->second, each);
    if (!fresh) continue;
    at->second.key = key;
    at->second.flags = each.flags;
    at->second.name = !tasks ? callers.name(resolver) : each.comm.empty() ? "Unknown" : each.comm;
    if (request.stacks) at->second.stack = callers.stack(resolver);
  }
  std::vector<LockRow> all;
  for (auto& [key, row] : rows) all.push_back(std::move(row));
  return all;
}

}  // namespace peregrine
