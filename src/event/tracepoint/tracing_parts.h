// tracing_parts: the tracing data in the pieces that trace.dat files need: they begin with the same parts, which other
// data follows, or store each part as a section.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

struct TracingStart {
  TracingData data;
  std::size_t size = 0;  // of the decoded bytes
};
// Decodes the start of `bytes`, up to the saved cmdlines.
Result<TracingStart> decode_tracing_start(Bytes bytes);

// The contents from header_page on: header_page and header_event, ftrace formats, formats, kallsyms, printk formats,
// saved cmdlines.
std::array<std::vector<std::byte>, 6> encode_tracing_parts(const TracingData& data);

}  // namespace peregrine
