// FtraceReader: splits the text of the kernel's trace_pipe, which arrives in pieces, into lines, or computes the
// durations of calls from it.
#pragma once
#include <string>

#include "analysis/function/call_statistics.h"
#include "cmd/ftrace/ftrace_options.h"
#include "output/sink.h"

namespace peregrine::cmd {

enum class FtraceMode { Trace, Latency, Profile };

class FtraceReader {
 public:
  // Both outlive this.
  FtraceReader(FtraceMode mode, const FtraceOptions& options, Sink& out);

  // Whole lines are taken off the front; a line that has no end yet stays, and is searched from where the last call
  // stopped.
  void take(std::string& text);
  // The table of latency and profile. Errors (Usage): an unknown --sort.
  Result<> finish();
  // Entries that the kernel's buffer had no room for.
  u64 lost() const { return lost_; }

 private:
  void take_line(std::string_view line);

  FtraceMode mode_;
  const FtraceOptions& options_;
  Sink& out_;
  FunctionProfile profile_;
  DurationHistogram histogram_;
  std::size_t searched_ = 0;
  u64 lost_ = 0;
};

}  // namespace peregrine::cmd
