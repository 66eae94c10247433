#include "output/csv/lock_csv.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "analysis/lock/lock_usage.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

// Joins frames such as "0xffffffff810010a0 down_write+0x10". An address without a name ends in blanks, which are
// removed.
std::string stack_text(const std::vector<std::string>& stack) {
  std::string text;
  for (const std::string& frame : stack) {
    if (!text.empty()) text += ';';
    text += frame.substr(0, frame.find_last_not_of(' ') + 1);
  }
  return text;
}

// Replaces separators in a name, which would shift the following columns.
std::string value_text(std::string_view text, std::string_view separator) {
  std::string safe = printable(text);
  for (std::size_t at = safe.find(separator); at != std::string::npos; at = safe.find(separator, at + 1))
    safe.replace(at, separator.size(), 1, '_');
  return safe;
}

std::string type_text(const LockRow& row) {
  return row.type.empty() ? std::string(lock_type(row.flags)) : "user:" + row.type;
}

}  // namespace

void print_lock_csv(const std::vector<LockRow>& rows, const LockTable& table, std::string_view separator, Sink& out) {
  const auto put = [&](const std::vector<std::string>& values) {
    out.append(fmt::format("{}", fmt::join(values, fmt::format("{} ", separator)))).append('\n');
  };
  if (table.titles) {
    std::vector<std::string> titles;
    for (const LockColumn column : table.columns) titles.emplace_back(lock_title(column));
    if (table.by == LockBy::Task)
      titles.insert(titles.end(), {"pid", "comm"});
    else if (table.by == LockBy::Cgroup)
      titles.emplace_back("cgroup");
    else if (table.by == LockBy::Lock)
      titles.insert(titles.end(), {"address", "symbol", "type"});
    else
      titles.insert(titles.end(), {"type", "caller"});
    if (table.stacks) titles.emplace_back("stacktrace");
    out.append("# output: ");
    put(titles);
  }
  std::size_t shown = 0;
  for (const LockRow& row : rows) {
    if (table.lines && shown++ == *table.lines) break;
    std::vector<std::string> values;
    for (const LockColumn column : table.columns) values.push_back(std::to_string(lock_value(row, column)));
    const std::string name = value_text(row.name, separator), type = value_text(type_text(row), separator);
    if (table.by == LockBy::Task)
      values.insert(values.end(), {std::to_string(static_cast<i32>(row.key)), name});
    else if (table.by == LockBy::Cgroup)
      values.push_back(name);
    else if (table.by == LockBy::Lock)
      values.insert(values.end(), {fmt::format("{:#x}", row.key), name, type});
    else
      values.insert(values.end(), {type, name});
    if (table.stacks) values.push_back(value_text(stack_text(row.stack), separator));
    put(values);
  }
}

}  // namespace peregrine
