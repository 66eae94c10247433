// How the tables of allocations are sorted: by one key after the other, the largest value first; rows that are equal in
// all of them stand in the order of their keys. Pure.
#pragma once
#include <vector>

#include "analysis/memory/page_usage.h"
#include "analysis/memory/slab_usage.h"

namespace peregrine {

enum class SlabKey : u8 { Key, Bytes, Hits, PingPongs, Fragmentation };
enum class PageKey : u8 { Page, Caller, Bytes, Hits, Order, Kind, Flags };

std::vector<SlabRow> rows_in_order(std::vector<SlabRow> rows, const std::vector<SlabKey>& keys);
std::vector<PageRow> rows_in_order(std::vector<PageRow> rows, const std::vector<PageKey>& keys);

}  // namespace peregrine
