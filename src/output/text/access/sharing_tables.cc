#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/line_sharing.h"
#include "analysis/sharing/sharing_order.h"
#include "analysis/stat/run_stats.h"
#include "base/percent.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/access/sharing_text.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

namespace {

constexpr std::size_t kFirst = 7, kShareCount = 7, kLongCount = 8, kAddress = 18, kUnknownObject = 16, kNodeShares = 20;
constexpr std::size_t kLineRuler = 70;

// Titles of all columns are aligned to the right; cells are not where `left` is set.
struct SharingColumn {
  std::string_view over;  // title over `spans` columns; spans 0: covered by another column's title
  std::size_t spans = 1;
  std::string_view name;
  std::size_t width = kShareCount;
  bool left = false;
};

TextTable printer_of(const std::vector<SharingColumn>& columns) {
  std::vector<TextColumn> table;
  for (const SharingColumn& column : columns)
    table.push_back({.title = std::string(column.name),
                     .width = column.width,
                     .align = column.left ? Align::Left : Align::Right,
                     .before = table.empty() ? "" : "  ",
                     .title_align = Align::Right,
                     .group = std::string(column.over),
                     .spans = column.spans});
  table.back().ragged = true;
  return TextTable(std::move(table));
}

std::string number(u64 value) { return fmt::format("{}", value); }
std::string percent(u64 part, u64 whole) { return fmt::format("{:.2f}%", percent_of(part, whole)); }
std::string hex(u64 value) { return fmt::format("{:#x}", value); }

// The NUMA nodes of these physical addresses, such as "0,1".
std::string memory_nodes(const std::set<u64>& physical, const SharingLook& look) {
  std::set<i32> nodes;
  for (const u64 address : physical) nodes.insert(look.node_of_memory(address));
  nodes.erase(-1);
  return nodes.empty() ? "N/A" : fmt::format("{}", fmt::join(nodes, ","));
}

struct OrderWords {
  std::string_view over, name, span, local, remote;
};
OrderWords words_of(SharingOrder order) {
  if (order == SharingOrder::Peer) return {"Peer", "Snoop", "------- Load Peer -------", "Local", "Remote"};
  const std::string_view over = order == SharingOrder::TotalHitm   ? "Tot"
                                : order == SharingOrder::LocalHitm ? "Lcl"
                                                                   : "Rmt";
  return {over, "Hitm", "------- Load Hitm -------", "LclHitm", "RmtHitm"};
}

// The row's CPUs, grouped by node.
std::string nodes_text(const SharingRow& row, const SharingLook& look) {
  std::map<i32, CpuList> nodes;
  for (const auto& [cpu, accesses] : row.cpus) nodes[look.node_of_cpu(cpu)].push_back(static_cast<int>(cpu));
  std::string text;
  i32 next = 0;
  for (const auto& [node, cpus] : nodes) {
    if (!text.empty()) text += ' ';
    for (; look.nodes == NodeLook::Shares && next < node; ++next) text += std::string(kNodeShares + 1, ' ');
    next = node + 1;
    text += node < 0 ? std::string("N/A") : fmt::format("{:2}", node);
    if (look.nodes == NodeLook::Cpus) text += fmt::format("{{{}}}", format_cpu_list(cpus));
    if (look.nodes != NodeLook::Shares) continue;
    AccessCounts sum;
    for (const int cpu : cpus) sum += row.cpus.at(static_cast<u32>(cpu));
    const auto share = [](u64 part, u64 whole) {
      return whole == 0 ? fmt::format("{:>6}", "n/a") : fmt::format("{:5.1f}%", percent_of(part, whole));
    };
    text += fmt::format("{{{:2} {} {}}}", cpus.size(),
                        share(value_in_order(sum, look.order), value_in_order(row.counts, look.order)),
                        share(sum.stores, row.counts.stores));
  }
  return text;
}

std::string_view nodes_title(const SharingLook& look) {
  if (look.nodes == NodeLook::Cpus) return "Node{cpu list}";
  if (look.nodes == NodeLook::Ids) return "Node";
  return look.order == SharingOrder::Peer ? "Node{cpus %peers %stores}" : "Node{cpus %hitms %stores}";
}

// Column widths that depend on the contents.
struct Widths {
  std::size_t tid = 0, symbol = 6, object = 6, source = 11;
};
Widths widths_of(std::span<const SharedLine> lines, const SharingLook& look) {
  Widths widths;
  const auto grow = [](std::size_t& width, std::size_t size) { width = std::max(width, size); };
  const auto width_of = [](const std::string& name) { return display_width(printable(name)); };
  for (const SharedLine& line : lines) {
    for (const SharingRow& row : line.rows) {
      grow(widths.tid, width_of(row.comm));
      grow(widths.symbol, width_of(look.symbol(row)));
      grow(widths.object, row.frame.dso ? width_of(look.object(row)) : kUnknownObject);
      if (look.shows_source) grow(widths.source, width_of(look.source(row)));
    }
  }
  return widths;
}

TextTable row_table(std::span<const SharedLine> lines, const SharingLook& look) {
  const bool peer = look.order == SharingOrder::Peer;
  const Widths widths = widths_of(lines, look);
  std::vector<SharingColumn> columns = {
      {.name = "Num", .width = kFirst},
      {.over = peer ? "-- Peer Snoop --" : "----- HITM -----", .spans = 2, .name = peer ? "Rmt" : "RmtHitm"},
      {.spans = 0, .name = peer ? "Lcl" : "LclHitm"},
      {.over = "------- Store Refs ------", .spans = 3, .name = "L1 Hit"},
      {.spans = 0, .name = "L1 Miss"},
      {.spans = 0, .name = "N/A"},
      {.over = "--------- Data address ---------", .spans = 3, .name = "Offset", .width = kAddress},
      {.spans = 0, .name = "Node", .width = 4},
      {.spans = 0, .name = "PA cnt", .width = 6}};
  if (look.keys.pid) columns.push_back({.name = "Pid"});
  if (look.keys.tid) columns.push_back({.name = "Tid", .width = widths.tid + 8});
  if (look.keys.code) columns.push_back({.name = "Code address", .width = kAddress});
  columns.push_back({.over = "---------- cycles ----------",
                     .spans = 3,
                     .name = peer ? "rmt peer" : "rmt hitm",
                     .width = kLongCount});
  columns.push_back({.spans = 0, .name = peer ? "lcl peer" : "lcl hitm", .width = kLongCount});
  columns.push_back({.spans = 0, .name = "load", .width = kLongCount});
  columns.push_back({.over = "Total", .name = "records"});
  columns.push_back({.over = "cpu", .name = "cnt", .width = kLongCount});
  if (look.keys.code) columns.push_back({.name = "Symbol", .width = widths.symbol, .left = true});
  if (look.keys.code || look.keys.dso)
    columns.push_back({.over = "Shared", .name = "Object", .width = widths.object, .left = true});
  if (look.keys.code && look.shows_source)
    columns.push_back({.name = "Source:Line", .width = widths.source, .left = true});
  columns.push_back({.name = nodes_title(look), .width = 4, .left = true});
  return printer_of(columns);
}

std::vector<std::string> row_cells(const SharingRow& row, const SharedLine& line, const SharingLook& look) {
  const bool peer = look.order == SharingOrder::Peer;
  const AccessCounts &counts = row.counts, &whole = line.counts;
  const auto cycles = [](const RunStats& sum) { return fmt::format("{:.0f}", sum.mean()); };
  std::vector<std::string> cells = {
      "",
      peer ? percent(counts.remote_peer, whole.remote_peer) : percent(counts.remote_hitm, whole.remote_hitm),
      peer ? percent(counts.local_peer, whole.local_peer) : percent(counts.local_hitm, whole.local_hitm),
      percent(counts.l1_stores, whole.l1_stores),
      percent(counts.l1_missed_stores, whole.l1_missed_stores),
      percent(counts.stores_of_unknown_level, whole.stores_of_unknown_level),
      hex(row.offset),
      memory_nodes(row.physical, look),
      number(row.physical.size())};
  if (look.keys.pid) cells.push_back(number(row.pid));
  if (look.keys.tid) cells.push_back(fmt::format("{}:{}", row.tid, printable(row.comm)));
  if (look.keys.code) cells.push_back(hex(row.code));
  cells.push_back(cycles(peer ? row.remote_peer : row.remote_hitm));
  cells.push_back(cycles(peer ? row.local_peer : row.local_hitm));
  cells.push_back(cycles(row.load));
  cells.push_back(number(counts.records));
  cells.push_back(number(row.cpus.size()));
  if (look.keys.code) cells.push_back(printable(look.symbol(row)));
  if (look.keys.code || look.keys.dso) cells.push_back(printable(look.object(row)));
  if (look.keys.code && look.shows_source) cells.push_back(printable(look.source(row)));
  cells.push_back(nodes_text(row, look));
  return cells;
}

TextTable line_table(const SharingLook& look) {
  const OrderWords words = words_of(look.order);
  return printer_of({{.name = "Index", .width = kFirst},
                     {.over = "----------- Cacheline ----------", .spans = 3, .name = "Address", .width = kAddress},
                     {.spans = 0, .name = "Node", .width = 4},
                     {.spans = 0, .name = "PA cnt", .width = 6},
                     {.over = words.over, .name = words.name},
                     {.over = words.span, .spans = 3, .name = "Total"},
                     {.spans = 0, .name = words.local},
                     {.spans = 0, .name = words.remote},
                     {.over = "Total", .name = "records"},
                     {.over = "Total", .name = "Loads"},
                     {.over = "Total", .name = "Stores"},
                     {.over = "--------- Stores --------", .spans = 3, .name = "L1Hit"},
                     {.spans = 0, .name = "L1Miss"},
                     {.spans = 0, .name = "N/A"},
                     {.over = "----- Core Load Hit -----", .spans = 3, .name = "FB"},
                     {.spans = 0, .name = "L1"},
                     {.spans = 0, .name = "L2"},
                     {.over = "- LLC Load Hit --", .spans = 2, .name = "LclHit", .width = kLongCount},
                     {.spans = 0, .name = "LclHitm"},
                     {.over = "- RMT Load Hit --", .spans = 2, .name = "RmtHit", .width = kLongCount},
                     {.spans = 0, .name = "RmtHitm"},
                     {.over = "--- Load Dram ----", .spans = 2, .name = "Lcl", .width = kLongCount},
                     {.spans = 0, .name = "Rmt", .width = kLongCount}});
}

std::vector<std::string> line_cells(const SharedLine& line, std::size_t index, const AccessCounts& all,
                                    const SharingLook& look) {
  const bool peer = look.order == SharingOrder::Peer;
  const AccessCounts& c = line.counts;
  const std::string share = percent(value_in_order(c, look.order), value_in_order(all, look.order));
  std::vector<std::string> cells = {number(index), hex(line.address), memory_nodes(line.physical, look),
                                    number(line.physical.size()), share};
  for (const u64 value :
       {peer ? c.peer() : c.hitm(), peer ? c.local_peer : c.local_hitm, peer ? c.remote_peer : c.remote_hitm, c.records,
        c.loads, c.stores, c.l1_stores, c.l1_missed_stores, c.stores_of_unknown_level, c.fill_buffer, c.l1, c.l2, c.llc,
        c.local_hitm, c.remote_hit, c.remote_hitm, c.local_dram, c.remote_dram})
    cells.push_back(number(value));
  return cells;
}

std::string cells_text(const TextTable& table, const std::vector<std::string>& cells) {
  Sink out;
  table.cells(out, cells);
  return out.take();
}

// Returns the cells, followed by the call graph.
std::string row_text(const TextTable& table, const SharingRow& row, const SharedLine& line, const SharingLook& look) {
  std::string text = cells_text(table, row_cells(row, line, look));
  if (look.callers) {
    text += '\n' + look.callers(line, row);
    if (text.back() == '\n') text.pop_back();
  }
  return text;
}

std::string head_text(const TextTable& table) {
  Sink out;
  table.titles(out, "#");
  return out.take();
}

}  // namespace

SharingTable table_of_lines(std::span<const SharedLine> lines, const AccessCounts& all, const SharingLook& look) {
  const TextTable printer = line_table(look);
  SharingTable table{.head = head_text(printer), .rows = {}};
  for (const SharedLine& line : lines)
    table.rows.push_back(cells_text(printer, line_cells(line, table.rows.size(), all, look)));
  return table;
}

SharingTable table_of_rows(const SharedLine& line, std::span<const SharedLine> lines, const SharingLook& look) {
  const TextTable printer = row_table(lines, look);
  SharingTable table{.head = head_text(printer), .rows = {}};
  for (const SharingRow& row : line.rows) table.rows.push_back(row_text(printer, row, line, look));
  return table;
}

void print_shared_lines(std::span<const SharedLine> lines, const AccessCounts& all, const SharingLook& look,
                        Sink& out) {
  append_boxed(out.append('\n'), "           Shared Data Cache Line Table          ", '=');
  line_table(look).commented_titles(out.append("#\n"));
  for (const std::string& row : table_of_lines(lines, all, look).rows) out.append(row).append('\n');
}

void print_line_rows(std::span<const SharedLine> lines, const SharingLook& look, Sink& out) {
  const TextTable table = row_table(lines, look);
  const bool peer = look.order == SharingOrder::Peer;
  append_boxed(out.append('\n'), "      Shared Cache Line Distribution Pareto      ", '=');
  table.commented_titles(out.append("#\n"));
  std::size_t index = 0;
  for (const SharedLine& line : lines) {
    const AccessCounts& c = line.counts;
    if (index != 0) out.append('\n');
    append_ruler(out, '-', kLineRuler, "  ");
    table.row(
        out, {number(index++), number(peer ? c.remote_peer : c.remote_hitm), number(peer ? c.local_peer : c.local_hitm),
              number(c.l1_stores), number(c.l1_missed_stores), number(c.stores_of_unknown_level), hex(line.address)});
    append_ruler(out, '-', kLineRuler, "  ");
    for (const SharingRow& row : line.rows) out.append(row_text(table, row, line, look)).append('\n');
  }
}

}  // namespace peregrine
