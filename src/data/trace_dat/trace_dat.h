// TraceDat: the description of a trace.dat file, which trace-cmd writes: the formats of its tracepoints, its options,
// and the places of each CPU's ring-buffer pages.
//
//   version 6   header (that of TracingData) | CPUs | options | flyrecord: offset, size of each CPU | pages
//   version 7   compression | offset of the options ─▶ options ─▶ sections: header parts, pages of each buffer
//
// Sections of version 7 may be compressed with zstd or zlib; so may pages, in chunks. The file is untrusted: sizes,
// counts and offsets are checked, and what is read of it beside the pages is limited. Format: docs/formats.md.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/trace_dat/ring_page.h"
#include "data/trace_dat/trace_dat_clock.h"
#include "event/tracepoint/tracing_data.h"
#include "symbol/compression/unpack.h"

namespace peregrine::data {

struct CpuPages {
  u32 cpu = 0;
  u64 offset = 0, size = 0;  // in the file
};

// The pages of one ring buffer: that of the system, or of a trace instance.
struct RingBuffer {
  u32 page_size = 0;
  bool packed = false;
  std::vector<CpuPages> cpus;  // those with pages
};

struct TraceDat {
  unsigned version = 6;
  TracingData tracing;
  Packing packing = Packing::None;  // of packed buffers
  RingLayout layout;
  std::vector<RingBuffer> buffers;
  u32 cpus = 0;  // of the traced machine
  TraceDatClock clock;
  std::string clock_name;  // "local", "mono", "x86-tsc", …; empty: unknown
  std::string uname;       // "Linux host 6.1.0 x86_64"
  std::string writer;      // the version of trace-cmd
  bool dated = false;      // times are of the day
};

// Errors, without the file's name: Malformed; Unsupported: another version or compression, or the text of a latency
// tracer.
Result<TraceDat> read_trace_dat(int fd);

}  // namespace peregrine::data
