// SchedstatSeries: the first and the last reading of each line of /proc/schedstat that was recorded, and how far the
// counters moved between them: per CPU, per scheduling domain of a CPU, and for all CPUs together.
//
// Counters of 32 bits may wrap. One that falls by more than half of their range was set to zero in between (domains are
// made anew when CPUs come and go) and counts from there. A line that was read only once says nothing.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "abi/session_record.h"
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
  u64 jiffies = 0;                 // between the first reading and the last
  std::vector<SchedstatCpu> cpus;  // by number
  SchedstatCpu total() const;      // of all CPUs; a domain's CPUs are not given
};

class SchedstatSeries {
 public:
  // False: the record is of another version than those before, or too short for its own.
  bool add(const abi::SchedstatRecord& record);
  // `domains`: their names and CPUs; nullptr: not known.
  SchedstatChange change(const data::SchedulingDomains* domains) const;

 private:
  struct Line {
    std::vector<u64> first, last;
    u32 readings = 0;
  };
  u32 version_ = 0;
  u64 first_time_ = 0, last_time_ = 0;
  std::map<u32, Line> cpus_;
  std::map<std::pair<u32, u32>, Line> domains_;  // by CPU and number
};

// A counter as it is shown.
struct SchedstatRow {
  std::string name;  // as the kernel's documentation calls it
  u64 count = 0;
  bool has_share = false, has_average = false;
  double share = 0;    // percent of the counter that it is a part of
  double average = 0;  // jiffies between two of these; of a pull, tasks per success
  std::string_view meaning;
};
struct SchedstatGroup {
  std::string_view title;
  std::vector<SchedstatRow> rows;
};
std::vector<SchedstatRow> schedstat_rows(const SchedstatCpu& cpu);
std::vector<SchedstatGroup> schedstat_groups(const SchedstatDomain& domain, u32 version, u64 jiffies);

}  // namespace peregrine
