#include "output/json/annotate_json.h"

#include "output/json/json_text.h"

namespace peregrine {
namespace {

// "samples", or "samples.EVENT" for a member of a group.
std::string key(std::string_view name, const std::vector<std::string>& events, std::size_t member) {
  return events.size() < 2 ? std::string(name) : fmt::format("{}.{}", name, json_escaped(events[member]));
}

}  // namespace

void AnnotateJson::print_line(const AnnotatePage& page, std::size_t index, const std::vector<std::string>& events) {
  const ListingLine& line = page.listing.lines[index];
  const std::string space = line.code.operands.empty() ? "" : " ";
  out_.format("\"offset\":{},\"address\":\"{:#x}\",\"code\":\"{}\"", line.offset,
              page.listing.code.address + line.offset, json_escaped(line.code.mnemonic + space + line.code.operands));
  for (std::size_t member = 0; member < page.events.size(); ++member) {
    const EventHits& all = page.hits.events[page.events[member]];
    const Hits hits = all.between(line.offset, end_of_line(page.listing, index));
    out_.format(",\"{}\":{},\"{}\":{},\"{}\":{}", key("samples", events, member), hits.samples,
                key("period", events, member), hits.period, key("percent", events, member),
                percent(hits, all.total, page.totals[page.events[member]], type_));
  }
  if (!line.target.empty()) out_.format(",\"target\":\"{}\"", json_escaped(line.target));
  if (!line.data_type.empty()) out_.format(",\"data_type\":\"{}\"", json_escaped(line.data_type));
  if (!line.place.empty()) out_.format(",\"place\":\"{}\"", json_escaped(line.place));
  out_.append('}');
}

void AnnotateJson::print(const AnnotatePage& page, const std::vector<std::string>& events) {
  const std::string head = fmt::format("{{\"event\":\"{}\",\"symbol\":\"{}\",\"dso\":\"{}\",", json_escaped(page.event),
                                       json_escaped(page.listing.symbol), json_escaped(page.dso_path));
  if (lines_) {
    for (std::size_t line = 0; line < page.listing.lines.size(); ++line) {
      out_.append(head);
      print_line(page, line, events);
      out_.append('\n');
    }
    return;
  }
  out_.append(first_ ? "\n" : ",\n").append(head);
  first_ = false;
  for (std::size_t member = 0; member < page.events.size(); ++member) {
    const Hits& total = page.hits.events[page.events[member]].total;
    out_.format("\"{}\":{},\"{}\":{},", key("samples", events, member), total.samples, key("period", events, member),
                total.period);
  }
  out_.append("\"lines\":[");
  for (std::size_t line = 0; line < page.listing.lines.size(); ++line) {
    out_.append(line == 0 ? "\n{" : ",\n{");
    print_line(page, line, events);
  }
  out_.append("]}");
}

}  // namespace peregrine
