// The tables of `lock report` and `lock contention`, in linux-perf's layout, but with full names.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

enum class LockColumn : u8 { Acquired, Contended, Average, Total, Most, Least };

std::string_view lock_title(LockColumn column);  // "total wait"
u64 lock_value(const LockRow& row, LockColumn column);

struct LockTable {
  std::vector<LockColumn> columns;
  LockBy by = LockBy::Lock;
  std::optional<std::size_t> lines;  // maximum
  bool stacks = false;
  bool titles = true;
};
// Names first, as in `lock report`.
void print_lock_report(const std::vector<LockRow>& rows, const LockTable& table, Sink& out);
// Numbers first, then the kind of lock and the waiter, as in `lock contention`.
void print_lock_contention(const std::vector<LockRow>& rows, const LockTable& table, Sink& out);
// Impossible sequences, by the step that broke them; nothing if there are none.
void print_broken_locks(const LockUsage& usage, std::size_t locks, std::size_t broken, Sink& out);

}  // namespace peregrine
