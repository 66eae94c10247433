// SharingOrder: which accesses make a cache line worth showing, and the order of lines and of the rows in them. Pure.
#pragma once
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/line_sharing.h"
#include "base/types.h"

namespace peregrine {

enum class SharingOrder : u8 { TotalHitm, LocalHitm, RemoteHitm, Peer };

u64 value_in_order(const AccessCounts& counts, SharingOrder order);

// Lines with a noticeable share of `all`, most contended first. Within each line, the rows that contend for it or write
// it, most contended first within each offset. `show_all`: includes lines with smaller shares.
std::vector<SharedLine> contended_lines(std::vector<SharedLine> lines, const AccessCounts& all, SharingOrder order,
                                        bool show_all);

}  // namespace peregrine
