// TraceFormats: the tracepoints that a recording explains: their fields, and how their records are printed.
//
// Made from the payload of TRACING_DATA. A print format is compiled when it is first asked for by prepare(); after that
// any number of threads may look it up.
#pragma once
#include <map>
#include <vector>

#include "event/print/print_format.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

class TraceFormats {
 public:
  TraceFormats() = default;
  explicit TraceFormats(TracingData data) : data_(std::move(data)) {}
  // Errors: no tracing data at all.
  static Result<TraceFormats> decode(Bytes tracing_data);

  // Compiles the format of this tracepoint; nothing happens when it is not explained.
  void prepare(u64 id);
  // nullptr: not explained, or not prepared.
  const PrintFormat* print_format(u64 id) const;
  const TraceFormat* format(u64 id) const;
  ByteOrder order() const { return data_.order; }
  u32 page_size() const { return data_.page_size; }  // of the recorded machine

 private:
  TracingData data_;
  std::map<u64, PrintFormat> compiled_;
};

}  // namespace peregrine
