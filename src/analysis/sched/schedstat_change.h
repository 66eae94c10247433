// SchedstatSeries: the change of /proc/schedstat counters between the first and last recorded reading: per CPU, per
// scheduling domain of a CPU, and in total.
//
// 32-bit counters may wrap. A counter that drops by more than half its range was reset in between (domains are
// recreated when CPUs come and go) and counts from zero. A line with a single reading yields nothing.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/session_record.h"
#include "base/types.h"
#include "data/feature/features.h"

namespace peregrine {

struct SchedstatDomain {
  u32 number = 0;
  std::string name;  // "MC"; empty before version 17
  std::string cpus;  // "0-3"
  std::vector<u64> values;
};
struct SchedstatCpu {
  u32 cpu = 0;
  std::vector<u64> values;
  std::vector<SchedstatDomain> domains;
};
struct SchedstatChange {
  u32 version = 0;
  u64 jiffies = 0;                 // between the first and the last reading
  std::vector<SchedstatCpu> cpus;  // by number
  SchedstatCpu total() const;      // summed over all CPUs; domains lack their CPUs
};

class SchedstatSeries {
 public:
  // Returns false if the record's version differs from earlier ones, or if the record is too short.
  bool add(const abi::SchedstatRecord& record);
  // `domains`: their names and CPUs; nullptr if unknown.
  SchedstatChange change(const data::SchedulingDomains* domains) const;

 private:
  struct Line {
    std::vector<u64> first, last;
    u32 readings = 0;
  };
  u32 version_ = 0;
  u64 first_time_ = 0, last_time_ = 0;
  std::map<u32, Line> cpus_;
  std::map<std::pair<u32, u32>, Line> domains_;  // by CPU and domain number
};

// A counter as displayed.
struct SchedstatRow {
  std::string name;  // its name in the kernel's documentation
  u64 count = 0;
  bool has_share = false, has_average = false;
  double share = 0;    // percentage of the counter that it is part of
  double average = 0;  // jiffies between two; for pulls, tasks per success
  std::string_view meaning;
};
struct SchedstatGroup {
  std::string_view name;
  std::vector<SchedstatRow> rows;
};
std::vector<SchedstatRow> schedstat_rows(const SchedstatCpu& cpu);
std::vector<SchedstatGroup> schedstat_groups(const SchedstatDomain& domain, u32 version, u64 jiffies);

}  // namespace peregrine
