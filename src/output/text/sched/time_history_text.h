// The lines and the sums of `sched timehist`, in linux-perf's layout.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/sched/sched_event.h"
#include "analysis/sched/time_history.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/process/thread_table.h"
#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "output/text/format/text_table.h"

namespace peregrine {

// "perf[17]"; for a thread other than the main one "perf[18/17]"; just the name for a task without records.
std::string task_text(const Machine& machine, const ThreadState& thread, u32 tid);

struct TimeHistoryLook {
  unsigned cpus = 0;  // of the recorded machine
  bool picture = false, wakeups = false, migrations = false, next = false, state = false, priority = false;
  bool pre_migrations = false;
  unsigned chain_depth = 5;  // 0: no chains
};

class TimeHistoryText {
 public:
  TimeHistoryText(TimeHistoryLook look, Sink& out);

  void print_titles();
  void print(const TimeHistoryRow& row, Resolver& resolver);
  void print_lost(u64 time, u64 lost, u32 cpu);

 private:
  // A task's name in the table. Cached, since most rows repeat a known name.
  struct Name {
    u32 pid = 0;
    CommId comm;
    std::string text;
    std::size_t width = 0;  // columns
  };
  const Name& name_of(u32 pid, u32 tid, Moment moment, const Machine& machine);
  void put_start(const TimeHistoryRow& row, char mark);
  void put_name(const Name& name);
  void put_time(u64 ns);
  std::string picture_of(u32 cpu, char mark) const;
  void put_priority(const SchedEvent& event);
  void put_chain(std::span<const std::string> chain);

  TimeHistoryLook look_;
  Sink& out_;
  std::size_t name_;  // its column, which grows as needed
  TextTable table_;
  std::unordered_map<u32, Name> names_;  // by tid
  const Name idle_{.text = "<idle>", .width = 6};
  const Name swapper_{.text = "swapper", .width = 7};
};

struct TimeHistorySums {
  bool waits = false;      // show what tasks waited for instead of run times
  bool idle_only = false;  // show how long CPUs were idle after tasks left
  unsigned cpus = 0;
  std::vector<u32> chosen_cpus;  // empty: all
  bool chains = false;
};
void print_time_sums(const TimeHistory& history, const Machine& machine, const TimeHistorySums& sums, Sink& out);

}  // namespace peregrine
