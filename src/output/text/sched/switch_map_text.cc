#include "output/text/sched/switch_map_text.h"

#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"

namespace peregrine {

namespace {

constexpr std::string_view kTaskColor = "\033[34m", kCpuColor = "\033[41m", kMapPlain = "\033[m";

bool is_in(const std::vector<u32>& list, u32 value) { return std::ranges::binary_search(list, value); }

std::string_view text_of(const SwitchMapRow::Column& column) {
  switch (column.cell) {
    case SwitchMapRow::Cell::Empty:
      return "   ";
    case SwitchMapRow::Cell::Idle:
      return ".  ";
    case SwitchMapRow::Cell::Other:
      return "-  ";
    case SwitchMapRow::Cell::Task:
      return {};
  }
  return {};
}

}  // namespace

void print_switch(const SwitchMapRow& row, const SwitchMapLook& look, Sink& out) {
  out.append("  ");
  for (std::size_t i = 0; i < row.columns.size(); ++i) {
    const SwitchMapRow::Column& column = row.columns[i];
    const bool task_color = column.cell == SwitchMapRow::Cell::Task && is_in(look.colored_tasks, column.tid);
    const bool cpu_color = is_in(look.colored_cpus, column.cpu);
    if (cpu_color) out.append(kCpuColor);
    out.append(i == row.changed ? '*' : ' ');
    if (cpu_color) out.append(kMapPlain);
    if (task_color) out.append(kTaskColor);
    if (column.cell == SwitchMapRow::Cell::Task)
      out.append(column.name).append(' ');
    else
      out.append(text_of(column));
    if (task_color) out.append(kMapPlain);
  }
  append_seconds(out.append("  "), row.time, 12).append(" secs ");
  const SwitchMapRow::Column& column = row.columns[row.changed];
  if (row.introduces || (look.all_names && column.cell == SwitchMapRow::Cell::Task))
    out.format("{:<2} => {}:{}", column.cell == SwitchMapRow::Cell::Idle ? "." : column.name, printable(row.comm),
               row.tid);
  if (look.compact && row.new_cpu) out.format(" (CPU {})", column.cpu);
  out.append('\n');
}

}  // namespace peregrine
