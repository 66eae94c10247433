// ScriptPrinter: the replay sink that writes `script` output.
//
// Workers render slices in parallel; a SliceQueue writes them in order. So memory is bounded by a few slices, and the
// output does not depend on the number of workers.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/concurrency/slice_queue.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "output/text/dump/raw_dump.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "output/text/script/script_counts.h"
#include "output/text/script/script_metrics.h"
#include "output/text/script/script_sample.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// --per-event-dump: where one event's samples go.
struct EventText {
  Sink& out;
  u64 samples = 0;
};

class ScriptPrinter : public ReplaySink {
 public:
  // Both must outlive this.
  ScriptPrinter(const ScriptPlan& plan, const data::Evlist& evlist, Sink& out);
  ~ScriptPrinter() override;
  // Dumps each record before printing it. A pipe needs a replay with one worker, as RawDump does; `dump` must outlive
  // this.
  void set_dump(RawDump& dump) { dump_ = &dump; }
  // For a recording of counters. Needs a replay with one worker that shows all records; `counts` must outlive this.
  void set_counts(ScriptCounts& counts) { counts_ = &counts; }
  // The output is binary: control characters are kept.
  void write_bytes() { is_text_ = false; }

  // Samples go to their event's file, everything else to the printer's sink. For a replay with one worker.
  void set_event_files(std::vector<EventText>& files) { event_files_ = &files; }

  // Called on the main thread before each batch: updates the plan from newly read parts of the header, and returns
  // whether anything changed.
  void on_new_batch(std::function<bool()> update_plan) { update_plan_ = std::move(update_plan); }
  // -d: number of samples out of order. For a replay with one worker.
  u64 misordered() const { return workers_.empty() ? 0 : workers_[0]->sample.misordered(); }

  void begin(unsigned workers) override;
  void begin_batch() override;
  void begin_slice(u64 slice, unsigned worker) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  void record(const ReplayRecord& record, Resolver& resolver, unsigned worker) override;
  void end_slice(u64 slice, unsigned worker) override;
  bool end_batch() override { return out_.ok(); }

 private:
  bool has_metrics(u32 event) const { return (plan_.events[event].fields & script_field::Metric) != 0; }
  void put_metrics(ScriptText& out, const ReplaySample& sample, Resolver& resolver, unsigned worker);

  struct Worker {
    explicit Worker(const ScriptPlan& plan) : sample(plan) {}
    ScriptSample sample;
    std::unique_ptr<ScriptText> text;
    std::string dump_scratch;
  };

  const ScriptPlan& plan_;
  const data::Evlist& evlist_;
  Sink& out_;
  std::function<bool()> update_plan_;
  RawDump* dump_ = nullptr;
  ScriptCounts* counts_ = nullptr;
  std::string counts_text_;
  ScriptMetrics metrics_;
  std::vector<EventText>* event_files_ = nullptr;  // by event
  ScriptText event_text_;                          // to be moved to a per-event file
  std::vector<std::unique_ptr<Worker>> workers_;
  SliceQueue<ScriptText> slices_;
  bool is_text_ = true;
};

}  // namespace peregrine
