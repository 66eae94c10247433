// CallAssembler: pairs samples of raw_syscalls:sys_enter and sys_exit to system calls. As in linux-perf, a call still
// in progress when another thread starts one, or another event occurs, is reported as interrupted, and later as
// resumed.
#pragma once
#include <array>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "event/syscall/call.h"
#include "event/syscall/signature.h"

namespace peregrine {

struct CallFilter {
  std::vector<bool> chosen;  // by number
  bool whole = false;        // report calls only when they end
};

class CallAssembler {
 public:
  CallAssembler(const Signatures& signatures, CallFilter filter, CallReader& reader);

  // Return false if the reader wants no more. Times are ns; a CPU of -1 is unknown.
  bool enter(i32 pid, i32 tid, u64 time, u32 number, const std::array<u64, kMostArguments>& arguments, i32 cpu = -1);
  bool leave(i32 pid, i32 tid, u64 time, u32 number, i64 result, i32 cpu = -1);
  // Another event occurs.
  bool interrupt();

 private:
  struct Pending {
    TracedCall call;
    bool inside = false, told = false;
  };
  bool is_chosen(u32 number) const { return number >= filter_.chosen.size() || filter_.chosen[number]; }

  const Signatures& signatures_;
  CallFilter filter_;
  CallReader& reader_;
  std::unordered_map<i32, Pending> pending_;  // by thread
  i32 current_ = -1;                          // thread with the most recently started call
};

}  // namespace peregrine
