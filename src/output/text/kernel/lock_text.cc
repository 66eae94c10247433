#include "output/text/kernel/lock_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

constexpr std::size_t kLockCount = 10, kLockTime = 12;

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
    if (value >= unit && unit != 0) return fmt::format("{:.2f} {}", value / unit, name);
  return fmt::format("{} ns", ns);
}

void add_value_columns(std::vector<TextColumn>& table, const std::vector<LockColumn>& columns) {
  for (const LockColumn column : columns)
    table.push_back({.title = std::string(look_of(column).title),
                     .width = look_of(column).width,
                     .before = table.empty() ? "" : " "});
}

void add_values(std::vector<std::string>& cells, const LockRow& row, const std::vector<LockColumn>& columns) {
  for (const LockColumn column : columns) {
    const u64 value = lock_value(row, column);
    const bool count = column == LockColumn::Acquired || column == LockColumn::Contended;
    cells.push_back(count ? fmt::format("{}", value) : time_text(value));
  }
}

// The waiter in a row, and the title above it.
std::string waiter_title(LockBy by) {
  switch (by) {
    case LockBy::Cgroup:
      return "cgroup";
    case LockBy::Task:
      return "comm";
    case LockBy::Lock:
      return "lock";
    default:
      return "caller";
  }
}
std::string waiter_text(const LockRow& row, LockBy by) {
  std::string name = printable(row.name);
  return by == LockBy::Lock ? fmt::format("{:#x}  {}", row.key, name) : name;
}

TextTable contention_table(const LockTable& table) {
  std::vector<TextColumn> columns;
  add_value_columns(columns, table.columns);
  const std::string before(columns.empty() ? 2 : 3, ' ');
  if (table.by != LockBy::Cgroup)
    columns.push_back({.title = table.by == LockBy::Task ? "pid" : "type", .width = 10, .before = before});
  columns.push_back(
      {.title = waiter_title(table.by), .align = Align::Left, .before = table.by == LockBy::Cgroup ? before : "   "});
  return TextTable(std::move(columns));
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
  std::vector<TextColumn> columns = {{.title = "Name", .width = 20, .before = ""}};
  add_value_columns(columns, table.columns);
  columns.push_back({.before = " "});
  TextTable printer(std::move(columns));
  for (std::size_t i = 0; i < shown; ++i) printer.fit(0, printable(rows[i].name) + ' ');
  if (table.titles) {
    printer.titles(out);
    out.append('\n');
  }
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells = {printable(rows[i].name)};
    add_values(cells, rows[i], table.columns);
    cells.emplace_back();
    printer.row(out, cells);
  }
}

void print_lock_contention(const std::vector<LockRow>& rows, const LockTable& table, Sink& out) {
  const TextTable printer = contention_table(table);
  if (table.titles) {
    printer.titles(out);
    out.append('\n');
  }
  std::size_t shown = 0;
  for (const LockRow& row : rows) {
    if (table.lines && shown++ == *table.lines) break;
    std::vector<std::string> cells;
    add_values(cells, row, table.columns);
    if (table.by == LockBy::Task)
      cells.push_back(fmt::format("{}", static_cast<i32>(row.key)));
    else if (table.by != LockBy::Cgroup)
      cells.emplace_back(lock_type(row));
    cells.push_back(waiter_text(row, table.by));
    printer.row(out, cells);
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
