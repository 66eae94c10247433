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

void add(SlabRow& row, u64 requested, u64 allocated) {
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
  Address& at = addresses_.at(address);
  add(at, requested, allocated);
  at.caller = callers_.index_of(caller);
  at.last = allocated;
  at.cpu = cpu;
  at.live = true;
  add(callers_[at.caller], requested, allocated);
  totals_.requested += requested;
  totals_.allocated += allocated;
  ++totals_.allocations;
  const i64 node = static_cast<i64>(view.number(AllocatedNode));
  const i32 here = cpu < node_of_.size() ? node_of_[cpu] : 0;
  if (view.has(AllocatedNode) && node >= 0 && here != node) ++totals_.cross_allocations;
}

void SlabUsage::release(const TracepointView& view, u32 cpu) {
  Address* at = addresses_.find(view.number(AllocatedAddress));
  if (at == nullptr) {
    ++totals_.unknown_frees;
    return;
  }
  totals_.freed += at->last;
  if (at->live && at->cpu != cpu) {
    ++at->ping_pongs;
    ++callers_[at->caller].ping_pongs;
  }
  at->live = false;
  at->last = 0;
}

std::vector<SlabRow> SlabUsage::by_address() const { return {addresses_.rows().begin(), addresses_.rows().end()}; }

}  // namespace peregrine
