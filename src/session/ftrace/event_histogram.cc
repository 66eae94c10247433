#include "session/ftrace/event_histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>

#include "base/number/parse_number.h"
#include "base/text/counted.h"
#include "base/text/trim.h"
#include "base/text/words.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {
namespace {

std::string_view take_histogram_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// The place of the brace that ends the keys of the entry at the start of `text`. The text of a key may contain braces,
// too, but the number of hits follows the last one.
std::size_t end_of_keys(std::string_view text) {
  constexpr std::string_view kEnd = "} hitcount:";
  const std::string_view entry = text.substr(0, std::min(text.find("\n{"), text.find("\n\n")));
  const std::size_t first = entry.find(kEnd);
  if (first == std::string_view::npos) return text.find('}');
  return entry.substr(0, entry.find('\n', first)).rfind(kEnd);
}

// "trigger info: hist:keys=pid.execname,comm:vals=hitcount": the names of the keys, in the order of each row.
std::vector<std::string> names_of_keys(std::string_view header) {
  constexpr std::string_view kKeys = "hist:keys=";
  const std::size_t at = header.find(kKeys);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + kKeys.size());
  std::vector<std::string> names = split_words(header.substr(0, header.find_first_of(": [")));
  for (std::string& name : names) name.resize(std::min(name.find('.'), name.size()));
  return names;
}

// "pid: 12, comm: my, name": a value ends where ", NAME:" follows, with the name of the next key if it is known.
EventHistogram::Fields parse_keys(std::string_view text, const std::vector<std::string>& names) {
  EventHistogram::Fields keys;
  text = trim(text);
  while (!text.empty()) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view name = trim(text.substr(0, colon));
    text.remove_prefix(std::min(colon + 1, text.size()));
    std::size_t end = text.size();
    for (std::size_t comma = text.find(", "); comma != std::string_view::npos; comma = text.find(", ", comma + 1)) {
      const std::size_t next = text.find_first_of(": ,\n", comma + 2);
      if (next == std::string_view::npos || text[next] != ':') continue;
      const bool is_known = keys.size() < names.size() && names[keys.size()] == name;
      const std::size_t following = keys.size() + 1;
      if (is_known && (following == names.size() || text.substr(comma + 2, next - comma - 2) != names[following]))
        continue;
      end = comma;
      break;
    }
    std::string value;
    for (std::string_view rest = trim(text.substr(0, end)); !rest.empty();)
      value.append(value.empty() ? "" : " < ").append(trim(take_histogram_line(rest)));
    keys.emplace_back(name, std::move(value));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return keys;
}

// "hitcount:          3  bytes_req:      96"
EventHistogram::Fields parse_sums(std::string_view text) {
  EventHistogram::Fields sums;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view name = trim(text.substr(0, colon));
    text = trim(text.substr(std::min(colon + 1, text.size())));
    const std::size_t end = std::min(text.find(' '), text.size());
    sums.emplace_back(name, text.substr(0, end));
    text.remove_prefix(end);
  }
  return sums;
}

}  // namespace

EventHistogram parse_event_histogram(std::string_view text) {
  EventHistogram histogram;
  std::vector<std::string> names;
  while (!text.empty()) {
    if (text.starts_with("{")) {
      const std::size_t close = end_of_keys(text);
      if (close == std::string_view::npos) break;
      EventHistogram::Row one{.keys = parse_keys(text.substr(1, close - 1), names), .sums = {}};
      text.remove_prefix(close + 1);
      one.sums = parse_sums(take_histogram_line(text));
      histogram.rows.push_back(std::move(one));
      continue;
    }
    const std::string_view line = trim(take_histogram_line(text));
    if (line.starts_with("# trigger info:")) names = names_of_keys(line);
    if (line.starts_with("Hits:")) histogram.hits = trim(line.substr(5));
    if (line.starts_with("Dropped:")) histogram.dropped = trim(line.substr(8));
  }
  return histogram;
}

void print_event_histogram(const EventHistogram& histogram, std::string_view event, Sink& out) {
  out.append(fmt::format("\n{}: {} in {}", event, counted(parse_number<u64>(histogram.hits).value_or(0), "hit"),
                         counted(histogram.rows.size(), "row")));
  if (!histogram.dropped.empty() && histogram.dropped != "0")
    out.append(fmt::format(", {} not counted: the histogram is full", histogram.dropped));
  out.append('\n');
  if (histogram.rows.empty()) return;
  std::vector<TextColumn> columns;
  for (const auto& [name, value] : histogram.rows.front().sums) columns.push_back({.title = name});
  for (const auto& [name, value] : histogram.rows.front().keys)
    columns.push_back({.title = name, .align = Align::Left});
  if (columns.empty()) return;
  columns.front().before = "";
  columns.back().ragged = true;
  TextTable table(std::move(columns));
  std::vector<std::vector<std::string>> rows;
  for (const EventHistogram::Row& row : histogram.rows) {
    auto& cells = rows.emplace_back();
    for (const auto* fields : {&row.sums, &row.keys})
      for (const auto& [name, value] : *fields) cells.push_back(printable(value));
    cells.resize(std::min(cells.size(), table.columns().size()));
    for (std::size_t i = 0; i < cells.size(); ++i) table.fit(i, cells[i]);
  }
  for (std::size_t i = 0; i < table.columns().size(); ++i) table.fit(i, table.columns()[i].title);
  table.titles(out);
  for (const auto& cells : rows) table.row(out, cells);
}

Result<> print_event_histograms(const TraceFolder& folder, std::span<const EventSetting> triggers, Sink& out) {
  for (const EventSetting& trigger : triggers) {
    if (!trigger.text.starts_with("hist:")) continue;
    std::string event = trigger.event;
    std::ranges::replace(event, ':', '/');
    const auto text = folder.read(fmt::format("events/{}/hist", event));
    if (!text) return std::unexpected(text.error());
    print_event_histogram(parse_event_histogram(*text), trigger.event, out);
  }
  return {};
}

}  // namespace peregrine
