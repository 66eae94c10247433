// KernelMemory: who allocates the kernel's memory: slab allocations, pages, or both in one pass over a recording, for
// kmem stat.
//
// A sink for one worker, fed in time order.
#pragma once
#include <optional>

#include "analysis/memory/page_usage.h"
#include "analysis/memory/slab_usage.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct KernelMemoryRequest {
  bool slab = false, pages = false;
  bool live_pages = false;  // only pages that were never freed
};

class KernelMemory : public ReplaySink {
 public:
  // `reader` must outlive this.
  KernelMemory(const data::Reader& reader, const KernelMemoryRequest& request);

  void begin_batch() override;
  bool needs_samples_of(u32 event) const override {
    return (slab_ && slab_->needs_samples_of(event)) || (pages_ && pages_->needs_samples_of(event));
  }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // The error in the recorded formats, if any.
  Result<> outcome() const;
  // Which of the two was requested.
  const std::optional<SlabUsage>& slab() const { return slab_; }
  const std::optional<PageUsage>& pages() const { return pages_; }

 private:
  std::optional<SlabUsage> slab_;
  std::optional<PageUsage> pages_;
};

// Whether the recorded kernel numbers migrate types as kernels before 4.4 did.
bool has_old_migrate_types(const data::Reader& reader);

}  // namespace peregrine
