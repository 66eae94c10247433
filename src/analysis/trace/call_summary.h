// CallSummary: each thread's system calls: number, duration, errors. Fed with calls or with sums from BPF programs.
#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "abi/arch/syscall.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "event/syscall/call.h"
#include "sys/process/process.h"

namespace peregrine {

struct CallStats {
  u64 calls = 0, errors = 0, total = 0, least = 0, most = 0;  // ns
  double squares = 0;
  std::map<int, u64> by_error;  // errno → calls

  double average() const;
  // Standard error as a percentage of the average.
  double relative_error() const;
};

class CallSummary {
 public:
  struct Row {
    abi::SyscallSet set;
    u32 number;
    CallStats stats;
  };
  // One block: a thread, a cgroup, or everything.
  struct Block {
    Pid tid = 0;
    u64 cgroup = 0;
    u64 events = 0;   // begins and ends of calls, and page faults
    u64 runtime = 0;  // ns, if known
    u64 major_faults = 0, minor_faults = 0;
    std::vector<Row> rows;
  };

  explicit CallSummary(SumBy by) : by_(by) {}
  void add(const TracedCall& call);
  void add(const CallSum& sum);
  // If samples are counted, they are the thread's events; otherwise each call counts as two and each fault as one.
  void count_event(Pid tid) { ++events_[whose(tid)]; }
  // Has no effect on sums by cgroup, because a fault's cgroup is not known.
  void add_fault(Pid tid, bool major);
  void add_runtime(Pid tid, u64 nanoseconds) { runtime_[static_cast<u32>(tid)] += nanoseconds; }
  // Rows by total, blocks by events, largest first.
  std::vector<Block> blocks() const;

 private:
  struct Key {
    u64 whose;
    abi::SyscallSet set;
    u32 number;
    auto operator<=>(const Key&) const = default;
  };
  struct Faults {
    u64 major = 0, minor = 0;
  };
  u64 whose(Pid tid) const { return by_ == SumBy::Thread ? static_cast<u32>(tid) : 0; }

  SumBy by_;
  std::map<Key, CallStats> stats_;
  std::map<u64, Faults> faults_;
  std::unordered_map<u64, u64> events_, runtime_;
};

}  // namespace peregrine
