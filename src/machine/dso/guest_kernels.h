// GuestKernels: the kernels of guests that ran on the recorded machine, as far as copies of their own lists name them:
// whose address is it?
//
//   --guestkallsyms, --guestmodules, --guestvmlinux     one guest, or guests that are alike
//   --guestmount DIR                                    DIR/PID/proc/kallsyms and modules of the guest that PID runs
//
// Made with the machine, before the first record; afterwards only maps are added, in order. Guests' programs are
// nobody's.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "abi/side_band.h"
#include "machine/dso/dso.h"

namespace peregrine {

class GuestKernels {
 public:
  GuestKernels(const GuestPlaces& places, DsoTable& dsos);

  // The guest's kernel as the recording describes it; what copies of lists tell goes before.
  void add_map(const abi::MmapRecord& record, DsoTable& dsos);
  // Invalid: no dso covers it. `pid`: of the process that runs the guest.
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

  std::map<u32, Guest> guests_;  // by the process that runs it
};

}  // namespace peregrine
