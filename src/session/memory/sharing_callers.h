// SharingCallers: the callers of code that accesses shared lines, as a call graph below each row of `c2c report`.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>

#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/sharing/line_sharing.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/machine.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class SharingCallers {
 public:
  // Errors: none that a user can cause.
  static Result<SharingCallers> make(GraphOptions options);

  // LineSharing forwards the samples of its rows to this sink.
  ReplaySink& sink() { return *collector_; }
  // Call after the replay; `machine` must outlive this.
  void finish(const Machine& machine);
  // The call graph of one row of the line as text, followed by an empty line; empty if there are no callers.
  std::string text(const SharedLine& line, const SharingRow& row);

 private:
  explicit SharingCallers(GraphOptions options) : options_(options) {}

  GraphOptions options_;
  std::unique_ptr<HistCollector> collector_;
  std::unique_ptr<MachineNaming> naming_;
  std::unique_ptr<Hists> hists_;
  std::unique_ptr<FaceTable> faces_;
  std::unique_ptr<RowTable> table_;
  std::unique_ptr<CallGraphBuilder> graphs_;
  std::unordered_map<u64, u32> rows_;  // of the table, by SharingRow::number
};

}  // namespace peregrine
