// /proc/schedstat: counters of each CPU's run queue and scheduling domains, and the switch that enables them
// (sched_schedstats).
//
//   cpu0 0 0 0 …                            nine numbers since version 15
//   domain0 SMT 00000003 0 0 0 …            36 numbers, 45 since version 17, which also names domains
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sys/kernel/ownership_record.h"
#include "sys/root.h"

namespace peregrine {

struct SchedDomainCounters {
  u32 number = 0;
  std::string name;  // empty before version 17
  std::string mask;  // CPU mask: "00000000,00000003"
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

// Errors: Unsupported, the kernel has no schedstat, or not version 15 to 17; Malformed.
Result<SchedCounters> read_sched_counters(const Root& root);

// Enables the counters of /proc/schedstat while it exists. The destructor restores the previous setting; if the
// process is killed, the next start of this program does so.
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
  std::string path_;  // switch to turn off at the end; empty if it was already on
  std::optional<OwnershipRecord> record_;
};

// Turns the switch off and settles the note of a dead owner. Returns false if the note is about something else.
bool undo_abandoned_sched_stats(const Root& root, OwnershipRecord& record);

}  // namespace peregrine
