// The tables of `lock report` and `lock contention`, in linux-perf's layout, but for names, which are whole.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "output/sink.h"

namespace peregrine {

enum class LockColumn : u8 { Acquired, Contended, Average, Total, Most, Least };

std::string_view lock_title(LockColumn column);  // "total wait"
u64 lock_value(const LockRow& row, LockColumn column);

struct LockTable {
  std::vector<LockColumn> columns;
  LockBy by = LockBy::Lock;
  std::optional<std::size_t> lines;  // at most so many
  bool stacks = false;
  bool titles = true;
};
// Names first, as `lock report` has it.
void print_lock_report(const std::vector<LockRow>& rows, const LockTable& table, Sink& out);
// Numbers first, then the kind of lock and who waited, as `lock contention` has it.
void print_lock_contention(const std::vector<LockRow>& rows, const LockTable& table, Sink& out);
// Sequences that no lock goes through, by the step at which they broke; nothing when there are none.
void print_broken_locks(const LockUsage& usage, std::size_t locks, std::size_t broken, Sink& out);

}  // namespace peregrine
