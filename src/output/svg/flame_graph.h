// Flame graph as one self-contained SVG page: static shapes that any viewer shows, plus a small script for browsers:
// zoom, search, details on hover, a link to the current view.
//
// Positions are relative to the width, so the picture scales with the window. All text of the recording is escaped.
// Pure.
#pragma once
#include <string>
#include <string_view>

#include "analysis/hist/picture/flame_tree.h"
#include "output/sink.h"
#include "output/svg/flame_color.h"

namespace peregrine {

struct FlameText {
  std::string title = "Flame Graph";
  std::string subtitle;          // the recording: command line, event
  std::string unit = "samples";  // unit of periods
  unsigned width = 1200;         // for viewers that do not scale
  bool inverted = false;         // icicle: roots at the top
  FlameColors colors = FlameColors::Kind;
};

void print_flame_graph(Sink& out, const FlameTree& tree, const FlameText& text);

// Escapes & < > " ' and characters that XML does not allow.
std::string xml_text(std::string_view text);

}  // namespace peregrine
