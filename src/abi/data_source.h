// DataSource: the decoded Sample::data_src (PERF_SAMPLE_DATA_SRC): the kind of memory access and what served it.
//
// Format: union perf_mem_data_src in include/uapi/linux/perf_event.h. The kernel declares it for both byte orders, so
// the bits of the loaded word are the same everywhere.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine::abi {

// Bits of DataSource::op: PERF_MEM_OP_*.
namespace access_op {
inline constexpr u8 NotAvailable = 1, Load = 2, Store = 4, Prefetch = 8, Exec = 16;
}
// Bits of DataSource::level: PERF_MEM_LVL_*. RemoteRam and RemoteCache each combine the bits for one and two hops.
namespace access_level {
inline constexpr u16 NotAvailable = 1, Hit = 2, Miss = 4, L1 = 8, FillBuffer = 0x10, L2 = 0x20, L3 = 0x40,
                     LocalRam = 0x80, RemoteRam = 0x100 | 0x200, RemoteCache = 0x400 | 0x800, Io = 0x1000,
                     Uncached = 0x2000;
}
// DataSource::level_number, since Linux 4.14: PERF_MEM_LVLNUM_*.
namespace access_level_number {
inline constexpr u8 NotStated = 0, L1 = 1, L2 = 2, L3 = 3, L4 = 4, L2Buffer = 5, MemorySideCache = 6, Uncached = 8,
                    Cxl = 9, Io = 10, AnyCache = 11, FillBuffer = 12, Ram = 13, Persistent = 14, NotAvailable = 15;
}
// Bits of DataSource::snoop and snoop_extra: PERF_MEM_SNOOP_*, PERF_MEM_SNOOPX_*.
namespace access_snoop {
inline constexpr u8 NotAvailable = 1, None = 2, Hit = 4, Miss = 8, HitModified = 16;
inline constexpr u8 ExtraForward = 1, ExtraPeer = 2;
}  // namespace access_snoop
// Bits of DataSource::lock: PERF_MEM_LOCK_*.
namespace access_lock {
inline constexpr u8 NotAvailable = 1, Locked = 2;
}
// Bits of DataSource::tlb: PERF_MEM_TLB_*.
namespace access_tlb {
inline constexpr u8 NotAvailable = 1, Hit = 2, Miss = 4, L1 = 8, L2 = 16, Walker = 32, Fault = 64;
}
// Bits of DataSource::blocked: PERF_MEM_BLK_*.
namespace access_blocked {
inline constexpr u8 NotAvailable = 1, ByData = 2, ByAddress = 4;
}

struct DataSource {
  u8 op = 0;
  u16 level = 0;
  u8 snoop = 0;
  u8 lock = 0;
  u8 tlb = 0;
  u8 level_number = 0;
  bool remote = false;
  u8 snoop_extra = 0;
  u8 blocked = 0;
  u8 hops = 0;  // PERF_MEM_HOPS_*
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

// linux-perf's texts: "LOAD", "L1 or L1 hit", "None", "L1 or L2 hit", "Yes", " N/A".
std::string operation_text(const DataSource& source);
std::string level_text(const DataSource& source);
std::string snoop_text(const DataSource& source);
std::string tlb_text(const DataSource& source);
std::string_view lock_text(const DataSource& source);
std::string block_text(const DataSource& source);
// "4K", "N/A".
std::string page_size_text(u64 bytes);

}  // namespace peregrine::abi
