// SelectingSink: passes on the samples of a recording that --where, --from and --until select, to whatever script
// makes of samples: lines, summaries, profiles, and arguments of users' scripts.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/field/sample_values.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "event/print/print_names.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"
#include "session/field_report.h"

namespace peregrine {

// The fields that `report` uses. All but `report` must outlive them. Errors (Usage): a field is unknown.
Result<SampleValues> values_for(const FieldReport& report, const data::Evlist& evlist,
                                const std::vector<std::string>& names, const TraceFormats& formats,
                                const PrintNames& devices);

class SelectingSink : public ReplaySink {
 public:
  // Null if the request has no conditions; the rest of it does not matter. `reader` must outlive the sink. Errors
  // (Usage): those of FieldReport::make.
  static Result<std::unique_ptr<SelectingSink>> make(const FieldReportRequest& request, const data::Reader& reader);

  // Returns the sink to replay into instead of `inner`, which must outlive it: this. Sets one worker, since the order
  // of samples matters.
  ReplaySink& before(ReplaySink& inner, ReplayOptions& options);

  void begin(unsigned workers) override { inner_->begin(workers); }
  void before_batch() override { inner_->before_batch(); }
  void begin_batch() override { inner_->begin_batch(); }
  bool needs_samples_of(u32) const override { return true; }
  void begin_slice(u64 slice, unsigned worker) override { inner_->begin_slice(slice, worker); }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  // Records are passed on between the events of --from and --until.
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  void record(const ReplayRecord& record, Resolver& resolver, unsigned worker) override {
    inner_->record(record, resolver, worker);
  }
  void end_slice(u64 slice, unsigned worker) override { inner_->end_slice(slice, worker); }
  bool end_batch() override { return inner_->end_batch() && !report_->ended(); }

 private:
  explicit SelectingSink(TraceFormats formats) : formats_(std::move(formats)) {}

  TraceFormats formats_;
  PrintNames devices_;
  std::optional<FieldReport> report_;
  std::optional<SampleValues> values_;
  ReplaySink* inner_ = nullptr;
};

// `sink`, behind the selection if there is one.
inline ReplaySink& selected(const std::unique_ptr<SelectingSink>& selection, ReplaySink& sink, ReplayOptions& options) {
  return selection ? selection->before(sink, options) : sink;
}

}  // namespace peregrine
