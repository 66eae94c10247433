#include "analysis/annotate/listing_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"

namespace peregrine {

namespace {

constexpr u32 kContext = 5;  // lines shown before the line that the code belongs to

// Expands tabs to columns of eight.
std::string with_blanks(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (c != '\t')
      text += c;
    else
      text.append(8 - text.size() % 8, ' ');
  }
  return text;
}

// How far one source file has been shown.
struct Shown {
  u32 last = 0;      // the last line that code belonged to
  u32 furthest = 0;  // the highest line shown
};

void append_rows(std::vector<SourceRow>& rows, const std::vector<std::string>& text, u32 line, Shown& shown) {
  u32 first = line > kContext ? line - kContext : 1;
  if (shown.furthest >= first) first = shown.furthest < line ? shown.furthest + 1 : line;
  for (u32 number = first; number <= line && number <= text.size(); ++number)
    rows.push_back({number, with_blanks(text[number - 1])});
  shown.furthest = std::max(shown.furthest, line);
}

class DwarfPlaces : public PlaceNames {
 public:
  explicit DwarfPlaces(const SourceLines& lines) : lines_(lines) {}
  Place find(u64 address) override {
    const SourceLine line = lines_.find(address);
    if (!line || line.line == 0) return {};
    return {lines_.file_path(line.file), line.line};
  }

 private:
  const SourceLines& lines_;
};

}  // namespace

void add_source(Listing& listing, PlaceNames& places, SourceTexts* texts) {
  std::unordered_map<std::string, Shown> shown;
  for (ListingLine& line : listing.lines) {
    const PlaceNames::Place place = places.find(line.code.address);
    if (place.path.empty()) continue;
    line.place = fmt::format("{}:{}", place.path, place.line);
    if (texts == nullptr) continue;
    Shown& file = shown[std::string(place.path)];
    if (file.last == place.line) continue;
    file.last = place.line;
    if (const std::vector<std::string>* text = texts->find(place.path))
      append_rows(line.source, *text, place.line, file);
    else
      line.source.push_back({0, line.place});
  }
}

ListingSources::ListingSources(const Machine& machine, SourcePlaces places)
    : machine_(machine), places_(places), texts_(std::move(places), machine.dsos().places().search.failures) {}
ListingSources::~ListingSources() = default;

void ListingSources::add(Listing& listing, DsoId dso, bool with_text) {
  const auto [at, fresh] = lines_.try_emplace(dso.value);
  if (fresh) {
    const std::string path = places_.symfs + machine_.dsos().places().search.below(machine_.dsos().at(dso).path);
    if (auto file = machine_.dsos().open_debug(dso))
      if (auto lines = SourceLines::open(
              std::move(*file),
              {.dso_path = path, .symfs = places_.symfs, .failures = machine_.dsos().places().search.failures}))
        at->second = std::move(*lines);
  }
  if (!at->second) return;
  DwarfPlaces places(*at->second);
  add_source(listing, places, with_text ? &texts_ : nullptr);
}

}  // namespace peregrine
