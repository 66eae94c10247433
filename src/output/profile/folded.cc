#include "output/profile/folded.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "base/types.h"
#include "output/text/format/printable.h"

namespace peregrine {

void print_folded(Sink& out, const FoldedStacks& folded, bool by_count) {
  std::vector<std::string> labels;
  labels.reserve(folded.labels.size());
  for (const std::string& label : folded.labels) {
    labels.push_back(printable(label));
    std::ranges::replace(labels.back(), ';', ':');
  }
  std::vector<u32> path;
  for (const FoldedStacks::Row& row : folded.rows) {
    out.append(labels[row.root]);
    path.clear();
    for (ChainId at = row.stack; at != kRootChain; at = folded.stacks.parent(at))
      path.push_back(folded.stacks.frame(at).value);
    for (std::size_t at = path.size(); at-- > 0;) out.append(';').append(labels[path[at]]);
    out.append(' ').decimal(by_count ? row.samples : row.period).append('\n');
  }
}

}  // namespace peregrine
