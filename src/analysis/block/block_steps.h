// BlockSteps: the time between the steps of each request, as blkparse -t shows it: from G to I, from I to D, from D to
// C.
//
// The first sector identifies a request; commands other than reads, writes and flushes have no times. Beyond
// kMostTracked unfinished requests, the older half is forgotten.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "analysis/block/block_event.h"
#include "base/types.h"

namespace peregrine {

struct BlockStep {
  u64 took = 0;   // ns since the step before
  u32 owner = 0;  // the thread that got the request
};

class BlockSteps {
 public:
  static constexpr std::size_t kMostTracked = std::size_t{1} << 16;

  // Nothing if the event is another one, or if the previous step was not seen.
  std::optional<BlockStep> add(const abi::BlktraceRecord& record);

 private:
  struct Track {
    u64 got = 0, inserted = 0, issued = 0;  // 0: not yet
    u32 owner = 0;
    u64 last() const { return issued != 0 ? issued : inserted != 0 ? inserted : got; }
  };
  using Key = std::pair<u32, u64>;  // device, first sector
  std::optional<BlockStep> complete(const Key& key, const abi::BlktraceRecord& record);

  std::map<Key, Track> tracks_;
};

}  // namespace peregrine
