// CallAssembler: system calls from the samples of raw_syscalls:sys_enter and sys_exit, which come apart. As in
// linux-perf, a call that still goes on when another thread begins one, or another event comes, is told of as
// interrupted, and later as resumed.
#pragma once
#include <unordered_map>
#include <vector>

#include "event/syscall/call.h"

namespace peregrine {

struct CallFilter {
  std::vector<bool> chosen;  // by number
  u64 least_duration = 0;    // ns
  bool only_failed = false;
  bool whole = false;  // calls are told of when they end only
};

class CallAssembler {
 public:
  CallAssembler(const Signatures& signatures, CallFilter filter, CallReader& reader);

  // Each answers false when the reader has enough. Times are ns.
  bool enter(i32 pid, i32 tid, u64 time, u32 number, const std::array<u64, kMostArguments>& arguments);
  bool leave(i32 pid, i32 tid, u64 time, u32 number, i64 result);
  // Something else happens.
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
  i32 current_ = -1;                          // whose call began last
};

}  // namespace peregrine
