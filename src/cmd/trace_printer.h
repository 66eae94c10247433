// TracePrinter: the calls of a trace, as lines and as sums: it ties the text of a line to the names of threads and
// files, and knows when enough was shown. Fed by whoever traces or reads a recording. One thread.
#pragma once
#include "analysis/trace/call_summary.h"
#include "analysis/trace/open_files.h"
#include "analysis/trace/task_names.h"
#include "cmd/trace_options.h"
#include "output/sink.h"

namespace peregrine::cmd {

class TracePrinter : public TraceReader, public TraceNames {
 public:
  // `live`: /proc may be asked.
  TracePrinter(const TraceRequest& request, Sink& out, bool live, bool terminal);

  bool call(const TracedCall& call) override;
  void name(Pid pid, Pid tid, std::string_view comm) override;
  std::string_view comm(i32 tid) override { return tasks_.of(tid); }
  std::string_view file(i32 pid, i64 descriptor) override { return files_.path(pid, descriptor); }

  void flush();
  CallSummary& summary() { return summary_; }
  void write_summary();
  u64 shown() const { return shown_; }
  const OpenFiles& files() const { return files_; }

 private:
  const TraceRequest& request_;
  Sink& out_;
  Signatures wide_, narrow_;
  TaskNames tasks_;
  OpenFiles files_;
  CallSummary summary_;
  ScriptText text_;
  TraceLine line_;
  u64 shown_ = 0;
};

}  // namespace peregrine::cmd
