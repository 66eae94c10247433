// AddressLayouts: the address spaces of a recording with made-up layouts: one per process, following forks and execs,
// one for the kernel, and those of guests.
//
// Upper-half addresses are the kernel's, as on all supported machines. Fed in time order.
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "abi/side_band.h"
#include "base/types.h"
#include "pipeline/rewrite/address_map.h"

namespace peregrine {

constexpr bool is_kernel_address(u64 address) { return address >> 63 != 0; }

class AddressLayouts {
 public:
  AddressLayouts();

  u64 at(bool guest, u32 pid, u64 address);
  // Whether it is in a mapping of the process, the kernel or the guest.
  bool covers(bool guest, u32 pid, u64 address);
  // Whether it may be unmapped process memory below 4 GiB.
  bool is_near_low_map(bool guest, u32 pid, u64 address);
  bool keeps_distance(u64 one, u64 other) const { return kernel_.keeps_distance(one, other); }

  // Converts a record for writing: start, length and page offset change.
  void map(abi::MmapRecord& record, u16 cpumode);
  void map_kernel_code(u64 start, u64 length) { kernel_.map_apart(start, length); }
  void fork(u32 parent, u32 child);
  // Gives the process a new layout. The old one remains visible where new maps leave room, for stacks of the exec call.
  void exec(u32 pid);
  // Number of processes' spaces, including those waiting for another process.
  std::size_t spaces() const { return spaces_.size(); }

 private:
  static constexpr std::size_t kNoSpace = ~std::size_t{0};
  struct Space {
    AddressMap map;
    std::size_t previous = kNoSpace;  // the space before exec
    u32 processes = 0, followers = 0;
  };
  std::size_t space_of(u32 pid);
  std::size_t add_space(AddressMap map, std::size_t previous);
  void put(u32 pid, std::size_t space);
  void leave(std::size_t space);
  void recycle(std::size_t space);
  // The map that covers the address: the space's own, or the previous one's.
  AddressMap& map_of(std::size_t space, u64 address);
  void map_process(abi::MmapRecord& record);
  void map_kernel(abi::MmapRecord& record, AddressMap& kernel);
  AddressMap& guest_kernel(u32 pid);

  AddressMap kernel_;
  std::map<u32, AddressMap> guest_kernels_, guest_programs_;  // by the process that runs the guest; 0: any
  std::deque<Space> spaces_;
  std::vector<std::size_t> unused_;
  std::unordered_map<u32, std::size_t> processes_;  // by pid
  u64 changes_ = 0, copied_ = 0;
};

}  // namespace peregrine
