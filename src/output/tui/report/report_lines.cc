// ReportView's lines: a flat list of rows and of the open branches of their call graphs. Open branches are stored as
// hashes of frame names, not as node numbers, because a live profile renumbers its nodes at each refresh.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/flat_index.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"
#include "output/text/report/report_graph.h"
#include "output/tui/report/report_view.h"

namespace peregrine::tui {

namespace {

constexpr std::size_t kMostOpened = 500;  // maximum rows that E opens

u64 hash_text(std::string_view text) {
  u64 hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

u64 ReportView::path_of(u64 parent, std::string_view name) { return mix_bits(parent ^ hash_text(name)); }

// A row is identified by what it shows, not by its position, because a live profile reorders its rows.
u64 ReportView::key_of_row(u32 at) const {
  const RowTable& table = *page_->table;
  const Row& row = table.rows()[at];
  const FrameLook& look = table.frame_look(row);
  u64 key = look.symbol.valid() ? hash_text(table.faces().text(look.symbol)) : look.address;
  if (look.dso.valid()) key = path_of(key, table.faces().text(look.dso));
  for (const SortKey each : table.request().columns.keys)
    if (each->source == KeySource::Group)
      key = mix_bits(key ^ (table.group_text(row, each).empty() ? table.group_value(row, each)
                                                                : hash_text(table.group_text(row, each))));
  return key;
}

void ReportView::ask_page() {
  const u64 cursor = page_ != nullptr && line() != nullptr && settings_.live ? row_keys_[line()->row] : 0;
  page_ = &queries_.page(look_);
  measured_for_ = 0;
  make_lines();
  if (cursor == 0) return;
  for (std::size_t at = 0; at < lines_.size(); ++at)
    if (lines_[at].node == 0 && row_keys_[lines_[at].row] == cursor) {
      cursor_.at = at;
      break;
    }
}

void ReportView::renew() {
  for (auto& [key, opened] : opened_) opened.graph = {};
  ask_page();
}

void ReportView::make_lines() {
  lines_.clear();
  row_keys_.clear();
  for (u32 at = 0; at < page_->rows.size(); ++at) {
    lines_.push_back({.row = at});
    if (opened_.empty() && !settings_.live) continue;
    const u64 key = key_of_row(page_->rows[at]);
    row_keys_[at] = key;
    const auto found = opened_.find(key);
    if (found == opened_.end()) continue;
    Opened& opened = found->second;
    if (opened.graph.nodes.empty()) opened.graph = queries_.graph(page_->rows[at]);
    if (!opened.graph.empty()) add_node_lines(at, opened, 0, key, 0);
  }
  cursor_.settle(lines_.size(), height_);
}

void ReportView::add_node_lines(u32 row, const Opened& opened, u32 parent, u64 path, unsigned depth) {
  const CallNode& from = opened.graph.nodes[parent];
  for (u32 i = 0; i < from.child_count; ++i) {
    const u32 node = from.first_child + i;
    const CallNode& at = opened.graph.nodes[node];
    for (u32 frame = 0; frame < at.frame_count; ++frame)
      lines_.push_back({.row = row, .node = node, .frame = frame, .depth = depth});
    const u64 below = path_of(path, frame_name(opened.graph, at.first_frame));
    if (opened.nodes.contains(below)) add_node_lines(row, opened, node, below, depth + 1);
  }
}

std::string ReportView::frame_name(const CallGraph& graph, u32 frame) const {
  return frame_text(page_->table->faces(), GraphKey::Function, graph.frames[frame]);
}

const ReportView::Opened* ReportView::opened_at(u32 row) const {
  const auto found = opened_.find(key_of_row(page_->rows[row]));
  return found == opened_.end() ? nullptr : &found->second;
}

ReportView::Opened* ReportView::opened_at(u32 row) {
  return const_cast<Opened*>(static_cast<const ReportView*>(this)->opened_at(row));
}

// Hashes the frame names on the path from the row to the node.
u64 ReportView::path_of_line(const Line& line) const {
  const Opened* opened = opened_at(line.row);
  std::vector<u32> way;
  const CallGraph& graph = opened->graph;
  // Children follow their parents in `nodes`: the parent of a node is the last node before it that has it as a child.
  for (u32 at = line.node; at != 0;) {
    way.push_back(at);
    u32 parent = at - 1;
    while (graph.nodes[parent].child_count == 0 || graph.nodes[parent].first_child > at ||
           graph.nodes[parent].first_child + graph.nodes[parent].child_count <= at)
      --parent;
    at = parent;
  }
  u64 path = key_of_row(page_->rows[line.row]);
  for (; !way.empty(); way.pop_back()) path = path_of(path, frame_name(graph, graph.nodes[way.back()].first_frame));
  return path;
}

// `depth` is set only if callers have rows; otherwise the entries must be checked.
bool ReportView::has_chains(u32 at) const {
  const RowTable& table = *page_->table;
  if (!table.request().with_chains) return false;
  const auto& entries = table.hists().entries();
  return table.rows()[at].depth > 0 ||
         std::ranges::any_of(table.entries_of(at), [&](u32 entry) { return entries[entry].chain != kRootChain.value; });
}

// A row can be opened, and so can the last frame of a node with children.
bool ReportView::can_open(const Line& line) const {
  if (line.node == 0) return has_chains(page_->rows[line.row]);
  const CallNode& node = opened_at(line.row)->graph.nodes[line.node];
  return node.child_count > 0 && line.frame + 1 == node.frame_count;
}

bool ReportView::is_open(const Line& line) const {
  const Opened* opened = opened_at(line.row);
  if (line.node == 0 || opened == nullptr) return opened != nullptr;
  return opened->nodes.contains(path_of_line(line));
}

void ReportView::toggle(const Line& line) {
  if (!can_open(line)) return;
  if (line.node == 0) {
    const u64 key = key_of_row(page_->rows[line.row]);
    if (opened_.erase(key) == 0) opened_[key] = {};
  } else {
    const u64 path = path_of_line(line);
    Opened& opened = *opened_at(line.row);
    if (opened.nodes.erase(path) == 0) opened.nodes.insert(path);
  }
  make_lines();
}

void ReportView::open_all_of(u32 row, bool on) {
  const u64 key = key_of_row(page_->rows[row]);
  opened_.erase(key);
  if (!on) return;
  Opened& opened = opened_[key];
  opened.graph = queries_.graph(page_->rows[row]);
  const auto visit = [&](auto&& self, u32 parent, u64 path) -> void {
    const CallNode& from = opened.graph.nodes[parent];
    for (u32 i = 0; i < from.child_count; ++i) {
      const u32 node = from.first_child + i;
      const u64 below = path_of(path, frame_name(opened.graph, opened.graph.nodes[node].first_frame));
      opened.nodes.insert(below);
      self(self, node, below);
    }
  };
  if (!opened.graph.empty()) visit(visit, 0, key);
}

void ReportView::open_everything(bool on) {
  const u32 row = line() == nullptr ? 0 : line()->row;
  opened_.clear();
  if (on) {
    const std::size_t count = std::min(page_->rows.size(), kMostOpened);
    for (u32 at = 0; at < count; ++at)
      if (has_chains(page_->rows[at])) open_all_of(at, true);
    if (count < page_->rows.size()) say(fmt::format("opened the first {} of {} rows", count, page_->rows.size()));
  }
  make_lines();
  const auto found = std::ranges::find_if(lines_, [&](const Line& each) { return each.row == row; });
  cursor_.at = static_cast<std::size_t>(found - lines_.begin());
  cursor_.settle(lines_.size(), height_);
}

HistFrameId ReportView::frame_of(const Line& line) const {
  if (line.node == 0) return queries_.frame_of(page_->rows[line.row]);
  const CallGraph& graph = opened_at(line.row)->graph;
  return graph.frames[graph.nodes[line.node].first_frame + line.frame];
}

}  // namespace peregrine::tui
