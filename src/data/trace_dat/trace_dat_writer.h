// write_trace_dat(): a trace.dat file from its description and the pages of its CPUs.
//
// Version 6 is read by every trace-cmd and KernelShark. Version 7 (trace-cmd 3.0) is compressed with zstd. Both have
// the layout that trace_dat.h shows.
#pragma once
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "data/trace_dat/page_store.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine::data {

struct WrittenTraceDat {
  std::string name;           // of the file, for errors
  unsigned version = 6;       // or 7
  TracingData tracing;        // with symbols and names
  u32 cpus = 1;               // more than the highest CPU with pages
  std::string clock;          // "mono", "perf", …
  std::string uname, writer;  // see TraceDat; empty: not written
};

// `fd`: an empty regular file. Errors: writing, with the file's name.
Result<> write_trace_dat(int fd, const WrittenTraceDat& file, PageStore& pages);

}  // namespace peregrine::data
