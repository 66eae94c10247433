#include "output/text/report/top_page.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "output/text/format/printable.h"

namespace peregrine {

std::string top_heading(const TopHeading& heading) {
  std::string text =
      fmt::format("   PerfTop:{:>8.0f} irqs/sec  kernel:{:>4.1f}%", heading.samples_per_second, heading.kernel);
  if (heading.guests)
    text += fmt::format(" us:{:>4.1f}% guest kernel:{:>4.1f}% guest us:{:>4.1f}%", heading.user, heading.guest_kernel,
                        heading.guest_user);
  text += fmt::format("  exact: {:>4.1f}% lost: {}/{} drop: {}/{} [{}],  ({})", heading.exact, heading.lost,
                      heading.all_lost, heading.dropped, heading.all_dropped, printable(heading.event),
                      printable(heading.target));
  return text + fmt::format(" self:{:>5.1f}% of a CPU", heading.own_cost);
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
