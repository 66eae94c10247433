// unpacked_pages(): the ring-buffer pages of a trace.dat file; packed ones are unpacked into an unnamed file.
//
//   a packed CPU: number of chunks | size, unpacked size, zstd or zlib data | …
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "data/trace_dat/trace_dat.h"
#include "pipeline/bundle/unpack_budget.h"
#include "pipeline/trace_dat/trace_events.h"

namespace peregrine {

struct UnpackedPages {
  Fd file;  // with the unpacked pages; none if none were packed
  std::vector<PlainPages> pages;
};

// `fd` must outlive the pages. Errors: Malformed; those of the budget.
Result<UnpackedPages> unpacked_pages(int fd, const data::TraceDat& file, const std::string& temporary,
                                     UnpackBudget& budget);

}  // namespace peregrine
