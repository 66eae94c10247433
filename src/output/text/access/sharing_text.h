// The tables of `c2c report`: statistics of all accesses and of shared lines, the lines, and the code accessing each.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/line_sharing.h"
#include "analysis/sharing/sharing_order.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// How to show the nodes of a row's CPUs.
enum class NodeLook : u8 { Ids, Shares, Cpus };

struct SharingLook {
  SharingOrder order = SharingOrder::TotalHitm;
  SharingKeys keys;
  NodeLook nodes = NodeLook::Ids;
  std::string grouping;  // "offset,iaddr"
  std::vector<std::string> events;
  // For the recorded machine; -1: unknown.
  std::function<i32(u32 cpu)> node_of_cpu;
  std::function<i32(u64 physical)> node_of_memory;
  // "main", "prog", "main.c:3" for a row's code; `source` only if shown.
  std::function<std::string(const SharingRow&)> symbol, object, source;
  bool shows_source = true;
  // The call graph below a row, as lines; empty: none.
  std::function<std::string(const SharedLine&, const SharingRow&)> callers = {};
};

void print_access_statistics(const AccessCounts& all, Sink& out);
// Over all lines: those with any HITM (or Peer, in that order) are shared.
void print_shared_statistics(std::span<const SharedLine> lines, const SharingLook& look, Sink& out);
// A table as text: its head, then one text per row, including its call graph.
struct SharingTable {
  std::string head;  // lines
  std::vector<std::string> rows;
};
// Lines in the given order.
SharingTable table_of_lines(std::span<const SharedLine> lines, const AccessCounts& all, const SharingLook& look);
// The rows of one line, with column widths common to all lines.
SharingTable table_of_rows(const SharedLine& line, std::span<const SharedLine> lines, const SharingLook& look);

// The lines, then the rows of each.
void print_shared_lines(std::span<const SharedLine> lines, const AccessCounts& all, const SharingLook& look, Sink& out);
void print_line_rows(std::span<const SharedLine> lines, const SharingLook& look, Sink& out);

}  // namespace peregrine
