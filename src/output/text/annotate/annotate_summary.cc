#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/annotate/annotate_color.h"
#include "output/text/annotate/annotate_page.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

constexpr std::size_t kSummaryRuler = 46;

struct HotPlace {
  std::string name;
  std::vector<double> shares;  // by column
};

std::vector<HotPlace> find_hot_places(const AnnotatePage& page, const AnnotateStyle& style) {
  std::map<std::string, std::vector<double>> sums;
  const Listing& listing = page.listing;
  for (std::size_t i = 0; i < listing.lines.size(); ++i) {
    const ListingLine& line = listing.lines[i];
    const std::string name = !line.place.empty()
                                 ? short_place(line.place, style.full_paths)
                                 : fmt::format("{}[{:x}]", printable(page.dso), listing.code.address + line.offset);
    for (std::size_t column = 0; column < page.events.size(); ++column) {
      const u32 event = page.events[column];
      const Hits hits = page.hits.events[event].between(line.offset, end_of_line(listing, i));
      if (hits.samples == 0) continue;
      std::vector<double>& shares = sums[name];
      shares.resize(page.events.size());
      shares[column] += percent(hits, page.hits.events[event].total, page.totals[event], style.type);
    }
  }
  std::vector<HotPlace> places;
  for (auto& [name, shares] : sums)
    if (std::ranges::any_of(shares, [](double share) { return share > kNotablePercent; }))
      places.push_back({name, std::move(shares)});
  std::ranges::stable_sort(places, [](const HotPlace& a, const HotPlace& b) { return a.shares > b.shares; });
  return places;
}

}  // namespace

void print_hot_places(Sink& out, const AnnotatePage& page, const AnnotateStyle& style) {
  out.format("\nSorted summary for file {}\n", printable(page.dso_path));
  append_ruler(out, '-', kSummaryRuler);
  out.append('\n');
  const std::vector<HotPlace> places = find_hot_places(page, style);
  if (places.empty()) out.format(" no line has more than {:.1f} %\n", kNotablePercent);
  for (const HotPlace& place : places) {
    for (const double share : place.shares)
      append_colored(out, style.colors ? percent_color(share) : Color::None, fmt::format("{:8.2f}", share));
    append_colored(out, style.colors ? percent_color(place.shares[0]) : Color::None, fmt::format(" {}\n", place.name));
  }
}

}  // namespace peregrine
