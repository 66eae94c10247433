// Where the nodes of a chain tree stand: how deep, and whether a function is met there for the first time.
#pragma once
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/key/face_table.h"

namespace peregrine {

// By node: frames from the outermost one to this one; 0 for the root.
std::vector<u32> chain_depths(const ChainTree& chains);

// By node: no frame of that face is above it.
std::vector<bool> outermost_nodes(const ChainTree& chains, const FaceTable& faces);

}  // namespace peregrine
