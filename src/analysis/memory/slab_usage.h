// SlabUsage: who allocates small kernel objects (kmalloc, kmem_cache_alloc), how much is allocated beyond the requested
// size, and what is freed on a different CPU.
//
// In bytes. One entry per call site and one per allocated address; frees of earlier allocations are not counted.
#pragma once
#include <vector>

#include "analysis/field/recorded_tracepoints.h"
#include "analysis/keyed_rows.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct SlabRow {
  u64 key = 0;  // the call site, or the address
  u64 allocated = 0, requested = 0;
  u64 hits = 0;
  u64 ping_pongs = 0;  // frees on a different CPU
  double fragmentation() const {
    return allocated == 0 ? 0 : 100.0 - 100.0 * static_cast<double>(requested) / static_cast<double>(allocated);
  }
};

struct SlabTotals {
  u64 requested = 0, allocated = 0, freed = 0, allocations = 0, cross_allocations = 0;
  u64 unknown_frees = 0;
  i64 net() const { return static_cast<i64>(allocated) - static_cast<i64>(freed); }
};

class SlabUsage : public TracepointSink {
 public:
  // `node_of`: the NUMA node of each CPU; 0 if unknown.
  SlabUsage(const data::Reader& reader, std::vector<i32> node_of);

  const std::vector<SlabRow>& by_caller() const { return callers_.rows(); }
  std::vector<SlabRow> by_address() const;
  const SlabTotals& totals() const { return totals_; }

 private:
  struct Address : SlabRow {
    u64 last = 0;    // bytes of the current allocation
    u32 caller = 0;  // index in callers_
    u32 cpu = 0;
    bool live = false;
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  void allocate(const TracepointView& view, u32 cpu);
  void release(const TracepointView& view, u32 cpu);

  std::vector<i32> node_of_;
  KeyedRows<Address> addresses_;
  KeyedRows<SlabRow> callers_;
  SlabTotals totals_;
};

}  // namespace peregrine
