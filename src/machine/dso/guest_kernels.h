// GuestKernels: finds the owner of an address in the kernels of guests on the recorded machine, using copies of the
// guests' own lists.
//
//   --guestkallsyms, --guestmodules, --guestvmlinux     one guest, or guests with the same kernel
//   --guestmount DIR                                    DIR/PID/proc/kallsyms and modules of the guest run by PID
//
// Created with the machine, before the first record; later only maps are added, in order. Programs in guests have no
// dso.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "abi/side_band.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"

namespace peregrine {

class GuestKernels {
 public:
  GuestKernels(const GuestPlaces& places, DsoTable& dsos);

  // Adds the guest's kernel as recorded. Copies of lists take precedence.
  void add_map(const abi::MmapRecord& record, DsoTable& dsos);
  // Returns an invalid id if no dso covers the address. `pid`: the process that runs the guest.
  DsoId find(u32 pid, u64 address) const;

 private:
  struct Part {
    u64 start = 0, end = 0;
    DsoId dso;
  };
  using Guest = std::vector<Part>;
  static constexpr u32 kAnyGuest = 0;

  void read_lists(u32 pid, const std::string& kallsyms, const std::string& modules, DsoTable& dsos);
  void read_image(const std::string& path, DsoTable& dsos);

  std::map<u32, Guest> guests_;  // key: the process that runs the guest
};

}  // namespace peregrine
