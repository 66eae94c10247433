#include "output/text/report/top_page.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "output/text/format/fitted_line.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

// linux-perf's line and top's cost, in parts. Each begins with its gap.
std::vector<LinePart> heading_parts(const TopHeading& heading) {
  std::vector<LinePart> parts{{fmt::format("PerfTop:{:>8.0f} irqs/sec", heading.samples_per_second)},
                              {fmt::format("  kernel:{:>4.1f}%", heading.kernel), 1}};
  if (heading.guests)
    parts.push_back({fmt::format(" us:{:>4.1f}% guest kernel:{:>4.1f}% guest us:{:>4.1f}%", heading.user,
                                 heading.guest_kernel, heading.guest_user),
                     4});
  parts.push_back({fmt::format("  exact: {:>4.1f}%", heading.exact), 6});
  parts.push_back({fmt::format(" lost: {}/{}", heading.lost, heading.all_lost), 2});
  parts.push_back({fmt::format(" drop: {}/{}", heading.dropped, heading.all_dropped), 5});
  parts.push_back({fmt::format(" [{}]", printable(heading.event)), 3});
  parts.push_back({fmt::format(",  ({})", printable(heading.target)), 7});
  if (heading.own_cost) parts.push_back({fmt::format(" self:{:>5.1f}% of a CPU", *heading.own_cost)});
  return parts;
}

}  // namespace

std::string top_heading(const TopHeading& heading) {
  return "   " + fitted_line(heading_parts(heading), std::string::npos, "");
}

std::string top_title(const TopHeading& heading, std::string_view state, std::size_t width) {
  std::vector<LinePart> parts = heading_parts(heading);
  if (!state.empty()) parts.insert(parts.begin(), {fmt::format("[{}] ", state)});
  return fitted_line(std::move(parts), width, "");
}

void print_top_heading(Sink& out, const TopHeading& heading, unsigned width) {
  const std::string text = top_heading(heading);
  std::string_view rest = text;
  while (width > 0 && rest.size() > width) {
    std::size_t cut = rest.rfind(' ', width);
    if (cut == rest.npos || cut < 4) cut = width;
    out.append(rest.substr(0, cut)).append('\n');
    rest.remove_prefix(cut);
  }
  out.append(rest).append('\n').fill('-', width > 1 ? width - 1 : 79).append("\n\n");
}

void print_top_keys(Sink& out, const std::vector<TopKey>& keys) {
  out.append("\nKeys:\n");
  for (const TopKey& key : keys) {
    out.append("\t").left("[" + key.key + "]", 8).left(key.meaning, 40);
    if (!key.now.empty()) out.append("(").append(key.now).append(")");
    out.append('\n');
  }
  out.append("\nPress a key (any other to continue): ");
}

}  // namespace peregrine
