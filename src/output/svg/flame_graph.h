// Flame graph as one self-contained SVG page: boxes as static shapes, so that any viewer shows them, and a small script
// for browsers: click to zoom, search, details of the box under the mouse, a link to what is shown.
//
// Positions are shares of the width, so the picture follows the window. All text of the recording is escaped. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analysis/hist/picture/flame_tree.h"
#include "output/sink.h"
#include "output/svg/flame_color.h"

namespace peregrine {

struct FlameText {
  std::string title = "Flame Graph";
  std::string subtitle;          // what was recorded: the command line, the event
  std::string unit = "samples";  // what periods count
  unsigned width = 1200;         // for viewers that do not scale
  bool inverted = false;         // icicle: the bottom of stacks above
  FlameColors colors = FlameColors::Kind;
};

void print_flame_graph(Sink& out, const FlameTree& tree, const FlameText& text);

// & < > " ' and what XML cannot hold, escaped.
std::string xml_text(std::string_view text);

}  // namespace peregrine
