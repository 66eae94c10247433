// page_code: finds and packs the code for a page in a separate thread, while the page's stacks are being summed.
#pragma once
#include <future>
#include <string>

#include "analysis/annotate/hit_collector.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "output/html/packed_text.h"

namespace peregrine {

// Call after the replay. All three must outlive the future. `step`: of the collector; `symfs`: as --symfs.
std::future<PackedText> pack_code(const data::Reader& reader, const Machine& machine, const HitCollector& collector,
                                  u64 step, std::string symfs);

}  // namespace peregrine
