// LockUsage: which kernel locks were waited for, how long, by whom and from where.
//
//   contention_begin ──── wait ────▶ contention_end      every kernel since 5.19
//   lock_acquire ─▶ lock_contended ──── wait ────▶ lock_acquired ─▶ lock_release      kernels built with lockdep
//
// Each thread has one sequence per lock. An impossible transition is counted as broken and restarts the sequence. Times
// in ns.
#pragma once
#include <array>
#include <bitset>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi/sample.h"
#include "analysis/field/recorded_tracepoints.h"
#include "analysis/lock/lock_callers.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

enum class LockBy : u8 { Lock, Task, Caller, Name, Cgroup };

struct LockRow {
  u64 key = 0;       // address of the lock, tid, cgroup id, or id of the caller's stack
  std::string name;  // for a lock: where it was first waited for, or the kernel's name; a task's comm; a cgroup's path
  u32 flags = 0;     // of contention_begin
  std::string type;  // of a user-space lock; "": kernel lock, see `flags`
  u64 acquired = 0, contended = 0;
  u64 waits = 0;  // completed ones
  u64 total = 0, most = 0, least = 0;
  bool broken = false;
  std::vector<std::string> stack;  // stack of a caller, if requested
  u64 average() const { return waits == 0 ? 0 : total / waits; }
};

// The transition that broke a sequence.
enum class LockStep : u8 { Acquire, Acquired, Contended, Release };

class LockUsage : public TracepointSink {
 public:
  struct Request {
    LockBy by = LockBy::Lock;
    unsigned skip = 3;  // innermost frames of the lock code to skip
    unsigned max_stack = 8;
    bool stacks = false;  // keep one stack per caller
    // Count only these; empty: all. Flags of contention_begin, and addresses.
    std::vector<u32> types = {};
    std::vector<u64> locks = {};
    bool by_owner = false;                    // user-space locks with LockBy::Task: the tasks that held the lock
    std::vector<std::string> functions = {};  // only waits with one of these in a function name of their stack
  };
  LockUsage(const data::Reader& reader, const Request& request);

  // Unordered.
  std::vector<LockRow> rows() const;
  // Errors: locks by cgroup were requested, but samples have no cgroup.
  Result<> outcome() const override;
  std::bitset<128> records() const override;  // CGROUP
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  const std::array<u64, 4>& broken() const { return broken_; }  // by LockStep
  // The waiters for locks, and each lock's name by address.
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
  bool cgroupless_ = false;             // a sample has no cgroup
  std::array<u64, 4> broken_{};
  LockCallers callers_;
};

// "mutex", "spinlock", "rwsem:R" for contention_begin's flags (include/trace/events/lock.h).
std::string_view lock_type(u32 flags);
inline std::string_view lock_type(const LockRow& row) { return row.type.empty() ? lock_type(row.flags) : row.type; }
// All flags with that name; empty: unknown type.
std::vector<u32> lock_flags(std::string_view type);

}  // namespace peregrine
