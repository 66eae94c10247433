// ScriptMetrics: `script -F metric`: once each event of a group has had a sample, computes metrics from their periods
// ("2.50  insn per cycle"). Prints nothing for ungrouped events.
//
// A group is reset if its next round begins before all its events had a sample. One worker, samples in order.
#pragma once
#include <string>
#include <vector>

#include "analysis/stat/stat_metric.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/spec.h"

namespace peregrine {

class ScriptMetrics {
 public:
  explicit ScriptMetrics(const data::Evlist& evlist) : evlist_(evlist) {}

  // The metrics that this sample completes: "   2.50  insn per cycle".
  std::vector<std::string> add(u32 event, u64 period);

 private:
  void take_events();

  const data::Evlist& evlist_;  // grows when reading a pipe
  EventList events_;
  StatPlaceCounts counts_;  // since each group's last metrics
};

}  // namespace peregrine
