// SwitchMap: who is on which CPU, switch by switch: the rows of `sched map`.
//
// Tasks have short names in order of appearance: A0 … Z0, A1 … Z9, and again from A0 when they are used up.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/sched/sched_event.h"

namespace peregrine {

struct SwitchMapRow {
  enum class Cell : u8 { Empty, Idle, Task, Other };  // Other: a task that was not asked for
  struct Column {
    u32 cpu = 0;
    Cell cell = Cell::Empty;
    std::string_view name;  // of a task
    u32 tid = 0;
  };
  u64 time = 0;
  std::size_t changed = 0;  // index of the column
  bool left = false;        // what changed is that the task named there left, for one that was not asked for
  bool introduces = false;  // the task is new here, or has another name since it was here
  bool new_cpu = false;     // the column was not there before
  u32 tid = 0;
  std::string_view comm;
  std::span<const Column> columns;
};

class SwitchMap : public SchedSink {
 public:
  struct Request {
    u32 cpus = 0;                    // how many columns; 0: those with switches, in order of appearance
    u32 most_columns = ~u32{0};      // what happens on CPUs beyond is counted, not shown
    std::vector<u32> chosen;         // only these CPUs; empty: all
    std::vector<std::string> tasks;  // only tasks of these names; empty: all
    bool fuzzy = false;              // a part of the name is enough
    std::function<void(const SwitchMapRow&)> show;
  };
  SwitchMap(const data::Reader& reader, Request request);

  std::bitset<128> records() const override;  // COMM
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  // Switches on CPUs for which there was no column left.
  u64 hidden() const { return hidden_; }

 private:
  struct Task {
    std::string name;
    bool renamed = false;
  };
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  std::string next_name();
  std::optional<std::size_t> column_of(u32 cpu, bool& fresh);
  bool is_chosen(std::string_view comm) const;

  Request request_;
  std::vector<SwitchMapRow::Column> columns_;
  std::unordered_map<u32, std::size_t> column_of_cpu_;
  std::unordered_set<u32> chosen_;
  u64 hidden_ = 0;
  std::unordered_map<u32, Task> tasks_;  // by tid; of those that were seen
  unsigned named_ = 0;
};

}  // namespace peregrine
