// FtraceReader: splits the text of the kernel's trace_pipe, which arrives in pieces, into lines, or computes the
// durations of calls from it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/function/call_statistics.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "session/ftrace/ftrace_request.h"

namespace peregrine {

class FtraceReader {
 public:
  // Both must outlive this.
  FtraceReader(const FtraceRequest& request, Sink& out);

  // Removes whole lines from the front. A line without an end stays, and the next call searches it from where this one
  // stopped.
  void take(std::string& text);
  // The table of latency and profile. Errors (Usage): an unknown --sort.
  Result<> finish();
  // Entries that the kernel's buffer had no room for.
  u64 lost() const { return lost_; }

 private:
  void take_line(std::string_view line);

  const FtraceRequest& request_;
  Sink& out_;
  FunctionProfile profile_;
  DurationHistogram histogram_;
  std::size_t searched_ = 0;
  u64 lost_ = 0;
};

}  // namespace peregrine
