// What the screen of report can switch to: other recordings in a folder, and time ranges of this one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace peregrine {

// The recordings directly in `folder`, except the one named `but`.
std::vector<std::string> recordings_in(const std::string& folder, std::string_view but);

// What a view requests when it leaves the screen.
struct BrowseStep {
  std::string opened;       // another recording; empty: the same
  double from = 0, to = 0;  // a range of its time, in percent
  bool whole_time = true;
};
// "open FILE", "time FROM%-TO%", or "time " for the whole recording.
BrowseStep parse_browse_step(std::string_view word);

}  // namespace peregrine
