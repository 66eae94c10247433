// PictureOptions: the requested pictures of report and diff, and their appearance. Filled by the parser, read by
// pictures.cc.
#pragma once
#include <string>
#include <string_view>

#include "event/config/off_cpu_event.h"

namespace peregrine::cmd {

struct PictureOptions {
  std::string flame_graph;  // SVG file
  std::string html;         // page
  std::string heat_map;     // page that opens with seconds and their parts
  bool reversed = false;    // stacks from what was hit to its callers
  bool chart = false;       // in order of time
  bool inverted = false;    // icicle: callers above
  std::string colors = "kind";
  std::string title;
  bool any() const { return !flame_graph.empty() || page(); }
  bool page() const { return !html.empty() || !heat_map.empty(); }
  // Times matter to them.
  bool timed() const { return page() || chart; }
  // The first file that they or, for rows, `output` are written to; empty: all goes to standard output.
  std::string_view file(std::string_view output) const {
    for (const std::string_view path :
         {std::string_view(html), std::string_view(heat_map), std::string_view(flame_graph), output})
      if (!path.empty() && path != "-") return path;
    return {};
  }
};

// What the periods of an event count: "ns" or "events".
inline std::string_view period_unit(std::string_view event) {
  return event.contains("clock") || event.starts_with(kOffCpuName) || event.ends_with("duration_time") ? "ns"
                                                                                                       : "events";
}

}  // namespace peregrine::cmd
