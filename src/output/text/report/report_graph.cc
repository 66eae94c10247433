#include "output/text/report/report_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_table.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/report/branch_text.h"
#include "output/text/report/metric_cell.h"

namespace peregrine {
namespace {

// A line of the tree is a margin, then one column of eleven characters per level: "|          " if siblings follow,
// blanks otherwise.
class TreePrinter {
 public:
  TreePrinter(Sink& out, const CallGraph& graph, const FaceTable& faces, const GraphText& style)
      : out_(out), graph_(graph), faces_(faces), style_(style) {}

  bool print(u64 weight, u64 total);

 private:
  bool fractal() const { return style_.options.mode == GraphMode::Fractal; }
  bool print_trunk(const CallNode& trunk);
  void print_frame(u32 at);
  void print_level(const CallNode& parent, u64 base, unsigned depth, std::vector<bool> open);
  void print_rest(const CallNode& parent, u64 rest, u64 base, unsigned depth, std::vector<bool>& open);
  void print_rule(unsigned depth, const std::vector<bool>& open);
  void print_stem(unsigned depth, const std::vector<bool>& open, const CallNode* valued, u64 base);

  Sink& out_;
  const CallGraph& graph_;
  const FaceTable& faces_;
  const GraphText& style_;
  unsigned margin_ = 12;
};

void append_value(Sink& out, const GraphText& style, u64 period, u64 samples, u64 base) {
  switch (style.options.value) {
    case GraphValue::Count:
      out.decimal(samples);
      break;
    case GraphValue::Period:
      out.decimal(period);
      break;
    case GraphValue::Percent: {
      const double share = base == 0 ? 0.0 : static_cast<double>(period) * 100.0 / static_cast<double>(base);
      const std::string text = fmt::format("{:.2f}%", share);
      out.append(style.colors ? colored_percentage(text, share) : text);
      break;
    }
  }
}

bool TreePrinter::print(u64 weight, u64 total) {
  const CallNode* level = &graph_.nodes[0];
  bool printed = false;
  // A first branch that accounts for the whole row needs no percentage: it is printed as the row's stem.
  const CallNode& first = graph_.nodes[level->first_child];
  if (first.total == weight) {
    printed = print_trunk(first);
    level = &first;
  }
  if (level->child_count > 0) {
    print_level(*level, fractal() ? weight : total, 1, {false, true});
    printed = true;
  }
  return printed;
}

void TreePrinter::print_frame(u32 at) {
  out_.append(frame_text(faces_, style_.options.key, graph_.frames[at]));
  if (style_.branch_sums && at < graph_.branches.size()) out_.append(branch_text(graph_.branches[at]));
  out_.append('\n');
}

bool TreePrinter::print_trunk(const CallNode& trunk) {
  bool printed = false;
  u32 lines = 0;
  for (u32 i = 0; i < trunk.frame_count; ++i) {
    if (i == 0 && style_.skip_first_frame) continue;
    out_.fill(' ', margin_);
    if (!printed) {
      out_.append("|\n");
      out_.fill(' ', margin_).append("---");
      margin_ += 3;
      printed = true;
    }
    print_frame(trunk.first_frame + i);
    if (++lines == style_.options.print_limit) break;
  }
  return printed;
}

void TreePrinter::print_rule(unsigned depth, const std::vector<bool>& open) {
  out_.fill(' ', margin_);
  for (unsigned i = 0; i < depth; ++i) out_.append(open[i + 1] ? "|          " : "           ");
  out_.append('\n');
}

void TreePrinter::print_stem(unsigned depth, const std::vector<bool>& open, const CallNode* valued, u64 base) {
  out_.fill(' ', margin_);
  for (unsigned i = 0; i < depth; ++i) {
    out_.append(open[i + 1] ? '|' : ' ');
    if (valued != nullptr && i == depth - 1) {
      out_.append("--");
      append_value(out_, style_, valued->total, valued->total_samples, base);
      out_.append("--");
    } else {
      out_.append("          ");
    }
  }
}

// open[d] says whether siblings follow at depth d. The rule above a branch uses the state before the branch, and the
// lines of the branch use the state after it.
void TreePrinter::print_level(const CallNode& parent, u64 base, unsigned depth, std::vector<bool> open) {
  // What the printed children leave of the parent: in fractal graphs a last line, "[...]".
  u64 rest = base;
  u32 printed = 0;
  open.resize(depth + 1, true);
  std::vector<bool> after = open;
  for (u32 i = 0; i < parent.child_count; ++i) {
    const CallNode& child = graph_.nodes[parent.first_child + i];
    rest -= child.total;
    if (i + 1 == parent.child_count && (!fractal() || rest == 0)) after[depth] = false;
    print_rule(depth, open);
    for (u32 f = 0; f < child.frame_count; ++f) {
      print_stem(depth, after, f == 0 ? &child : nullptr, base);
      print_frame(child.first_frame + f);
    }
    if (child.child_count > 0) {
      std::vector<bool> below = after;
      below.resize(depth + 2, true);
      below[depth + 1] = true;
      print_level(child, fractal() ? child.below() : base, depth + 1, below);
    }
    if (++printed == style_.options.print_limit) break;
  }
  if (fractal() && rest != 0 && rest != base) print_rest(parent, rest, base, depth, after);
}

// Prints one line for the omitted part.
void TreePrinter::print_rest(const CallNode& parent, u64 rest, u64 base, unsigned depth, std::vector<bool>& open) {
  u64 samples = parent.total_samples - parent.own_samples;
  for (u32 i = 0; i < parent.child_count; ++i) samples -= graph_.nodes[parent.first_child + i].total_samples;
  const CallNode left{.total = rest, .total_samples = samples};
  open[depth] = false;
  print_stem(depth, open, &left, base);
  out_.append("[...]\n");
}

// Lists the chains that end at a node, largest first, each as the path of nodes from the row to its end. Ties keep the
// post-order of the tree: longer chains come before their prefixes, and siblings keep their order.
class ChainLister {
 public:
  ChainLister(const CallGraph& graph, const FaceTable& faces) : graph_(graph), faces_(faces) {
    std::vector<u32> path;
    visit(0, path);
    std::ranges::sort(chains_, [&](const Chain& a, const Chain& b) {
      return a.own != b.own ? a.own > b.own : a.position < b.position;
    });
  }
  struct Chain {
    std::vector<u32> path;
    u64 own = 0;
    std::size_t position = 0;
  };
  const std::vector<Chain>& chains() const { return chains_; }

 private:
  void visit(u32 node, std::vector<u32>& path) {
    const CallNode& at = graph_.nodes[node];
    if (node != 0) path.push_back(node);
    std::vector<u32> children(at.child_count);
    for (u32 i = 0; i < at.child_count; ++i) children[i] = at.first_child + i;
    const auto first = [&](u32 child) { return graph_.frames[graph_.nodes[child].first_frame]; };
    std::ranges::sort(children, [&](u32 a, u32 b) { return faces_.sibling_before(first(a), first(b)); });
    for (const u32 child : children) visit(child, path);
    if (node != 0 && at.own != 0 && at.own >= graph_.least) chains_.push_back({path, at.own, chains_.size()});
    if (node != 0) path.pop_back();
  }
  const CallGraph& graph_;
  const FaceTable& faces_;
  std::vector<Chain> chains_;
};

template <class Each>
void each_frame(const CallGraph& graph, const ChainLister::Chain& chain, const Each& each) {
  for (const u32 node : chain.path)
    for (u32 i = 0; i < graph.nodes[node].frame_count; ++i) each(graph.frames[graph.nodes[node].first_frame + i]);
}

void print_flat(Sink& out, const CallGraph& graph, const FaceTable& faces, const GraphText& style, u64 total) {
  const ChainLister lister(graph, faces);
  u32 printed = 0;
  for (const ChainLister::Chain& chain : lister.chains()) {
    out.append("           ");
    const CallNode& end = graph.nodes[chain.path.back()];
    append_value(out, style, end.total, end.total_samples, total);
    out.append('\n');
    each_frame(graph, chain, [&](HistFrameId frame) {
      out.append("                ").append(frame_text(faces, style.options.key, frame)).append('\n');
    });
    out.append('\n');
    if (++printed == style.options.print_limit) break;
  }
}

void print_folded(Sink& out, const CallGraph& graph, const FaceTable& faces, const GraphText& style, u64 total) {
  const ChainLister lister(graph, faces);
  u32 printed = 0;
  for (const ChainLister::Chain& chain : lister.chains()) {
    const CallNode& end = graph.nodes[chain.path.back()];
    append_value(out, style, end.own, end.own_samples, total);
    char separator = ' ';
    each_frame(graph, chain, [&](HistFrameId frame) {
      out.append(separator).append(frame_text(faces, style.options.key, frame));
      separator = ';';
    });
    out.append('\n');
    if (++printed == style.options.print_limit) break;
  }
}

}  // namespace

std::string frame_text(const FaceTable& faces, GraphKey key, HistFrameId frame) {
  const FrameLook& look = faces.look(frame);
  // A frame without a symbol shows only its address.
  const bool with_line = look.symbol.valid() && key != GraphKey::Function && look.line.valid();
  const std::string line = with_line ? fmt::format(" {}", faces.text(look.line)) : std::string();
  constexpr std::string_view kInlined = " (inlined)";
  std::string text;
  if (!look.symbol.valid()) {
    text = look.address == 0 ? "0" : fmt::format("{:#x}", look.address);
  } else {
    std::string_view name = faces.text(look.symbol);
    if (look.inlined) name.remove_suffix(kInlined.size());
    text.append(name).append(line);
    if (look.inlined) text += kInlined;
  }
  return is_printable(text) ? text : printable(text);
}

void print_call_graph(Sink& out, const CallGraph& graph, const FaceTable& faces, const GraphText& style, u64 weight,
                      u64 total) {
  if (graph.empty()) return;
  switch (style.options.mode) {
    case GraphMode::None:
      break;
    case GraphMode::Flat:
      print_flat(out, graph, faces, style, total);
      break;
    case GraphMode::Folded:
      print_folded(out, graph, faces, style, total);
      break;
    case GraphMode::Graph:
    case GraphMode::Fractal:
      if (TreePrinter(out, graph, faces, style).print(weight, total)) out.append('\n');
      break;
  }
}

}  // namespace peregrine
