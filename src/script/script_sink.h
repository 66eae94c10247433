// ScriptSink: a replay sink that calls a script's handlers. Needs one worker, since handlers see events in order.
//
//   record() stat, auxtrace error ─┐
//   side_band() throttle, switch ──┼─▶ Interpreter, between enter() and leave() of each slice
//   sample() ──────────────────────┘
#pragma once
#include <bitset>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "abi/session_record.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/replay.h"
#include "script/event_plan.h"
#include "script/interpreter.h"
#include "script/replay_answers.h"

namespace peregrine::script {

class ScriptSink : public ReplaySink {
 public:
  // All must outlive this. `formats`: the recording's tracepoints.
  ScriptSink(Interpreter& interpreter, ReplayAnswers& answers, const data::Evlist& evlist, const TraceFormats& formats)
      : interpreter_(interpreter), answers_(answers), evlist_(evlist), formats_(formats) {}

  // Returns the names of all events; called again when a pipe adds events.
  void set_names(std::function<std::vector<std::string>()> names) { names_ = std::move(names); }
  void set_switch(EventSwitch gate) { switch_ = gate; }
  // Whether the script wants no more.
  bool stopped() const { return !going_; }
  // The side-band records the script handles.
  static std::bitset<128> shown(const Hooks& hooks);

  void begin_batch() override;
  bool needs_samples_of(u32 event) const override { return switch_.any() || taken_[event]; }
  void begin_slice(u64, unsigned) override { going_ = interpreter_.enter() && going_; }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  void record(const ReplayRecord& record, Resolver& resolver, unsigned worker) override;
  void end_slice(u64, unsigned) override { interpreter_.leave(); }
  bool end_batch() override { return going_; }

 private:
  void round(u64 time);
  void sum_readings(u64 time);

  Interpreter& interpreter_;
  ReplayAnswers& answers_;
  const data::Evlist& evlist_;
  const TraceFormats& formats_;
  std::function<std::vector<std::string>()> names_;
  EventSwitch switch_;
  std::deque<EventPlan> plans_;  // by event; the interpreter points into it
  std::vector<bool> taken_;
  bool going_ = true;
  std::vector<i32> threads_;
  bool readings_are_summed_ = false;                               // `stat record` without -A etc.
  std::map<std::tuple<u32, u32, i32>, abi::StatRecord> readings_;  // by event, thread, CPU
};

}  // namespace peregrine::script
