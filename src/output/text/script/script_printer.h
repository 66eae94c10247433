// ScriptPrinter: the sink of a replay that writes `script` text.
//
//   slices rendered in parallel ─▶ buffers ─▶ written in order by whoever finishes the one that is due
//
// A finished buffer waits until all before it are written; then it is reused. Who is too far ahead of the one that is
// due waits. So memory is a few slices, and the text is the same for any number of workers.
#pragma once
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "output/sink.h"
#include "output/text/dump/raw_dump.h"
#include "output/text/script/script_counts.h"
#include "output/text/script/script_metrics.h"
#include "output/text/script/script_sample.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// --per-event-dump: where the samples of one event go.
struct EventText {
  Sink& out;
  u64 samples = 0;
};

class ScriptPrinter : public ReplaySink {
 public:
  // Both outlive the printer.
  ScriptPrinter(const ScriptPlan& plan, const data::Evlist& evlist, Sink& out);
  ~ScriptPrinter() override;
  // Each record is dumped before what is printed of it. For a replay of one worker; the dump outlives the printer.
  void set_dump(RawDump& dump) { dump_ = &dump; }
  // A recording of counters. For a replay of one worker that shows every record; it outlives the printer.
  void set_counts(ScriptCounts& counts) { counts_ = &counts; }
  // What is written is no text: control characters in it stay as they are.
  void write_bytes() { is_text_ = false; }

  // Samples go to the file of their event, all else to the printer's sink. For a replay of one worker.
  void set_event_files(std::vector<EventText>& files) { event_files_ = &files; }

  // Asked before each batch: brings the plan up to what has been read of the header meanwhile, and returns whether
  // anything changed. Main thread.
  void on_new_batch(std::function<bool()> update_plan) { update_plan_ = std::move(update_plan); }
  // -d: samples that were out of order. Of a replay of one worker.
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
  ScriptText event_text_;                          // on its way to one of them
  std::vector<std::unique_ptr<Worker>> workers_;

  std::mutex mutex_;  // guards what follows, and out_ while writing_
  std::vector<std::unique_ptr<ScriptText>> idle_;
  std::map<u64, std::unique_ptr<ScriptText>> finished_;
  std::condition_variable written_;
  u64 due_ = 0;  // the slice to be written next
  bool is_text_ = true;
  bool writing_ = false;
};

}  // namespace peregrine
