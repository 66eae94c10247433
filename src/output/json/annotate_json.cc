#include "output/json/annotate_json.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "output/json/json_line.h"

namespace peregrine {
namespace {

// "samples", or "samples.EVENT" for a member of a group.
std::string name_of(std::string_view name, const std::vector<std::string>& events, std::size_t member) {
  return events.size() < 2 ? std::string(name) : fmt::format("{}.{}", name, events[member]);
}

}  // namespace

// Appends the members of a line, and closes the object.
void AnnotateJson::append_line(std::string& text, const AnnotatePage& page, std::size_t index,
                               const std::vector<std::string>& events) const {
  const ListingLine& line = page.listing.lines[index];
  const std::string space = line.code.operands.empty() ? "" : " ";
  JsonLine json(text);
  json.number("offset", line.offset);
  json.string("address", fmt::format("{:#x}", page.listing.code.address + line.offset));
  json.string("code", line.code.mnemonic + space + line.code.operands);
  for (std::size_t member = 0; member < page.events.size(); ++member) {
    const EventHits& all = page.hits.events[page.events[member]];
    const Hits hits = all.between(line.offset, end_of_line(page.listing, index));
    json.number(name_of("samples", events, member), hits.samples);
    json.number(name_of("period", events, member), hits.period);
    json.number(name_of("percent", events, member), percent(hits, all.total, page.totals[page.events[member]], type_));
  }
  if (!line.target.empty()) json.string("target", line.target);
  if (!line.data_type.empty()) json.string("data_type", line.data_type);
  if (!line.place.empty()) json.string("place", line.place);
  text += '}';
}

void AnnotateJson::print(const AnnotatePage& page, const std::vector<std::string>& events) {
  std::string head = "{";
  JsonLine json(head);
  json.string("event", page.event);
  json.string("symbol", page.listing.symbol);
  json.string("dso", page.dso_path);
  std::string text;
  if (lines_) {
    for (std::size_t line = 0; line < page.listing.lines.size(); ++line) {
      append_line(text = head, page, line, events);
      out_.append(text).append('\n');
    }
    return;
  }
  for (std::size_t member = 0; member < page.events.size(); ++member) {
    const Hits& total = page.hits.events[page.events[member]].total;
    json.number(name_of("samples", events, member), total.samples);
    json.number(name_of("period", events, member), total.period);
  }
  json.raw("lines", "[");
  json_.line().next().append(head);
  for (std::size_t line = 0; line < page.listing.lines.size(); ++line) {
    append_line(text = "{", page, line, events);
    out_.append(line == 0 ? "\n" : ",\n").append(text);
  }
  out_.append("]}");
}

}  // namespace peregrine
