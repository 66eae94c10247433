// AccessCounts: how many sampled loads and stores were served by what: this core's caches, other cores' or nodes'
// caches, or memory.
//
// The kinds are those of linux-perf c2c. HITM: a line modified in another core's cache, the sign of contention. Peer: a
// line from another core's cache, not reported as modified (Arm).
#pragma once
#include "abi/data_source.h"
#include "base/types.h"

namespace peregrine {

struct AccessCounts {
  u64 records = 0, locked = 0;
  u64 loads = 0, load_without_address = 0, uncached_loads = 0, io_loads = 0, missed_loads = 0;
  u64 fill_buffer = 0, l1 = 0, l2 = 0, llc = 0;
  u64 local_hitm = 0, remote_hitm = 0, remote_hit = 0, local_peer = 0, remote_peer = 0;
  u64 local_dram = 0, remote_dram = 0, shared = 0, exclusive = 0;
  u64 blocked_by_data = 0, blocked_by_address = 0;
  u64 stores = 0, store_without_address = 0, uncached_stores = 0, l1_stores = 0, l1_missed_stores = 0,
      stores_of_unknown_level = 0;
  u64 unmapped = 0, unknown = 0;  // address or code in no map; neither load nor store

  u64 hitm() const { return local_hitm + remote_hitm; }
  u64 peer() const { return local_peer + remote_peer; }
  u64 llc_misses() const { return local_dram + remote_dram + remote_hit + remote_hitm; }

  // Adds one access. `mapped`: its address and its code are in maps.
  void add(const abi::DataSource& source, bool has_address, bool mapped);
  AccessCounts& operator+=(const AccessCounts& other);

 private:
  void add_load(const abi::DataSource& source);
  void add_store(const abi::DataSource& source);
};

}  // namespace peregrine
