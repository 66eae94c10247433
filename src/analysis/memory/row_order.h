// Sort order of the allocation tables: by one sort key after the other, largest value first; rows that are equal in all
// of them are ordered by their row keys. Pure.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/memory/page_usage.h"
#include "analysis/memory/slab_usage.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class SlabKey : u8 { Key, Bytes, Hits, PingPongs, Fragmentation };
enum class PageKey : u8 { Page, Caller, Bytes, Hits, Order, Kind, Flags };

// "frag,hit". Errors: Usage.
Result<std::vector<SlabKey>> parse_slab_keys(std::string_view words);
Result<std::vector<PageKey>> parse_page_keys(std::string_view words);

std::vector<SlabRow> rows_in_order(std::vector<SlabRow> rows, const std::vector<SlabKey>& keys);
std::vector<PageRow> rows_in_order(std::vector<PageRow> rows, const std::vector<PageKey>& keys);

}  // namespace peregrine
