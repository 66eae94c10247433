#include "output/text/block/block_report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string_view>

#include "analysis/block/block_activity.h"
#include "analysis/block/block_phase.h"
#include "base/percent.h"
#include "output/text/block/block_sections.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

constexpr std::array kBlockPercentiles = {0.5, 0.9, 0.99, 0.999};
constexpr std::size_t kMostBlockProcesses = 20;

// btt shows these parts of Q2C.
constexpr std::array kBlockOverheads = {BlockPhase::Q2G, BlockPhase::G2I, BlockPhase::Q2M, BlockPhase::I2D,
                                        BlockPhase::D2C};

const BlockTimes& phase_times(const BlockPhaseTimes& times, BlockPhase phase) {
  return times[static_cast<std::size_t>(phase)];
}

void print_phase_titles(std::string_view first, Sink& out) {
  out.format("{:>15} {:>13} {:>13} {:>13} {:>11}\n", first, "MIN", "AVG", "MAX", "N");
  out.append("--------------- ------------- ------------- ------------- -----------\n");
}

void print_phase(std::string_view name, const BlockTimes& times, Sink& out) {
  if (times.count() == 0) return;
  out.format("{:<15} {:13.9f} {:13.9f} {:13.9f} {:11}\n", name, block_seconds(times.least()), times.mean() / 1e9,
             block_seconds(times.most()), times.count());
}

void print_all_devices(const BlockReport& report, Sink& out) {
  print_block_section("All Devices", out);
  print_phase_titles("ALL", out);
  out.append('\n');
  for (std::size_t i = 0; i < kBlockPhases.size(); ++i) print_phase(kBlockPhases[i], report.all()[i], out);
  out.append('\n');
}

void print_block_percentiles(const BlockReport& report, Sink& out) {
  print_block_section("Percentiles (seconds)", out);
  out.format("{:>15} {:>13} {:>13} {:>13} {:>13}\n", "ALL", "50%", "90%", "99%", "99.9%");
  out.append("--------------- ------------- ------------- ------------- -------------\n\n");
  for (std::size_t i = 0; i < kBlockPhases.size(); ++i) {
    const BlockTimes& times = report.all()[i];
    if (times.count() == 0) continue;
    out.format("{:<15}", kBlockPhases[i]);
    for (const double part : kBlockPercentiles) out.format(" {:13.9f}", block_seconds(times.percentile(part)));
    out.append('\n');
  }
  out.append('\n');
}

void print_per_owner(std::string_view title, const std::vector<std::pair<std::string, const BlockPhaseTimes*>>& owners,
                     Sink& out) {
  print_block_section(title, out);
  for (std::size_t i = 0; i < kBlockPhases.size(); ++i) {
    print_phase_titles(kBlockPhases[i], out);
    for (const auto& [name, times] : owners) print_phase(name, (*times)[i], out);
    out.append('\n');
  }
}

void print_block_overhead(const BlockReport& report, const BlockReportLook& look, Sink& out) {
  print_block_section("Device Overhead", out);
  out.format("{:>10} |", "DEV");
  for (const BlockPhase phase : kBlockOverheads) out.format(" {:>9}", kBlockPhases[static_cast<std::size_t>(phase)]);
  constexpr std::string_view kRuler = "\n---------- | --------- --------- --------- --------- ---------\n";
  out.append(kRuler);
  const auto row = [&](std::string_view name, const BlockPhaseTimes& times) {
    out.format("{:>10} |", name);
    for (const BlockPhase phase : kBlockOverheads)
      out.format(" {:8.4f}%", percent_of(phase_times(times, phase).sum(), phase_times(times, BlockPhase::Q2C).sum()));
  };
  for (const auto& [group, device] : report.devices()) {
    row(printable(look.device_name(group)), device.times);
    out.append('\n');
  }
  out.append(kRuler.substr(1));
  row("Overall", report.all());
  out.append("\n\n");
}

// Call chains are long, so they follow the numbers.
bool is_last_column(std::string_view key) { return key == "chain"; }

// "-" if nothing was measured: 0.000 would say that it took no time.
std::string shown_milliseconds(const BlockTimes& times, double nanoseconds) {
  return times.count() == 0 ? "-" : fmt::format("{:.3f}", nanoseconds / 1e6);
}

std::vector<std::string> group_numbers(const BlockIoRow& row) {
  const BlockTimes& whole = phase_times(row.times, BlockPhase::Q2C);
  std::vector<std::string> cells;
  for (const u64 number : {row.reads, row.writes, row.read_bytes >> 10, row.write_bytes >> 10})
    cells.push_back(fmt::format("{}", number));
  for (const BlockTimes* const times : {&row.queue_to_issue, &phase_times(row.times, BlockPhase::D2C), &whole})
    cells.push_back(shown_milliseconds(*times, times->mean()));
  for (const double part : kBlockPercentiles)
    cells.push_back(shown_milliseconds(whole, static_cast<double>(whole.percentile(part))));
  cells.push_back(shown_milliseconds(whole, static_cast<double>(whole.most())));
  return cells;
}

TextTable group_table(const std::vector<std::string>& keys) {
  std::vector<TextColumn> columns;
  for (const std::string& key : keys)
    if (!is_last_column(key))
      columns.push_back(
          {.title = key, .width = key.size(), .align = Align::Left, .before = columns.empty() ? "" : "  "});
  for (const std::string_view title : {"reads", "writes", "KiB read", "KiB written", "Q2D avg", "D2C avg", "Q2C avg",
                                       "50%", "90%", "99%", "99.9%", "max"})
    columns.push_back({.title = std::string(title),
                       .width = std::max<std::size_t>(7, title.size()),
                       .before = columns.empty() ? "" : "  "});
  for (const std::string& key : keys)
    if (is_last_column(key)) columns.push_back({.title = key, .width = 5, .align = Align::Left, .ragged = true});
  return TextTable(std::move(columns));
}

void print_block_groups(const std::vector<const BlockIoRow*>& rows, const std::vector<std::string>& keys,
                        std::size_t most, Sink& out) {
  TextTable table = group_table(keys);
  const std::size_t shown = std::min(rows.size(), most);
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string>& cells = lines.emplace_back();
    for (std::size_t key = 0; key < keys.size(); ++key)
      if (!is_last_column(keys[key])) cells.push_back(printable(rows[i]->labels[key]));
    for (std::string& number : group_numbers(*rows[i])) cells.push_back(std::move(number));
    for (std::size_t at = 0; at < cells.size(); ++at) table.fit(at, cells[at]);
    for (std::size_t key = 0; key < keys.size(); ++key)
      if (is_last_column(keys[key])) cells.push_back(printable(rows[i]->labels[key]));
  }
  table.titles(out);
  table.ruler(out, '-');
  for (const std::vector<std::string>& cells : lines) table.row(out, cells);
  if (rows.size() > shown) out.format("({} more)\n", rows.size() - shown);
  out.append('\n');
}

}  // namespace

void print_block_report(const BlockReport& report, const BlockReportLook& look, Sink& out) {
  if (!look.keys.empty()) {
    print_block_section(fmt::format("By {} (times in ms)", fmt::join(look.keys, ", ")), out);
    print_block_groups(report.rows(), look.keys, report.rows().size(), out);
  }
  if (look.all_data) {
    std::vector<std::pair<std::string, const BlockPhaseTimes*>> owners;
    for (const BlockIoRow* const row : report.processes())
      owners.emplace_back(fmt::format("{}/{}", printable(row->labels[0]), row->labels[1]), &row->times);
    print_per_owner("Per Process", owners, out);
    owners.clear();
    for (const auto& [group, device] : report.devices())
      owners.emplace_back(printable(look.device_name(group)), &device.times);
    print_per_owner("Per Device", owners, out);
  }
  print_all_devices(report, out);
  print_block_percentiles(report, out);
  print_block_overhead(report, look, out);
  print_block_activity(report, look.device_name, out);
  print_block_section("Processes (times in ms)", out);
  print_block_groups(report.processes(), {"comm", "tid"}, kMostBlockProcesses, out);
  print_block_history(report, look.device_name, out);
}

std::string_view order_word(BlockTopOrder order) {
  constexpr std::string_view kWords[] = {"total time", "requests", "KiB/s", "99% latency"};
  return kWords[static_cast<std::size_t>(order)];
}

BlockTopOrder next_order(BlockTopOrder order) {
  return order == BlockTopOrder::Latency ? BlockTopOrder::Time : static_cast<BlockTopOrder>(static_cast<u8>(order) + 1);
}

void print_block_top(const BlockReport& report, double interval, unsigned most_rows, BlockTopOrder order, Sink& out) {
  const TextTable table({{.title = "device", .width = 10, .align = Align::Left, .before = ""},
                         {.title = "comm", .width = 16, .align = Align::Left, .before = " "},
                         {.title = "tid", .width = 8, .before = " "},
                         {.title = "r/s", .width = 7, .before = " "},
                         {.title = "w/s", .width = 7, .before = " "},
                         {.title = "KiB/s", .width = 9, .before = " "},
                         {.title = "avg ms", .width = 8, .before = " "},
                         {.title = "99% ms", .width = 8, .before = " "}});
  table.titles(out);
  auto rows = report.rows();  // by total time
  const auto weight = [&](const BlockIoRow* row) -> u64 {
    if (order == BlockTopOrder::Requests) return row->reads + row->writes;
    if (order == BlockTopOrder::Bytes) return row->read_bytes + row->write_bytes;
    return phase_times(row->times, BlockPhase::Q2C).percentile(0.99);
  };
  if (order != BlockTopOrder::Time) std::ranges::stable_sort(rows, std::ranges::greater(), weight);
  const double per = interval > 0 ? interval : 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), most_rows); ++i) {
    const BlockIoRow& row = *rows[i];
    const BlockTimes& whole = phase_times(row.times, BlockPhase::Q2C);
    table.row(out, {printable(row.labels[0]), printable(row.labels[1]), row.labels[2],
                    fmt::format("{:.0f}", static_cast<double>(row.reads) / per),
                    fmt::format("{:.0f}", static_cast<double>(row.writes) / per),
                    fmt::format("{:.0f}", static_cast<double>(row.read_bytes + row.write_bytes) / 1024 / per),
                    shown_milliseconds(whole, whole.mean()),
                    shown_milliseconds(whole, static_cast<double>(whole.percentile(0.99)))});
  }
}

}  // namespace peregrine
