// What the screen of report can switch to: other recordings of a folder, and parts of the time of this one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace peregrine {

// The recordings directly in `folder`, without the one named `but`.
std::vector<std::string> recordings_in(const std::string& folder, std::string_view but);

// What a view asks for when it leaves the screen.
struct BrowseStep {
  std::string opened;       // another recording; empty: the same
  double from = 0, to = 0;  // percentages of its time
  bool whole_time = true;
};
// "open FILE", "time FROM%-TO%", or "time " for all of it.
BrowseStep parse_browse_step(std::string_view word);

}  // namespace peregrine
