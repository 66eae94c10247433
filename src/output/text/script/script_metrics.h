// ScriptMetrics: `script -F metric`: when each event of a group has had a sample, what their periods say together
// ("2.50  insn per cycle"). For events that are no group there is nothing to compare.
//
// A group whose next round begins before all its events had a sample begins anew. One worker, samples in their order.
#pragma once
#include <string>
#include <vector>

#include "analysis/stat/stat_metric.h"
#include "data/header/evlist.h"

namespace peregrine {

class ScriptMetrics {
 public:
  explicit ScriptMetrics(const data::Evlist& evlist) : evlist_(evlist) {}

  // The texts of the metrics that this sample completes, "   2.50  insn per cycle".
  std::vector<std::string> add(u32 event, u64 period);

 private:
  void take_events();

  const data::Evlist& evlist_;  // of a pipe it grows
  EventList events_;
  StatPlaceCounts counts_;  // since each group's last metrics
};

}  // namespace peregrine
