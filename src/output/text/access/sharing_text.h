// The tables of `c2c report`: statistics of all accesses and of the shared lines, the lines, and what touches each.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/sharing/line_sharing.h"
#include "output/sink.h"

namespace peregrine {

constexpr std::string_view kSharingRuler = "=================================================\n";

// Which accesses make a line worth showing, and the order of lines and rows.
enum class SharingOrder : u8 { TotalHitm, LocalHitm, RemoteHitm, Peer };

// How the nodes of a row's CPUs are shown.
enum class NodeLook : u8 { Ids, Shares, Cpus };

struct SharingLook {
  SharingOrder order = SharingOrder::TotalHitm;
  SharingKeys keys;
  NodeLook nodes = NodeLook::Ids;
  std::string grouping;  // "offset,iaddr"
  std::vector<std::string> events;
  // Of the recorded machine; -1: unknown.
  std::function<i32(u32 cpu)> node_of_cpu;
  std::function<i32(u64 physical)> node_of_memory;
  // "main", "prog", "main.c:3" of a row's code; lines only where they are shown.
  std::function<std::string(const SharingRow&)> symbol, object, source;
  bool shows_source = true;
  // The call graph below a row, as lines; none: there are none.
  std::function<std::string(const SharedLine&, const SharingRow&)> callers = {};
};

u64 value_in_order(const AccessCounts& counts, SharingOrder order);

void print_access_statistics(const AccessCounts& all, Sink& out);
// Of all lines: those with any HITM, or any Peer in that order, are shared.
void print_shared_statistics(std::span<const SharedLine> lines, const SharingLook& look, Sink& out);
// A table as text: what stands above it, then a text for each row, with its call graph as further lines.
struct SharingTable {
  std::string head;  // lines
  std::vector<std::string> rows;
};
// The lines in the order they have.
SharingTable table_of_lines(std::span<const SharedLine> lines, const AccessCounts& all, const SharingLook& look);
// The rows of one of them, in columns as wide as all lines want.
SharingTable table_of_rows(const SharedLine& line, std::span<const SharedLine> lines, const SharingLook& look);

// The lines, then the rows of each.
void print_shared_lines(std::span<const SharedLine> lines, const AccessCounts& all, const SharingLook& look, Sink& out);
void print_line_rows(std::span<const SharedLine> lines, const SharingLook& look, Sink& out);

}  // namespace peregrine
