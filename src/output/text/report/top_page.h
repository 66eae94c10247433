// The heading of top's screen: sample rate, where samples fall, losses, and top's own cost. The layout is linux-perf's,
// except for the cost. Pure except for the sink.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct TopHeading {
  double samples_per_second = 0;
  double kernel = 0, user = 0, guest_kernel = 0, guest_user = 0, exact = 0;  // percent of the samples
  bool guests = false;                                                       // guests were sampled
  u64 lost = 0, all_lost = 0, dropped = 0, all_dropped = 0;
  std::string event;               // "4000Hz cpu-clock"
  std::string target;              // "all, 2 CPUs"
  std::optional<double> own_cost;  // percent of one CPU; nothing: not measured yet
};

std::string top_heading(const TopHeading& heading);
// The same in at most `width` columns: omits the target, the event and other details, but not what top costs. `state`
// precedes it: "paused".
std::string top_title(const TopHeading& heading, std::string_view state, std::size_t width);
// The heading and a rule below it, in lines of at most `width`.
void print_top_heading(Sink& out, const TopHeading& heading, unsigned width);

// One line of the key help: key, meaning, current value.
struct TopKey {
  std::string key, meaning, now;
};
void print_top_keys(Sink& out, const std::vector<TopKey>& keys);

}  // namespace peregrine
