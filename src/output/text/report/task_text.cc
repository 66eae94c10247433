#include "output/text/report/task_text.h"

#include <algorithm>
#include <vector>

#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/address_space.h"
#include "machine/process/thread_table.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

void print_maps(Sink& out, const std::vector<Map>& maps, const DsoTable& dsos, unsigned indent) {
  for (const Map& map : maps) {
    const auto flag = [&](u16 bit, char letter) { return (map.protection & bit) != 0 ? letter : '-'; };
    const Dso& dso = dsos.at(map.dso);
    out.format("{:{}}  {:x}-{:x} {}{}{}{} {:08x} {} {}\n", "", indent, map.start, map.end,
               flag(MapProtection::Read, 'r'), flag(MapProtection::Write, 'w'), flag(MapProtection::Exec, 'x'),
               map.shared ? 's' : 'p', map.page_offset, dso.identity.inode, printable(dso.name));
  }
}

}  // namespace

void print_tasks(Sink& out, std::span<const TaskRow> rows, const Machine& machine, bool with_maps) {
  constexpr u32 kDeepest = 1000;  // a hostile file could cause gigabytes of indentation
  constexpr unsigned kColumns = 30;
  out.format("# {:>8} {:>8} {:>8}  {}\n", "pid", "tid", "ppid", "comm");
  for (const TaskRow& row : rows) {
    const ThreadState& state = row.task.state;
    const u32 depth = std::min(row.depth, kDeepest);
    const i32 parent = row.task.parent ? static_cast<i32>(*row.task.parent) : -1;
    out.format("  {:8} {:8} {:8} |{:{}}{}\n", static_cast<i32>(state.pid), static_cast<i32>(state.tid), parent, "",
               depth, printable(machine.comm_text(state.comm)));
    if (with_maps) print_maps(out, machine.spaces().newest(state.space), machine.dsos(), kColumns + depth);
  }
}

}  // namespace peregrine
