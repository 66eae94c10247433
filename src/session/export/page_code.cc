#include "session/export/page_code.h"

#include <utility>
#include <vector>

#include "analysis/annotate/hot_functions.h"
#include "analysis/annotate/line_times.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/annotate/symbol_listings.h"
#include "base/types.h"
#include "output/html/profile_page.h"

namespace peregrine {

std::future<PackedText> pack_code(const data::Reader& reader, const Machine& machine, const HitCollector& collector,
                                  u64 step, std::string symfs) {
  return std::async(std::launch::async, [&reader, &machine, &collector, step, symfs = std::move(symfs)] {
    const RecordedHits hits = collector.hits(reader.evlist().size());
    std::vector<u32> events;  // the page's series: events with samples
    for (u32 event = 0; event < hits.totals.size(); ++event)
      if (hits.totals[event].samples != 0) events.push_back(event);
    SymbolListings listings(machine, {.places = {.symfs = symfs}});
    listings.add_programs(reader.header().features, reader.header().order);
    const std::vector<HotFunction> code = hot_functions(machine, hits, listings, {.events = events});
    std::vector<u32> symbols;
    for (const HotFunction& function : code) symbols.push_back(function.symbol);
    const LineTimes times =
        line_times(code, collector.by_time(hits, symbols), {.events = std::move(events), .step = step});
    return PackedText(code_json(code, times));
  });
}

}  // namespace peregrine
