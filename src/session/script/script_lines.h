// ScriptLines: prints the samples of a recording, and records between them, one or more lines each, in time order.
//
//   ScriptLines lines(request, reader, listener);
//   PEREGRINE_TRY(lines.settle_fields());
//   lines.make_plan();
//   auto end = lines.print({.filter = …, .places = …}, out);
//
// A pipe can announce events between samples; fields are then settled again.
#pragma once
#include <bitset>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"
#include "output/sink.h"
#include "output/text/field/script_plan.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"
#include "session/field_report.h"
#include "session/script/script_filter.h"
#include "session/script/script_lines_request.h"
#include "session/session_listener.h"

namespace peregrine {

class ScriptLines {
 public:
  // `reader` and `listener` must outlive this. The listener gets a warning if tracepoint formats are broken.
  ScriptLines(ScriptLinesRequest request, data::Reader& reader, SessionListener& listener);

  // The displayed names of the events.
  const std::vector<std::string>& names() const { return names_; }
  const TraceFormats& formats() const { return formats_; }

  // Chooses the fields of each event. Errors (Usage): the recording lacks requested fields, in linux-perf's
  // words.
  Result<> settle_fields();
  // Whether wall-clock times were requested, but the recording has none.
  bool lacks_time_of_day() const;
  // Call after settle_fields(). Errors: the disassembler library is missing.
  Result<> check_disassembler() const;
  void make_plan();

  struct Samples {
    SampleFilter filter;
    EventSwitch gate;
    SymbolPlaces places;
    ScriptFilter* chooser = nullptr;  // a user's shared object
    FieldReportRequest conditions = {};
    // Receives errors of settle_fields() for events that are announced later; the fields they have are still shown.
    std::function<void(const Error&)> tell_lack;
  };
  // The result of printing.
  struct End {
    std::string refusal = {};  // why it failed, in words that other programs match; empty: success
    bool is_read = false;      // reached the end, as far as the recording can be read
  };
  // Call once. Errors: Usage, invalid conditions; output fails.
  Result<End> print(Samples samples, Sink& out);

  // Call after print().
  const DsoTable& dsos() const { return machine_->dsos(); }

 private:
  // The text before the first sample: CSV column titles, the legend of branch counters.
  void print_titles(Sink& out) const;
  ScriptPlan plan_for(const std::vector<std::string>& names) const;
  std::bitset<128> shown_records() const;
  ReplayOptions replay_options(SampleFilter filter) const;
  bool take_new_events(const std::function<void(const Error&)>& tell_lack, bool& explained);
  Result<> settle(const std::vector<std::string>& names);
  Result<> tell_end(const Replay& replay, u64 misordered, Sink& out);

  ScriptLinesRequest request_;
  data::Reader& reader_;
  SessionListener& listener_;
  std::vector<std::string> names_;
  TraceFormats formats_;
  ScriptPlan plan_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<SourceTable> sources_;
};

}  // namespace peregrine
