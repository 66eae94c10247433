#include "output/text/kernel/lock_text.h"

#include <algorithm>

#include "base/percent.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr std::size_t kLockName = 20, kLockCount = 10, kLockTime = 12;

struct LockLook {
  std::string_view title;
  std::size_t width;
};
LockLook look_of(LockColumn column) {
  switch (column) {
    case LockColumn::Acquired:
      return {"acquired", kLockCount};
    case LockColumn::Contended:
      return {"contended", kLockCount};
    case LockColumn::Average:
      return {"avg wait", kLockTime};
    case LockColumn::Total:
      return {"total wait", kLockTime};
    case LockColumn::Most:
      return {"max wait", kLockTime};
    case LockColumn::Least:
      return {"min wait", kLockTime};
  }
  return {};
}

std::string time_text(u64 ns) {
  constexpr std::pair<double, std::string_view> kUnits[] = {{3600e9, "h "}, {60e9, "m "}, {1e9, "s "},
                                                            {1e6, "ms"},    {1e3, "us"},  {0, "ns"}};
  const auto value = static_cast<double>(ns);
  for (const auto& [unit, name] : kUnits)
    if (value >= unit && unit != 0) return fmt::format("{:{}.2f} {}", value / unit, kLockTime - 3, name);
  return fmt::format("{:{}} ns", ns, kLockTime - 3);
}

void put_titles(const std::vector<LockColumn>& columns, Sink& out) {
  for (const LockColumn column : columns) out.right(look_of(column).title, look_of(column).width).append(' ');
}

void put_values(const LockRow& row, const std::vector<LockColumn>& columns, Sink& out) {
  for (const LockColumn column : columns) {
    const u64 value = lock_value(row, column);
    if (column == LockColumn::Acquired || column == LockColumn::Contended)
      out.decimal(value, kLockCount);
    else
      out.append(time_text(value));
    out.append(' ');
  }
}

}  // namespace

std::string_view lock_title(LockColumn column) { return look_of(column).title; }

u64 lock_value(const LockRow& row, LockColumn column) {
  switch (column) {
    case LockColumn::Acquired:
      return row.acquired;
    case LockColumn::Contended:
      return row.contended;
    case LockColumn::Average:
      return row.average();
    case LockColumn::Total:
      return row.total;
    case LockColumn::Most:
      return row.most;
    case LockColumn::Least:
      return row.least;
  }
  return 0;
}

void print_lock_report(const std::vector<LockRow>& rows, const LockTable& table, Sink& out) {
  const std::size_t shown = std::min(rows.size(), table.lines.value_or(rows.size()));
  std::size_t width = kLockName;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, display_width(printable(rows[i].name)) + 1);
  if (table.titles) {
    out.right("Name", width).append(' ');
    put_titles(table.columns, out);
    out.append("\n\n");
  }
  for (std::size_t i = 0; i < shown; ++i) {
    out.right(printable(rows[i].name), width).append(' ');
    put_values(rows[i], table.columns, out);
    out.append('\n');
  }
}

void print_lock_contention(const std::vector<LockRow>& rows, const LockTable& table, Sink& out) {
  const bool tasks = table.by == LockBy::Task;
  if (table.titles) {
    put_titles(table.columns, out);
    if (table.by == LockBy::Cgroup)
      out.append("  cgroup\n\n");
    else
      out.format("  {:>10}   {}\n\n", tasks ? "pid" : "type",
                 tasks                      ? "comm"
                 : table.by == LockBy::Lock ? "lock"
                                            : "caller");
  }
  std::size_t shown = 0;
  for (const LockRow& row : rows) {
    if (table.lines && shown++ == *table.lines) break;
    put_values(row, table.columns, out);
    const std::string name = printable(row.name);
    if (table.by == LockBy::Cgroup)
      out.append("  ").append(name).append('\n');
    else if (tasks)
      out.format("  {:10}   {}\n", static_cast<i32>(row.key), name);
    else if (table.by == LockBy::Lock)
      out.format("  {:>10}   {:#x}  {}\n", lock_type(row), row.key, name);
    else
      out.format("  {:>10}   {}\n", lock_type(row), name);
    if (table.stacks)
      for (const std::string& frame : row.stack) out.append("\t\t\t").append(printable(frame)).append('\n');
  }
}

void print_broken_locks(const LockUsage& usage, std::size_t locks, std::size_t broken, Sink& out) {
  if (broken == 0) return;
  constexpr std::string_view kSteps[] = {"acquire", "acquired", "contended", "release"};
  out.append("\n=== output for debug===\n\n");
  out.format("bad: {}, total: {}\n", broken, locks);
  out.format("bad rate: {:.2f} %\n", percent_of(broken, locks));
  out.append("histogram of events caused bad sequence\n");
  for (std::size_t i = 0; i < usage.broken().size(); ++i) out.format(" {:>10}: {}\n", kSteps[i], usage.broken()[i]);
}

}  // namespace peregrine
