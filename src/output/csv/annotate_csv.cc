#include "output/csv/annotate_csv.h"

#include <fmt/format.h>

#include <cstddef>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "output/csv/csv_text.h"
#include "output/sink.h"

namespace peregrine {

void print_annotate_csv_titles(Sink& out, bool types) {
  out.append("event,symbol,dso,offset,address,code,samples,period,percent,target,place");
  out.append(types ? ",data_type\n" : "\n");
}

void print_annotate_csv(Sink& out, const AnnotatePage& page, const std::vector<std::string>& events, PercentType type,
                        bool types) {
  const std::string place = fmt::format("{},{}", csv_field(page.listing.symbol), csv_field(page.dso_path));
  for (std::size_t member = 0; member < page.events.size(); ++member) {
    const EventHits& all = page.hits.events[page.events[member]];
    const std::string event = csv_field(member < events.size() ? events[member] : page.event);
    for (std::size_t index = 0; index < page.listing.lines.size(); ++index) {
      const ListingLine& line = page.listing.lines[index];
      const std::string space = line.code.operands.empty() ? "" : " ";
      const Hits hits = all.between(line.offset, end_of_line(page.listing, index));
      out.format("{},{},{},{:#x},{},{},{},{},{},{}", event, place, line.offset, page.listing.code.address + line.offset,
                 csv_field(line.code.mnemonic + space + line.code.operands), hits.samples, hits.period,
                 percent(hits, all.total, page.totals[page.events[member]], type), csv_field(line.target),
                 csv_field(line.place));
      if (types) out.append(",").append(csv_field(line.data_type));
      out.append('\n');
    }
  }
}

}  // namespace peregrine
