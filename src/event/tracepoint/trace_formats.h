// TraceFormats: the fields and print formats of the tracepoints that a recording describes.
//
// Decoded from the payload of TRACING_DATA. prepare() compiles a print format; afterwards lookups are thread safe.
#pragma once
#include <map>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

class TraceFormats {
 public:
  TraceFormats() = default;
  explicit TraceFormats(TracingData data) : data_(std::move(data)) {}
  // Errors: no tracing data.
  static Result<TraceFormats> decode(Bytes tracing_data);

  // Compiles the format of this tracepoint; does nothing if it is not described.
  void prepare(u64 id);
  // nullptr if not described or not prepared.
  const PrintFormat* print_format(u64 id) const;
  const TraceFormat* format(u64 id) const;
  ByteOrder order() const { return data_.order; }
  u32 page_size() const { return data_.page_size; }  // of the recorded machine

 private:
  TracingData data_;
  std::map<u64, PrintFormat> compiled_;
};

}  // namespace peregrine
