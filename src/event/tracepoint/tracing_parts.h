// tracing_parts: the tracing data in the pieces that trace.dat files need: they begin with the same parts, which other
// data follows, or store each part as a section.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

// The first bytes of tracing data and of trace.dat files.
inline constexpr std::string_view kTracingMagic("\x17\x08\x44tracing", 10);
// Writes what precedes header_page: the magic, the version, the byte order of `out`, and two sizes.
void put_tracing_opening(std::string_view version, u8 long_size, u32 page_size, ByteWriter& out);

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
