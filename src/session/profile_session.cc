#include "session/profile_session.h"

#include <expected>
#include <utility>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/sort_key.h"
#include "machine/dso/dso.h"

namespace peregrine {

ProfileSession::ProfileSession(const data::Reader& reader, bool raw_trace, std::unique_ptr<TraceFields> fields)
    : traces_(reader, raw_trace), fields_(std::move(fields)) {}

void ProfileSession::open(SymbolPlaces places, bool full_source_paths) {
  machine_ = std::make_unique<Machine>(std::move(places));
  sources_ = std::make_unique<SourceTable>(machine_->dsos(), full_source_paths);
  data_types_ = std::make_unique<DataTypeTable>(machine_->dsos());
}

Result<> ProfileSession::collect(CollectRequest request) {
  request.sources = sources_.get();
  request.data_types = data_types_.get();
  request.fields = fields_.get();
  // Tracepoint texts are made for every sample, so only request them if a row shows them.
  if (needs_of(request.keys).has(KeyNeed::Traces)) request.traces = &traces_;
  keys_ = request.keys;
  auto collector = HistCollector::make(std::move(request));
  if (!collector) return std::unexpected(std::move(collector.error()));
  collector_ = std::move(*collector);
  return {};
}

Hists ProfileSession::finish() {
  Hists hists = collector_->finish();
  sources_->keep_answers();
  return hists;
}

MachineNaming ProfileSession::naming(bool long_names) const {
  MachineNaming naming(*machine_, long_names, sources_.get(), &traces_, fields_.get());
  naming.set_data_types(data_types_.get());
  return naming;
}

}  // namespace peregrine
