#include "analysis/memory/kernel_memory.h"

#include <vector>

#include "base/result.h"
#include "base/text/text_cursor.h"
#include "base/types.h"
#include "data/feature/host/node_cpus.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

KernelMemory::KernelMemory(const data::Reader& reader, const KernelMemoryRequest& request) {
  const auto& nodes = reader.header().features.numa_topology;
  if (request.slab) slab_.emplace(reader, nodes ? data::nodes_of_cpus(*nodes, 0) : std::vector<i32>());
  if (request.pages) pages_.emplace(reader, request.live_pages);
}

void KernelMemory::begin_batch() {
  if (slab_) slab_->begin_batch();
  if (pages_) pages_->begin_batch();
}

void KernelMemory::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  if (slab_) slab_->sample(sample, resolver, worker);
  if (pages_) pages_->sample(sample, resolver, worker);
}

Result<> KernelMemory::outcome() const {
  if (slab_) PEREGRINE_TRY(slab_->outcome());
  return pages_ ? pages_->outcome() : Result<>();
}

bool has_old_migrate_types(const data::Reader& reader) {
  const auto& release = reader.header().features.os_release;
  if (!release) return false;
  TextCursor cursor(*release);
  const auto major = cursor.take_number<u32>();
  cursor.take('.');
  const auto minor = cursor.take_number<u32>();
  return major && minor && (*major < 4 || (*major == 4 && *minor < 4));
}

}  // namespace peregrine
