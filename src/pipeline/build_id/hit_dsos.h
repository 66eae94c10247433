// The build-id pass: which dsos do the samples of a finished recording fall into, and when were the first and last
// taken.
//
// One walk over the records in file order, memory bounded by the maps and by the distinct pages hit. Maps are kept for
// ever and samples are matched at the end, so the order of records does not matter; a page that two maps covered one
// after the other marks both. Not thread safe.
#pragma once
#include <string>
#include <vector>

#include "base/build_id.h"
#include "data/reader.h"

namespace peregrine {

struct HitDso {
  std::string name;  // as mapped; "[kernel.kallsyms]" for the kernel
  bool kernel = false;
  BuildId id;  // from the MMAP2 record, mostly empty
  bool hit = false;
};

struct HitSummary {
  std::vector<HitDso> dsos;  // all that were mapped: the kernel first, then in order of their first map
  u64 samples = 0;
  u64 first_time = 0, last_time = 0;  // ns; 0 when samples carry no time
};

Result<HitSummary> find_hit_dsos(data::Reader& reader);

}  // namespace peregrine
