#include "analysis/hist/row/chain_places.h"

#include "analysis/flat_index.h"
#include "base/types.h"

namespace peregrine {

std::vector<u32> chain_depths(const ChainTree& chains) {
  std::vector<u32> depths(chains.size());
  for (u32 at = 1; at < depths.size(); ++at) depths[at] = depths[chains.parent(ChainId(at)).value] + 1;
  return depths;
}

// A Bloom filter of the faces above lets most nodes skip the walk.
std::vector<bool> outermost_nodes(const ChainTree& chains, const FaceTable& faces) {
  std::vector<bool> outermost(chains.size(), true);
  std::vector<u64> above(chains.size());
  for (u32 at = 1; at < above.size(); ++at) {
    const FaceId face = faces.face(chains.frame(ChainId(at)));
    const u64 bit = u64{1} << (mix_bits(face.value) & 63);
    ChainId up = chains.parent(ChainId(at));
    above[at] = above[up.value] | bit;
    if ((above[up.value] & bit) == 0) continue;
    for (; up != kRootChain; up = chains.parent(up)) {
      if (faces.face(chains.frame(up)) != face) continue;
      outermost[at] = false;
      break;
    }
  }
  return outermost;
}

}  // namespace peregrine
