#include "output/text/block/block_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "analysis/block/block_activity.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

double part_of(u64 part, u64 whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

// Calls row(name, activity) for each device after the titles of a table.
template <class Row>
void print_block_devices(const BlockReport& report, const BlockDeviceName& name, std::string_view titles,
                         std::string_view ruler, Sink& out, const Row& row) {
  out.format("{:>10} | {}\n---------- | {}\n", "DEV", titles, ruler);
  for (const auto& [group, device] : report.devices()) {
    out.format("{:>10} | ", printable(name(group)));
    row(device.activity);
    out.append('\n');
  }
}

void print_merges(const BlockReport& report, const BlockDeviceName& name, Sink& out) {
  print_block_section("Device Merge Information", out);
  print_block_devices(
      report, name, "      #Q       #D   Ratio |   BLKmin   BLKavg   BLKmax    Total",
      "-------- -------- ------- | -------- -------- -------- --------", out, [&](const BlockActivity& disk) {
        out.format("{:8} {:8} {:7.1f} | {:8} {:8} {:8} {:8}", disk.queued, disk.issued,
                   part_of(disk.queued, disk.issued), disk.fewest_sectors,
                   disk.issued == 0 ? 0 : disk.total_sectors / disk.issued, disk.most_sectors, disk.total_sectors);
      });
  out.append('\n');
}

void print_seeks(const BlockReport& report, const BlockDeviceName& name, std::string_view title,
                 BlockSeeks BlockActivity::* seeks, Sink& out) {
  print_block_section(title, out);
  print_block_devices(report, name, "         NSEEKS            MEAN          MEDIAN | MODE           ",
                      "--------------- --------------- --------------- | ---------------", out,
                      [&](const BlockActivity& disk) {
                        const BlockSeeks& all = disk.*seeks;
                        out.format("{:15} {:15.1f} {:15} | {}({})", all.count(), all.mean(), all.median(),
                                   all.mode().distance, all.mode().count);
                      });
  out.append('\n');
}

void print_plugs(const BlockReport& report, const BlockDeviceName& name, Sink& out) {
  print_block_section("Plug Information", out);
  print_block_devices(report, name, "   # Plugs # Timer Us  | % Time Q Plugged",
                      "---------- ----------  | ----------------", out, [&](const BlockActivity& disk) {
                        out.format("{:10}({:10}) | {:13.9f}%", disk.unplugs, disk.timed_unplugs,
                                   100 * part_of(disk.plugged_time, disk.span()));
                      });
  out.append('\n');
  print_block_devices(report, name, "   IOs/Unp   IOs/Unp(to)", "----------   ----------", out,
                      [&](const BlockActivity& disk) {
                        out.format("{:10.1f}   {:10.1f}", part_of(disk.unplugged, disk.unplugs),
                                   part_of(disk.timed_unplugged, disk.timed_unplugs));
                      });
  out.append('\n');
}

void print_active(const BlockReport& report, const BlockDeviceName& name, Sink& out) {
  print_block_section("Active Requests At Q Information", out);
  print_block_devices(report, name, " Avg Reqs @ Q", "-------------", out, [&](const BlockActivity& disk) {
    out.format("{:13.1f}", part_of(disk.waiting_at_queue, disk.queued));
  });
  out.append('\n');
  print_block_section("I/O Active Period Information", out);
  print_block_devices(report, name, "    # Live      Avg. Act     Avg. !Act % Live",
                      "---------- ------------- ------------- ------", out, [&](const BlockActivity& disk) {
                        const u64 idle = disk.span() < disk.active_time ? 0 : disk.span() - disk.active_time;
                        const u64 gaps = disk.active_periods < 2 ? 1 : disk.active_periods - 1;
                        out.format("{:10} {:13.9f} {:13.9f} {:6.2f}", disk.active_periods,
                                   part_of(disk.active_time, disk.active_periods) / 1e9, part_of(idle, gaps) / 1e9,
                                   100 * part_of(disk.active_time, disk.span()));
                      });
  out.append('\n');
}

void print_queue_histogram(const BlockReport& report, const BlockDeviceName& name, Sink& out) {
  print_block_section("Q2D Histogram", out);
  print_block_devices(report, name, "<.005 <.010 <.025 <.050 <.075 <.100 <.250 <.500 < 1.0 >=1.0",
                      "===== ===== ===== ===== ===== ===== ===== ===== ===== =====", out,
                      [&](const BlockActivity& disk) {
                        u64 all = 0;
                        for (const u64 count : disk.queue_to_issue) all += count;
                        for (const u64 count : disk.queue_to_issue) out.format("{:5.1f} ", 100 * part_of(count, all));
                      });
  out.append('\n');
}

void print_step(const BlockTimeline& line, std::size_t index, u64 most_depth, Sink& out) {
  constexpr u64 kBar = 30;
  const BlockTimeline::Step& step = line.steps()[index];
  const double length = block_seconds(line.step());
  const u64 bar = most_depth == 0 ? 0 : std::min(kBar, kBar * step.most_depth / most_depth);
  out.format("{:12.6f} {:11.0f} {:10.0f} {:10.2f} {:5}", block_seconds(line.step() * index),
             static_cast<double>(step.completed) / length, static_cast<double>(step.bytes) / 1024 / length,
             step.depth_time / static_cast<double>(line.step()), step.most_depth);
  if (bar != 0) out.append("  ").fill('#', bar);
  out.append('\n');
}

// Steps in which nothing happened become one line.
void print_timeline(const BlockTimeline& line, u64 most_depth, Sink& out) {
  out.append("       start  requests/s      KiB/s  depth avg   max\n");
  bool idle = false;
  for (std::size_t i = 0; i < line.steps().size(); ++i) {
    const BlockTimeline::Step& step = line.steps()[i];
    const bool empty = step.most_depth == 0 && step.completed == 0;
    if (!empty) print_step(line, i, most_depth, out);
    if (empty && !idle) out.append("         ...\n");
    idle = empty;
  }
}

}  // namespace

void print_block_section(std::string_view title, Sink& out) {
  out.format("==================== {} ====================\n\n", title);
}

void print_block_activity(const BlockReport& report, const BlockDeviceName& name, Sink& out) {
  print_merges(report, name, out);
  print_seeks(report, name, "Device Q2Q Seek Information", &BlockActivity::queue_seeks, out);
  print_seeks(report, name, "Device D2D Seek Information", &BlockActivity::issue_seeks, out);
  print_plugs(report, name, out);
  print_active(report, name, out);
  print_queue_histogram(report, name, out);
}

void print_block_history(const BlockReport& report, const BlockDeviceName& name, Sink& out) {
  for (const auto& [group, device] : report.devices()) {
    const BlockActivity& disk = device.activity;
    if (disk.issued == 0) continue;
    print_block_section(fmt::format("Queue Depth Over Time: {}", printable(name(group))), out);
    print_timeline(disk.timeline, disk.most_depth, out);
    out.append('\n');
    if (disk.idle().empty()) continue;
    print_block_section(fmt::format("Longest Idle Periods: {}", printable(name(group))), out);
    out.append("       start       length\n");
    for (const BlockActivity::Idle& idle : disk.idle())
      out.format("{:12.6f} {:12.6f}\n", block_seconds(idle.start - disk.first), block_seconds(idle.duration));
    out.append('\n');
  }
}

}  // namespace peregrine
