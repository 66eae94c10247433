// FtraceReader: splits the text of the kernel's trace_pipe, which arrives in chunks, into lines, or computes call
// durations from it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/function/call_statistics.h"
#include "analysis/function/text_pairs.h"
#include "base/types.h"
#include "output/sink.h"
#include "session/ftrace/ftrace_request.h"

namespace peregrine {

class FtraceReader {
 public:
  // Both must outlive this.
  FtraceReader(const FtraceRequest& request, TextPairRequest pair, Sink& out);

  // Removes complete lines from the front. An incomplete line stays; the next call continues its search where this one
  // stopped.
  void take(std::string& text);
  // Prints the table of latency and profile.
  void finish();
  // Number of entries that did not fit into the kernel's buffer.
  u64 lost() const { return lost_; }
  const TextPairs& pairs() const { return pairs_; }

 private:
  void take_line(std::string_view line);

  const FtraceRequest& request_;
  Sink& out_;
  FunctionProfile profile_;
  DurationHistogram histogram_;
  TextPairs pairs_;
  std::size_t searched_ = 0;
  u64 lost_ = 0;
};

}  // namespace peregrine
