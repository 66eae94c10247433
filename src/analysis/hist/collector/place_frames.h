// Places that samples mention beside their code, as frames of a Hists: the ends of branches, data that was accessed.
#pragma once
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "machine/source/source_table.h"

namespace peregrine {

// Ends of branches; for one worker and its resolver.
class PlaceFrames {
 public:
  // `lines`: each frame has its source line, from `sources`. `addresses`: places in one symbol are told apart.
  PlaceFrames(SourceTable* sources, bool lines, bool addresses)
      : sources_(sources), lines_(lines && sources != nullptr), addresses_(addresses) {}

  HistFrameId find(HistFrameTable& frames, Resolver& resolver, FrameId place);

 private:
  SourceTable* sources_;
  bool lines_, addresses_;
  std::vector<u32> known_;  // by the resolver's FrameId
};

// The frame of a data address, which is looked for in the half of memory it lies in: the kernel touches programs'
// memory, too. Where no symbol covers it, its address in the process tells it apart.
HistFrameId data_frame(HistFrameTable& frames, Resolver& resolver, const Resolver::Context& context, u64 address);

}  // namespace peregrine
