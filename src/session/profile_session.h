// ProfileSession: turns a recording, or a system that is being sampled, into sums. It holds the machine that the
// records describe, the tables that provide texts for what was hit, and the collector that aggregates samples.
//
//   ProfileSession session(reader, raw_trace, recorded_fields);
//   Plan plan = …session.fields()…                        // what to show may depend on the tracepoints' fields
//   session.open(places, full_source_paths);              // machine, source lines, data types
//   PEREGRINE_TRY(session.collect(std::move(request)));   // gives the collector the tables that its keys need
//   Replay(reader, session.machine(), …).run(session.collector());
//   Hists hists = session.finish();
//   MachineNaming naming = session.naming();              // the texts of the rows
//
// Rows refer to what they show by ids, which are valid for as long as the session lives.
#pragma once
#include <memory>
#include <vector>

#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/key/trace_fields.h"
#include "analysis/hist/key/trace_texts.h"
#include "base/result.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"

namespace peregrine {

class ProfileSession {
 public:
  // `reader` must outlive the session. `raw_trace`: show tracepoints as fields, without print formats. `fields`: of the
  // recording's tracepoints; null if unknown.
  explicit ProfileSession(const data::Reader& reader, bool raw_trace = false,
                          std::unique_ptr<TraceFields> fields = nullptr);

  // Where to find binaries, and whether to show source files with their folders. Call once, before collect().
  void open(SymbolPlaces places, bool full_source_paths);

  // Selects what to count; the session adds the tables to the request. Call once, before the first record. Errors: as
  // HistCollector::make().
  Result<> collect(CollectRequest request);

  // Call after the last record. Returns the sums. Source lines that were looked up are saved for the next command.
  Hists finish();

  // Names for rows. `long_names`: symbols with their parameters.
  MachineNaming naming(bool long_names = false) const;

  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  HistCollector& collector() { return *collector_; }
  // The collected keys; more than the columns if a screen zooms by them.
  const std::vector<SortKey>& keys() const { return keys_; }
  SourceTable& sources() { return *sources_; }
  const SourceTable& sources() const { return *sources_; }
  TraceTexts& traces() { return traces_; }
  const TraceTexts& traces() const { return traces_; }
  TraceFields* fields() { return fields_.get(); }
  const TraceFields* fields() const { return fields_.get(); }
  const DataTypeTable& data_types() const { return *data_types_; }

 private:
  TraceTexts traces_;
  std::unique_ptr<TraceFields> fields_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<SourceTable> sources_;
  std::unique_ptr<DataTypeTable> data_types_;
  std::unique_ptr<HistCollector> collector_;
  std::vector<SortKey> keys_;
};

}  // namespace peregrine
