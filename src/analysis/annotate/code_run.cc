#include "analysis/annotate/code_run.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace peregrine {

void CodeRun::add(const CodeRun& other) {
  count += other.count;
  predicted += other.predicted;
  timed += other.timed;
  cycles += other.cycles;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

void join_equal_runs(std::vector<CodeRun>& runs) {
  std::ranges::sort(runs, {}, [](const CodeRun& run) { return std::tuple(run.begin, run.end); });
  std::size_t kept = 0;
  for (std::size_t at = 0; at < runs.size(); ++at) {
    if (kept != 0 && runs[kept - 1].begin == runs[at].begin && runs[kept - 1].end == runs[at].end)
      runs[kept - 1].add(runs[at]);
    else
      runs[kept++] = runs[at];
  }
  runs.resize(kept);
}

}  // namespace peregrine
