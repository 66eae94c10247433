#include "output/text/block/block_totals_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/blktrace_record.h"
#include "base/text/counted.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

// Eight characters: above a million in thousands, and so on. `unit` follows.
std::string short_count(u64 count, std::string_view units) {
  std::size_t unit = 0;
  while (count > 1'000'000 && unit + 1 < units.size()) {
    count /= 1000;
    ++unit;
  }
  return fmt::format("{:8}{}", count, units[unit] == ' ' ? std::string() : std::string(1, units[unit]));
}

// Widths of the titles on the left and on the right.
constexpr std::size_t kReadTitle = 17, kWriteTitle = 18;

std::string block_requests_text(u64 count) { return short_count(count, " KMGP"); }
std::string block_size_text(u64 bytes) { return short_count(bytes >> 10, "KMGP") + "iB"; }

void print_block_line(std::string_view reads, std::string_view writes, const BlockDirections& part, bool sizes,
                      Sink& out) {
  const auto half = [&](std::string_view title, std::size_t width, const BlockCount& count) {
    out.format(" {:<{}}{}", title, width, block_requests_text(count.requests));
    if (sizes) out.format(", {}", block_size_text(count.bytes));
  };
  half(reads, kReadTitle, part.reads);
  out.append(sizes ? "\t" : "\t\t");
  half(writes, kWriteTitle, part.writes);
  out.append('\n');
}

void print_block_pair(std::string_view first, u64 one, std::string_view second, u64 other, Sink& out) {
  out.format(" {:<{}}{:8}        \t {:<{}}{:8}\n", first, kReadTitle, one, second, kWriteTitle, other);
}

void print_block_sums(const BlockSums& sums, const BlockDeviceTotals* depths, Sink& out) {
  print_block_line("Reads Queued:", "Writes Queued:", sums.queued, true, out);
  print_block_line("Read Dispatches:", "Write Dispatches:", sums.dispatched, true, out);
  print_block_line("Reads Requeued:", "Writes Requeued:", sums.requeued, false, out);
  print_block_line("Reads Completed:", "Writes Completed:", sums.completed, true, out);
  print_block_line("Read Merges:", "Write Merges:", sums.merged, true, out);
  if (depths != nullptr) print_block_pair("Read depth:", depths->read_depth, "Write depth:", depths->write_depth, out);
  if (sums.has_commands()) {
    print_block_line("PC Reads Queued:", "PC Writes Queued:", sums.commands_queued, true, out);
    print_block_line("PC Read Disp.:", "PC Write Disp.:", sums.commands_dispatched, true, out);
    print_block_line("PC Reads Req.:", "PC Writes Req.:", sums.commands_requeued, false, out);
    print_block_line("PC Reads Compl.:", "PC Writes Compl.:", sums.commands_completed, false, out);
  }
  print_block_pair("IO unplugs:", sums.unplugs, "Timer unplugs:", sums.timed_unplugs, out);
}

}  // namespace

void print_block_processes(const BlockTotals& totals, Sink& out) {
  using Row = std::pair<std::string, u32>;
  std::vector<std::pair<Row, const BlockProcessTotals*>> rows;
  for (const auto& [pid, process] : totals.processes()) {
    const bool others = pid == BlockTotals::kOtherThreads;
    rows.push_back({{others ? "others" : process.name.empty() ? "unknown" : printable(process.name), pid}, &process});
  }
  std::ranges::sort(rows, {}, &std::pair<Row, const BlockProcessTotals*>::first);
  for (const auto& [row, process] : rows) {
    out.format("{} ({})\n", row.first, row.second);
    print_block_sums(process->sums, nullptr, out);
    for (const auto& [title, waits] : {std::pair("Allocation wait:", process->allocation),
                                       {"Dispatch wait:", process->dispatch},
                                       {"Completion wait:", process->completion}})
      print_block_pair(title, waits.reads / 1000, title, waits.writes / 1000, out);
  }
  if (!rows.empty()) out.append('\n');
}

void print_block_totals(const BlockTotals& totals, const BlockDeviceName& name_of, Sink& out) {
  bool first = true;
  for (const auto& [group, device] : totals.devices()) {
    const std::string name = printable(name_of(group));
    if (!std::exchange(first, false)) out.append('\n');
    for (const auto& [cpu, sums] : device.cpus) {
      out.format("CPU{} ({}):\n", cpu, name);
      print_block_sums(sums, &device, out);
    }
    const BlockSums all = device.sums();
    if (device.cpus.size() > 1) {
      out.format("\nTotal ({}):\n", name);
      print_block_sums(all, nullptr, out);
    }
    const u64 milliseconds = (device.last - device.first) / 1'000'000;
    const auto rate = [&](u64 bytes) {
      return milliseconds == 0
                 ? u64{0}
                 : static_cast<u64>(static_cast<double>(bytes >> 10) * 1000 / static_cast<double>(milliseconds));
    };
    out.format("\nThroughput (R/W): {}KiB/s / {}KiB/s\n", rate(all.completed.reads.bytes),
               rate(all.completed.writes.bytes));
    out.format("Events ({}): {} entries\n", name, device.events);
  }
}

void print_block_record_totals(const BlockTotals& totals, const BlockDeviceName& name_of, u64 dropped, Sink& out) {
  constexpr u64 kSmallest = abi::kBlktraceHeader;
  const auto line = [&](std::string_view title, u64 events, std::string_view lost) {
    out.format("  {:<8} {:20} events{}, {:8} KiB data\n", title, events, lost, (events * kSmallest + 1023) >> 10);
  };
  for (const auto& [group, device] : totals.devices()) {
    out.format("=== {} ===\n", printable(name_of(group)));
    for (const auto& [cpu, events] : device.cpu_events) line(fmt::format("CPU{:3}:", cpu), events, "");
    // A lost record does not name its device.
    const bool known = dropped == 0 || totals.devices().size() == 1;
    line("Total:", device.events, known ? fmt::format(" (dropped {})", dropped) : std::string());
  }
  if (dropped != 0 && totals.devices().size() != 1)
    out.format("=== all devices ===\n  dropped {} (a lost record does not name its device)\n",
               counted(dropped, "event"));
}

}  // namespace peregrine
