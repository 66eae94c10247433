// PictureRequest: the pictures that report and diff draw, their files, and their style.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

struct PictureRequest {
  std::string flame_graph;  // SVG file; "" here and below: do not draw; "-": standard output
  std::string html;         // page
  std::string heat_map;     // page that opens with a heat map
  bool reversed = false;    // stacks from the sampled function to its callers
  bool chart = false;       // ordered by time
  bool inverted = false;    // icicle: callers above
  std::string colors = "kind";
  std::string title;

  bool any() const { return !flame_graph.empty() || page(); }
  bool page() const { return !html.empty() || !heat_map.empty(); }
  // Whether the samples must keep their times.
  bool timed() const { return page() || chart; }
  // The first output file of the pictures or, for rows, `output`; empty: everything goes to standard output.
  std::string_view file(std::string_view output) const;
};
// Errors: Usage, the option's value looks like another option (FILE is missing), or has the suffix of a different kind
// of file. `suffix`: of what the option writes, ".svg" or ".html".
Result<> check_picture_file(std::string_view option, std::string_view file, std::string_view suffix);
// All files of a request.
Result<> check_picture_files(const PictureRequest& request);
// The unit of an event's periods: "ns" or "events".
std::string_view period_unit(std::string_view event);

}  // namespace peregrine
