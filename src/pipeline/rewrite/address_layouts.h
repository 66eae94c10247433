// AddressLayouts: the address spaces of a recording, each with a made-up layout: one for each process, as forks and
// execs make them, one for the kernel, and those of guests.
//
// Addresses in the upper half are the kernel's, as on all machines whose recordings are taken. Fed in time order.
#pragma once
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/side_band.h"
#include "pipeline/rewrite/address_map.h"

namespace peregrine {

constexpr bool is_kernel_address(u64 address) { return address >> 63 != 0; }

class AddressLayouts {
 public:
  AddressLayouts();

  u64 at(bool guest, u32 pid, u64 address);
  // Whether it is in a mapping of the process, of the kernel or of its guest.
  bool covers(bool guest, u32 pid, u64 address);
  // Whether it can be in memory of the process that no map names, below 4 GiB.
  bool is_near_low_map(bool guest, u32 pid, u64 address);
  bool keeps_distance(u64 one, u64 other) const { return kernel_.keeps_distance(one, other); }

  // The record as it is to be written: start, length and page offset change.
  void map(abi::MmapRecord& record, u16 cpumode);
  void map_kernel_code(u64 start, u64 length) { kernel_.map_apart(start, length); }
  void fork(u32 parent, u32 child);
  // The process gets a new layout. Where maps that follow leave it room, the old one is seen: stacks of the call that
  // made it.
  void exec(u32 pid);
  // Of processes, those that wait for another process included.
  std::size_t spaces() const { return spaces_.size(); }

 private:
  static constexpr std::size_t kNoSpace = ~std::size_t{0};
  struct Space {
    AddressMap map;
    std::size_t previous = kNoSpace;  // before exec
    u32 processes = 0, followers = 0;
  };
  std::size_t space_of(u32 pid);
  std::size_t add_space(AddressMap map, std::size_t previous);
  void put(u32 pid, std::size_t space);
  void leave(std::size_t space);
  void recycle(std::size_t space);
  // Whose map has the address: the space's own, or that before.
  AddressMap& map_of(std::size_t space, u64 address);
  void map_process(abi::MmapRecord& record);
  void map_kernel(abi::MmapRecord& record, AddressMap& kernel);
  AddressMap& guest_kernel(u32 pid);

  AddressMap kernel_;
  std::map<u32, AddressMap> guest_kernels_, guest_programs_;  // by the process that runs the guest; 0: of any
  std::deque<Space> spaces_;
  std::vector<std::size_t> unused_;
  std::unordered_map<u32, std::size_t> processes_;  // by pid
  u64 changes_ = 0, copied_ = 0;
};

}  // namespace peregrine
