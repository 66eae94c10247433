// /proc/schedstat: counters of each CPU's run queue and of the scheduling domains that the CPU is in, and the switch
// that makes the kernel count (sched_schedstats).
//
//   cpu0 0 0 0 …                            nine numbers since version 15
//   domain0 SMT 00000003 0 0 0 …            36 numbers, 45 since version 17, which names domains too
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sys/kernel/ownership_record.h"

namespace peregrine {

struct SchedDomainCounters {
  u32 number = 0;
  std::string name;  // empty before version 17
  std::string mask;  // of CPUs: "00000000,00000003"
  std::vector<u64> values;
};
struct SchedCpuCounters {
  u32 cpu = 0;
  std::vector<u64> values;
  std::vector<SchedDomainCounters> domains;
};
struct SchedCounters {
  u32 version = 0;
  u64 time = 0;  // jiffies
  std::vector<SchedCpuCounters> cpus;
};

// Errors: Unsupported, the kernel has none, or another version than 15 to 17; Malformed.
Result<SchedCounters> read_sched_counters(const Root& root);

// CPUs of a mask, in order.
std::vector<u32> cpus_of_mask(std::string_view mask);

// While it lives, the kernel counts for /proc/schedstat. What was set before is put back at the end, or by the next
// start of this program when it was killed.
class SchedStatsSwitch {
 public:
  // Errors: Unsupported, the kernel has no such switch; Denied.
  static Result<SchedStatsSwitch> engage(const Root& root);
  SchedStatsSwitch(SchedStatsSwitch&& other) noexcept
      : path_(std::move(other.path_)), record_(std::move(other.record_)) {
    other.path_.clear();
  }
  SchedStatsSwitch& operator=(SchedStatsSwitch&&) = delete;
  ~SchedStatsSwitch();

 private:
  explicit SchedStatsSwitch(std::string path) : path_(std::move(path)) {}
  std::string path_;  // to be switched off again; empty when it was on already
  std::optional<OwnershipRecord> record_;
};

// Switches it off and settles the record of a dead owner; false when the record is of something else.
bool undo_abandoned_sched_stats(const Root& root, OwnershipRecord& record);

}  // namespace peregrine
