#include "session/lock/lock_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/result.h"
#include "base/text/words.h"
#include "base/types.h"
#include "output/csv/lock_csv.h"
#include "output/csv/safe_cells.h"
#include "output/text/format/printable.h"
#include "output/text_file.h"
#include "session/session_listener.h"

namespace peregrine {

namespace {

constexpr std::pair<std::string_view, LockColumn> kLockColumns[] = {
    {"acquired", LockColumn::Acquired}, {"contended", LockColumn::Contended}, {"avg_wait", LockColumn::Average},
    {"wait_total", LockColumn::Total},  {"wait_max", LockColumn::Most},       {"wait_min", LockColumn::Least}};

// `what`: the beginning of the error message.
Result<LockColumn> lock_column(std::string_view word, std::string_view what, bool waits_only) {
  for (const auto& [name, column] : kLockColumns)
    if (name == word && !(waits_only && column == LockColumn::Acquired)) return column;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("{}: {}", what, word)}.with_hint(fmt::format(
      "must be one of {}contended, avg_wait, wait_total, wait_max, wait_min", waits_only ? "" : "acquired, ")));
}

std::vector<LockRow> sorted_locks(std::vector<LockRow> rows, LockColumn key) {
  std::ranges::sort(rows, [&](const LockRow& a, const LockRow& b) {
    const u64 left = lock_value(a, key), right = lock_value(b, key);
    return left != right ? left > right : std::tie(a.name, a.key) < std::tie(b.name, b.key);
  });
  return rows;
}

std::vector<LockRow> waited_for(std::vector<LockRow> rows, LockColumn key) {
  std::erase_if(rows, [](const LockRow& row) { return row.total == 0; });
  return sorted_locks(std::move(rows), key);
}

void print_lock_values(const std::vector<LockRow>& rows, const LockTable& table, const LockOutput& output, Sink& out) {
  if (!output.csv_safe) return print_lock_csv(rows, table, output.separator, out);
  Sink plain;
  print_lock_csv(rows, table, output.separator, plain);
  out.append(safe_lines(plain.text(), {.separator = output.separator}));
}

Result<> write_locks(const LockOutput& output, Sink& standard_output, const std::function<void(Sink&)>& print) {
  if (!output.path.empty()) return write_whole_file(output.path, standard_output, print);
  print(standard_output);
  return {};
}

}  // namespace

Result<std::unique_ptr<LockUsage>> follow_locks(TracedRecording& recording, const LockUsage::Request& request,
                                                SessionListener& listener) {
  auto usage = std::make_unique<LockUsage>(*recording.reader, request);
  PEREGRINE_TRY(replay_traced(recording, *usage, {}, listener));
  if (usage->tracepoints().any()) return usage;
  return std::unexpected(
      Error{ErrorKind::Unsupported, "this recording has no lock events"}.with_hint("record with `perf lock record`"));
}

Result<LockColumns> choose_columns(const LockColumnChoice& choice) {
  const auto key =
      lock_column(choice.key.empty() ? choice.usual_key : choice.key, "Unknown compare key", choice.waits_only);
  if (!key) return std::unexpected(key.error());
  LockColumns columns{.key = *key, .shown = {}};
  for (const std::string& word : split_words(choice.fields)) {
    const auto column = lock_column(word, "Unknown output field", choice.waits_only);
    if (!column) return std::unexpected(column.error());
    columns.shown.push_back(*column);
  }
  if (columns.shown.empty()) columns.shown = choice.usual;
  if (std::ranges::find(columns.shown, *key) == columns.shown.end()) columns.shown.push_back(*key);
  return columns;
}

Result<> write_lock_report(const LockUsage& usage, const LockTable& table, LockColumn key, const LockOutput& output,
                           Sink& standard_output) {
  std::vector<LockRow> rows = sorted_locks(usage.rows(), key);
  const std::size_t all = rows.size();
  const auto broken = static_cast<std::size_t>(std::ranges::count(rows, true, &LockRow::broken));
  std::erase_if(rows, [](const LockRow& row) { return row.acquired == 0; });
  return write_locks(output, standard_output, [&](Sink& out) {
    print_lock_report(rows, table, out);
    if (table.titles) print_broken_locks(usage, all, broken, out);
  });
}

Result<> write_contention(WatchedLocks waits, const LockTable& table, LockColumn key, const LockOutput& output,
                          Sink& standard_output) {
  const std::vector<LockRow> kernel = waited_for(std::move(waits.kernel), key);
  std::optional<std::vector<LockRow>> user;
  if (waits.user) user = waited_for(std::move(*waits.user), key);
  return write_locks(output, standard_output, [&](Sink& out) {
    if (!output.separator.empty()) {
      print_lock_values(kernel, table, output, out);
      LockTable more = table;
      more.titles = false;
      if (user) print_lock_values(*user, more, output, out);
      return;
    }
    print_lock_contention(kernel, table, out);
    if (!user) return;
    if (table.titles) out.append("\n user-space locks (futexes)\n\n");
    print_lock_contention(*user, table, out);
  });
}

Result<> write_lock_list(const LockUsage& usage, LockList what, const LockOutput& output, Sink& standard_output) {
  return write_locks(output, standard_output, [&](Sink& out) {
    if (what == LockList::Tasks) {
      out.append(" Thread ID: comm\n");
      for (const auto& [tid, comm] : usage.tasks()) out.format("{:10}: {}\n", tid, printable(comm));
      return;
    }
    out.append("Address of instance: name of class\n");
    for (const LockRow& row : sorted_locks(usage.rows(), LockColumn::Acquired))
      out.format(" {:#x}: {}\n", row.key, printable(row.name));
  });
}

}  // namespace peregrine
