// TracingData: the payload of header feature TRACING_DATA and of the TRACING_DATA record: the relevant contents of
// tracefs at recording time.
//
//   17 08 44 "tracing" "0.6\0" | u8 big-endian | u8 sizeof(long) | u32 page size
//   "header_page\0" u64 size, text | "header_event\0" u64 size, text
//   u32 n, n × (u64 size, ftrace format) | u32 systems, each: name\0, u32 n, n × (u64 size, format)
//   u32 size, kallsyms | u32 size, printk formats | from 0.6 on: u64 size, saved cmdlines
//
// Untrusted input: every size is checked. Integers have the byte order given in the blob.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

struct TracingData {
  std::string version = "0.6";
  ByteOrder order = kHostOrder;
  u8 long_size = 8;
  u32 page_size = 4096;
  std::string header_page, header_event;
  std::vector<std::string> ftrace_formats;
  struct System {
    std::string name;
    std::vector<std::string> formats;
  };
  std::vector<System> systems;
  std::string kallsyms;        // usually empty: linux-perf writes none
  std::string printk_formats;  // "0xaddr : \"text\"" lines
  std::string saved_cmdlines;  // "pid comm" lines

  // The format with that id, or nullptr. decode_tracing_data parses formats.
  const TraceFormat* find(u32 id) const;
  std::vector<TraceFormat> formats;  // sorted by id
};

Result<TracingData> decode_tracing_data(Bytes bytes);
std::vector<std::byte> encode_tracing_data(const TracingData& data);
// Reads what a recording of these tracepoints needs. Errors: tracefs is missing or unreadable.
Result<TracingData> gather_tracing_data(EventSources& sources, const EventList& list);

}  // namespace peregrine
