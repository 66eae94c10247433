// LockUsage: which of the kernel's locks were waited for, how long, by whom and from where.
//
//   contention_begin ──── wait ────▶ contention_end      every kernel since 5.19
//   lock_acquire ─▶ lock_contended ──── wait ────▶ lock_acquired ─▶ lock_release      kernels built with lockdep
//
// Each thread has one sequence per lock. A sequence that goes on as no lock does is counted as broken and begun anew.
// Times in ns.
#pragma once
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/field/recorded_tracepoints.h"
#include "analysis/lock/lock_callers.h"

namespace peregrine {

enum class LockBy : u8 { Lock, Task, Caller, Name, Cgroup };

struct LockRow {
  u64 key = 0;       // address of the lock, tid, id of the control group, or the number of the caller's stack
  std::string name;  // where it was first waited for, or what the kernel calls it; of a task: its comm; of a
                     // control group: its path
  u32 flags = 0;     // of contention_begin
  std::string type;  // of a lock of user space; "": of the kernel's, as `flags` say
  u64 acquired = 0, contended = 0;
  u64 waits = 0;  // that ended
  u64 total = 0, most = 0, least = 0;
  bool broken = false;
  std::vector<std::string> stack;  // of a caller, when asked for
  u64 average() const { return waits == 0 ? 0 : total / waits; }
};

// How a sequence broke.
enum class LockStep : u8 { Acquire, Acquired, Contended, Release };

class LockUsage : public TracepointSink {
 public:
  struct Request {
    LockBy by = LockBy::Lock;
    unsigned skip = 3;  // frames of the lock's own code, innermost first
    unsigned max_stack = 8;
    bool stacks = false;  // keep one per caller
    // Only these; empty: all. Flags of contention_begin, and addresses.
    std::vector<u32> types = {};
    std::vector<u64> locks = {};
    bool by_owner = false;                    // of locks of user space, with LockBy::Task: the tasks that had the lock
    std::vector<std::string> functions = {};  // only waits with one of these in the name of a function of their stack
  };
  LockUsage(const data::Reader& reader, const Request& request);

  // In no order.
  std::vector<LockRow> rows() const;
  // Errors: by control group, and samples do not say theirs.
  Result<> outcome() const override;
  std::bitset<128> records() const override;  // CGROUP
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  const std::array<u64, 4>& broken() const { return broken_; }  // by LockStep
  // What waited for a lock, and each lock, by address, with its name.
  const std::map<u32, std::string>& tasks() const { return tasks_; }

 private:
  enum class State : u8 { Fresh, Released, Acquiring, Contended, Acquired, ReadAcquired };
  struct Sequence {
    State state = State::Fresh;
    u64 since = 0;
    u32 readers = 0;
    u64 row = 0;
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  void start_waiting(const TracepointView& view, const ReplaySample& sample, Resolver& resolver);
  void stop_waiting(const TracepointView& view, const ReplaySample& sample);
  void follow(const TracepointView& view, const ReplaySample& sample, Resolver& resolver);
  void acquire(Sequence& sequence, LockRow& row, u64 flags);
  void waited(LockRow& row, u64 time);
  void fail_at(LockStep step, Sequence& sequence, LockRow& row);
  LockRow& task_row(u32 tid);
  LockRow& cgroup_row(const abi::Sample& sample);
  LockRow& row_of(u64 address, std::string name, const ReplaySample& sample, Resolver& resolver);

  Request request_;
  std::unordered_map<u64, LockRow> rows_;
  std::map<std::pair<u32, u64>, Sequence> sequences_;  // by thread and lock
  std::map<u32, std::string> tasks_;
  std::map<u64, std::string> cgroups_;  // paths, by id
  bool cgroupless_ = false;             // some sample does not say its control group
  std::array<u64, 4> broken_{};
  LockCallers callers_;
};

// "mutex", "spinlock", "rwsem:R" of contention_begin's flags (include/trace/events/lock.h).
std::string_view lock_type(u32 flags);
inline std::string_view lock_type(const LockRow& row) { return row.type.empty() ? lock_type(row.flags) : row.type; }
// Its flags: all of that name. Empty: no such type.
std::vector<u32> lock_flags(std::string_view type);

}  // namespace peregrine
