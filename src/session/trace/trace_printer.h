// TracePrinter: prints the calls of a trace as lines and as sums. Adds the names of threads and files to lines, and
// stops after --max-events. Used by live traces and recordings. Not thread safe.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "abi/arch/registers.h"
#include "analysis/field/field_values.h"
#include "analysis/trace/call_summary.h"
#include "analysis/trace/open_files.h"
#include "analysis/trace/task_names.h"
#include "base/result.h"
#include "base/types.h"
#include "event/syscall/call.h"
#include "event/syscall/signature.h"
#include "output/sink.h"
#include "output/text/format/script_text.h"
#include "output/text/trace/trace_argument.h"
#include "output/text/trace/trace_line.h"
#include "session/trace/trace_report.h"
#include "session/trace/trace_request.h"
#include "session/trace/trace_values.h"
#include "sys/process/process.h"

namespace peregrine {

class TracePrinter : public CallReader, public TraceNames {
 public:
  // `live`: /proc may be read. `arch`: of the traced machine.
  TracePrinter(const TraceRequest& request, Sink& out, bool live, bool terminal, abi::Arch arch = abi::kHostArch);

  bool call(const TracedCall& call) override;
  bool interrupted(const TracedCall& call) override;
  void name(Pid pid, Pid tid, std::string_view comm) override;
  std::string_view comm(i32 tid) override { return tasks_.of(tid); }
  std::string_view file(i32 pid, i64 descriptor) override { return files_.path(pid, descriptor); }

  // A line of another event; `put` writes everything after the thread's name. False: enough was printed.
  template <class F>
  bool event(u64 time, std::optional<u64> duration, bool durations, Pid tid, F put) {
    if (!begin_event()) return false;
    line_.begin_at(time);
    line_.put_head(text_, time, duration, tid, durations);
    put(text_);
    return end_event();
  }
  // --where, --format, --agg: from now on, lines are those of the report.
  void use(TraceReport report) { report_.emplace(std::move(report)); }
  bool has_report() const { return report_.has_value(); }
  // The same for an event with these fields; `put` writes the usual line. False: enough.
  template <class F>
  bool event(u64 time, const EventValues::Event& event, F put) {
    line_.begin_at(time);
    const EventValues values(value_places(), event);
    return report(values, time, [&] { return put(); });
  }
  // Prints the tables of intervals that have ended.
  void tick(u64 time);
  void finish_report();
  // The first event of a trace is at time 0, even if it has no line.
  void begin_at(u64 time) { line_.begin_at(time); }
  // Prints what follows the last line.
  template <class F>
  void text(F put) {
    put(text_);
  }
  void put_arguments(ScriptText& text, const TracedCall& call) { line_.put_arguments(text, call); }
  // Counts an event of that thread, for the shares in the summary.
  void count_event(Pid tid) { summary_.count_event(tid); }
  const Signatures& signatures() const { return wide_; }
  // --force-btf: show structs as the running kernel describes them. Errors: it does not describe them.
  Result<> take_kernel_types();

  void flush();
  CallSummary& summary() { return summary_; }
  // Calls are summed here, not by the tracer.
  void sum_up() { in_kernel_ = false; }
  void write_summary();
  u64 shown() const { return shown_; }
  const OpenFiles& files() const { return files_; }

 private:
  TraceValuePlaces value_places() { return {report_->places(), line_, *this, scratch_}; }
  // A line or a hit of the table; `usual` writes the line if it has no other form. False: enough.
  template <class F>
  bool report(const FieldValues& values, u64 time, F usual) {
    FieldReport& fields = report_->fields();
    if (!fields.selects(values)) return !fields.ended();
    if (!begin_event()) return false;
    if (!fields.has_lines() && !fields.has_table()) return usual() && !fields.ended();
    put_reported(values, time);
    return end_event() && !fields.ended();
  }
  void put_reported(const FieldValues& values, u64 time);
  bool shows(const TracedCall& call) const;
  bool begin_event() const;
  bool end_event();

  const TraceRequest& request_;
  Sink& out_;
  Signatures wide_, narrow_;
  std::deque<std::string> member_names_;  // of structs of the kernel
  TaskNames tasks_;
  OpenFiles files_;
  CallSummary summary_;
  ScriptText text_, scratch_;
  TraceLine line_;
  std::optional<TraceReport> report_;
  std::string reported_;
  bool in_kernel_ = true;  // source of the sums
  u64 shown_ = 0;
};

}  // namespace peregrine
