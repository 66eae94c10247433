// Frames for places other than the sampled code: ends of branches, accessed data.
#pragma once
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"

namespace peregrine {

// For ends of branches; one per worker and resolver.
class PlaceFrames {
 public:
  // `lines`: frames have source lines, from `sources`. `addresses`: distinguish places in one symbol.
  PlaceFrames(SourceTable* sources, bool lines, bool addresses)
      : sources_(sources), lines_(lines && sources != nullptr), addresses_(addresses) {}

  HistFrameId find(HistFrameTable& frames, Resolver& resolver, FrameId place);

 private:
  SourceTable* sources_;
  bool lines_, addresses_;
  std::vector<u32> known_;  // by the resolver's FrameId
};

// The frame of a data address, looked up in the half of the address space it is in, since the kernel also accesses user
// memory. Without a symbol, its process address identifies it.
HistFrameId data_frame(HistFrameTable& frames, Resolver& resolver, const Resolver::Context& context, u64 address);

}  // namespace peregrine
