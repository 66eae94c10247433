// DataSource: the fields of Sample::data_src, PERF_SAMPLE_DATA_SRC: what kind of access it was and who answered it.
//
// Format: union perf_mem_data_src of include/uapi/linux/perf_event.h. The kernel declares it in both byte orders, so
// the loaded word has the same bits everywhere.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine::abi {

struct DataSource {
  u8 op = 0;            // PERF_MEM_OP_*: bit set (1 not available, 2 load, 4 store, 8 prefetch, 16 exec)
  u16 level = 0;        // PERF_MEM_LVL_*: bit set
  u8 snoop = 0;         // PERF_MEM_SNOOP_*: bit set
  u8 lock = 0;          // PERF_MEM_LOCK_*: 1 not available, 2 locked
  u8 tlb = 0;           // PERF_MEM_TLB_*: bit set
  u8 level_number = 0;  // PERF_MEM_LVLNUM_*
  bool remote = false;
  u8 snoop_extra = 0;  // PERF_MEM_SNOOPX_*: 1 forward, 2 peer
  u8 blocked = 0;      // PERF_MEM_BLK_*: 1 not available, 2 data, 4 address
  u8 hops = 0;         // PERF_MEM_HOPS_*
};

constexpr DataSource decode_data_source(u64 word) {
  const auto bits = [word](unsigned at, unsigned width) { return word >> at & ((u64{1} << width) - 1); };
  DataSource out;
  out.op = static_cast<u8>(bits(0, 5));
  out.level = static_cast<u16>(bits(5, 14));
  out.snoop = static_cast<u8>(bits(19, 5));
  out.lock = static_cast<u8>(bits(24, 2));
  out.tlb = static_cast<u8>(bits(26, 7));
  out.level_number = static_cast<u8>(bits(33, 4));
  out.remote = bits(37, 1) != 0;
  out.snoop_extra = static_cast<u8>(bits(38, 2));
  out.blocked = static_cast<u8>(bits(40, 3));
  out.hops = static_cast<u8>(bits(43, 3));
  return out;
}

// As linux-perf's tools name them: "LOAD", "L1 or L1 hit", "None", "L1 or L2 hit", "Yes", " N/A".
std::string operation_text(const DataSource& source);
std::string level_text(const DataSource& source);
std::string snoop_text(const DataSource& source);
std::string tlb_text(const DataSource& source);
std::string_view lock_text(const DataSource& source);
std::string block_text(const DataSource& source);
// "4K", "N/A".
std::string page_size_text(u64 bytes);

}  // namespace peregrine::abi
