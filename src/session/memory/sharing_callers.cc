#include "session/memory/sharing_callers.h"

#include <expected>
#include <span>
#include <string>
#include <utility>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/machine.h"
#include "output/sink.h"
#include "output/text/report/report_graph.h"

namespace peregrine {

namespace {

// Where LineSharing stores the number of a row.
SortKey row_number() { return SortKey::PhysicalAddress; }

}  // namespace

Result<SharingCallers> SharingCallers::make(GraphOptions options) {
  // The sampled code is the innermost frame of its chain.
  auto collector = HistCollector::make({.keys = {row_number()},
                                        .by_leaf = false,
                                        .by_address = options.key == GraphKey::Address,
                                        .history_order = options.order});
  if (!collector) return std::unexpected(std::move(collector.error()));
  SharingCallers callers(options);
  callers.collector_ = std::move(*collector);
  return callers;
}

void SharingCallers::finish(const Machine& machine) {
  naming_ = std::make_unique<MachineNaming>(machine);
  hists_ = std::make_unique<Hists>(collector_->finish());
  faces_ = std::make_unique<FaceTable>(hists_->frames(), *naming_, FaceKeys{.dso = true, .symbol = true});
  RowRequest request{.with_chains = true, .chain_order = options_.order};
  request.columns.keys = {row_number()};
  request.columns.shown = request.columns.order = {column_of(row_number())};
  table_ = std::make_unique<RowTable>(*hists_, *faces_, *naming_, std::move(request));
  for (u32 row = 0; row < table_->rows().size(); ++row)
    rows_.emplace(table_->group_value(table_->rows()[row], row_number()), row);
  graphs_ = std::make_unique<CallGraphBuilder>(*table_);
}

std::string SharingCallers::text(const SharedLine& line, const SharingRow& row) {
  const auto found = rows_.find(row.number);
  if (found == rows_.end()) return {};
  const auto graphs =
      graphs_->build(std::span(&found->second, 1), least_total(line.period, options_), least_share(options_));
  Sink out;
  print_call_graph(out, graphs[0], *faces_, {.options = options_}, table_->weight(table_->rows()[found->second]),
                   line.period);
  return out.take();
}

}  // namespace peregrine
