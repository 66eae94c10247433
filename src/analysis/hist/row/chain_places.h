// Properties of chain tree nodes: depth, and whether a function occurs there for the first time.
#pragma once
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/key/face_table.h"
#include "base/types.h"

namespace peregrine {

// By node: number of frames from the outermost one; 0 for the root.
std::vector<u32> chain_depths(const ChainTree& chains);

// By node: whether no ancestor has the same face.
std::vector<bool> outermost_nodes(const ChainTree& chains, const FaceTable& faces);

}  // namespace peregrine
