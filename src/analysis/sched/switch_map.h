// SwitchMap: which task is on which CPU, switch by switch: the rows of `sched map`.
//
// Tasks get short names in order of appearance: A0 … Z0, A1 … Z9, then from A0 again.
#pragma once
#include <bitset>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/sched/sched_event.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct SwitchMapRow {
  enum class Cell : u8 { Empty, Idle, Task, Other };  // Other: a task that is filtered out
  struct Column {
    u32 cpu = 0;
    Cell cell = Cell::Empty;
    std::string_view name;  // the task's
    u32 tid = 0;
  };
  u64 time = 0;
  std::size_t changed = 0;  // index of the column
  bool left = false;        // the change is that the named task was replaced by a filtered-out one
  bool introduces = false;  // first appearance of the task here, or it was renamed
  bool new_cpu = false;     // the column is new
  u32 tid = 0;
  std::string_view comm;
  std::span<const Column> columns;
};

class SwitchMap : public SchedSink {
 public:
  struct Request {
    u32 cpus = 0;                    // number of columns; 0: CPUs with switches, in order of appearance
    u32 most_columns = ~u32{0};      // switches on CPUs beyond this are counted, not shown
    std::vector<u32> chosen;         // show only these CPUs; empty: all
    std::vector<std::string> tasks;  // show only tasks with these names; empty: all
    bool fuzzy = false;              // match parts of names
    std::function<void(const SwitchMapRow&)> show;
  };
  SwitchMap(const data::Reader& reader, Request request);

  std::bitset<128> records() const override;  // COMM
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  // Switches on CPUs without a column.
  u64 hidden() const { return hidden_; }

 private:
  struct Task {
    std::string name;
    bool renamed = false;
  };
  bool needs(SchedKind kind) const override { return kind == SchedKind::Switch; }
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  std::string next_name();
  std::optional<std::size_t> column_of(u32 cpu, bool& fresh);
  bool is_chosen(std::string_view comm) const;

  Request request_;
  std::vector<SwitchMapRow::Column> columns_;
  std::unordered_map<u32, std::size_t> column_of_cpu_;
  std::unordered_set<u32> chosen_;
  u64 hidden_ = 0;
  std::unordered_map<u32, Task> tasks_;  // by tid
  unsigned named_ = 0;
};

}  // namespace peregrine
