#include "analysis/memory/slab_usage.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

enum SlabField : u8 { AllocatedAddress, AllocatedRequest, AllocatedBytes, AllocatedCaller, AllocatedNode };
constexpr std::size_t kFrees = 4;  // index of the first freeing tracepoint in wanted_slabs()

std::vector<WantedTracepoint> wanted_slabs() {
  const std::vector<std::string_view> made = {"ptr", "bytes_req", "bytes_alloc", "call_site", "node"};
  return {{"kmem", "kmalloc", made, 4},      {"kmem", "kmem_cache_alloc", made, 4},
          {"kmem", "kmalloc_node", made, 4}, {"kmem", "kmem_cache_alloc_node", made, 4},
          {"kmem", "kfree", {"ptr"}},        {"kmem", "kmem_cache_free", {"ptr"}}};
}

void add(SlabRow& row, u64 key, u64 requested, u64 allocated) {
  row.key = key;
  row.requested += requested;
  row.allocated += allocated;
  ++row.hits;
}

}  // namespace

SlabUsage::SlabUsage(const data::Reader& reader, std::vector<i32> node_of)
    : TracepointSink(reader, wanted_slabs()), node_of_(std::move(node_of)) {}

void SlabUsage::take(const TracepointView& view, const ReplaySample& sample, Resolver&) {
  if (view.which < kFrees)
    allocate(view, sample.sample.cpu);
  else
    release(view, sample.sample.cpu);
}

void SlabUsage::allocate(const TracepointView& view, u32 cpu) {
  const u64 address = view.number(AllocatedAddress), caller = view.number(AllocatedCaller);
  const u64 requested = view.number(AllocatedRequest), allocated = view.number(AllocatedBytes);
  Address& at = addresses_[address];
  add(at.row, address, requested, allocated);
  at.caller = caller;
  at.last = allocated;
  at.cpu = cpu;
  at.live = true;
  add(callers_[caller], caller, requested, allocated);
  totals_.requested += requested;
  totals_.allocated += allocated;
  ++totals_.allocations;
  const i64 node = static_cast<i64>(view.number(AllocatedNode));
  const i32 here = cpu < node_of_.size() ? node_of_[cpu] : 0;
  if (view.has(AllocatedNode) && node >= 0 && here != node) ++totals_.cross_allocations;
}

void SlabUsage::release(const TracepointView& view, u32 cpu) {
  const auto found = addresses_.find(view.number(AllocatedAddress));
  if (found == addresses_.end()) {
    ++totals_.unknown_frees;
    return;
  }
  Address& at = found->second;
  totals_.freed += at.last;
  if (at.live && at.cpu != cpu) {
    ++at.row.ping_pongs;
    ++callers_[at.caller].ping_pongs;
  }
  at.live = false;
  at.last = 0;
}

std::vector<SlabRow> SlabUsage::by_caller() const {
  std::vector<SlabRow> rows;
  for (const auto& [caller, row] : callers_) rows.push_back(row);
  return rows;
}

std::vector<SlabRow> SlabUsage::by_address() const {
  std::vector<SlabRow> rows;
  for (const auto& [address, at] : addresses_) rows.push_back(at.row);
  return rows;
}

}  // namespace peregrine
