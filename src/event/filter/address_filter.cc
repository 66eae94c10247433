#include "event/filter/address_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <optional>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/ascii.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/filter/filter_scanner.h"
#include "event/syntax_error.h"

namespace peregrine {
namespace {

struct Action {
  std::string_view name, kernel_name;
  bool region;  // has an end address
};
constexpr Action kActions[] = {{"filter", "filter", true},
                               {"start", "start", false},
                               {"stop", "stop", false},
                               {"tracestop", "stop", true}};  // the kernel distinguishes it from stop by its size

const Action* action_of(std::string_view word) {
  const auto found = std::ranges::find(kActions, word, &Action::name);
  return found == std::end(kActions) ? nullptr : &*found;
}

// A number, a symbol still to be looked up, or everything.
struct Place {
  std::size_t column = 0;
  std::optional<u64> number;
  std::string_view symbol;
  std::optional<u64> which;  // number among symbols of that name, from 1; 0: the global one
  bool whole() const { return symbol == "*" && !which; }
};

class AddressFilterParser : FilterScanner {
 public:
  AddressFilterParser(std::string_view text, CodeSymbols& symbols) : FilterScanner(text), symbols_(symbols) {}

  Parsed<AddressFilters> run() {
    skip_blanks();
    if (at_end()) return wrong(0, "empty filter");
    while (!at_end()) {
      if (auto done = one(); !done) return std::unexpected(std::move(done.error()));
      while (take_token(",")) continue;
    }
    return std::move(filters_);
  }

 private:
  Parsed<void> one() {
    const std::size_t column = at();
    const Action* action = action_of(see_word());
    if (action == nullptr) return wrong(column, "expected an action", "must be one of filter, start, stop, tracestop");
    take_token(action->name);
    auto from = place();
    if (!from) return std::unexpected(std::move(from.error()));
    std::optional<Place> to;
    if (const std::size_t slash = at(); take_token("/")) {
      if (!action->region) return wrong(slash, fmt::format("'{}' takes a single address, not a region", action->name));
      auto end = place();
      if (!end) return std::unexpected(std::move(end.error()));
      to = *end;
    }
    auto file = this->file();
    if (!file) return std::unexpected(std::move(file.error()));
    auto text = region(*action, *from, to, *file);
    if (!text) return std::unexpected(std::move(text.error()));
    filters_.text += (filters_.count == 0 ? "" : ",") + *text;
    ++filters_.count;
    return {};
  }

  Parsed<Place> place() {
    Place place{.column = at(), .number = {}, .symbol = {}, .which = {}};
    if (at_end()) return wrong(at(), "expected an address or a symbol");
    if (is_digit(peek())) {
      const auto digits = see_word();
      place.number = to_number(digits);
      if (!place.number) return wrong(at(), fmt::format("'{}' is not a number", digits));
      take_token(digits);
      return place;
    }
    place.symbol = take_while([](char c) { return !is_blank(c); });
    skip_blanks();
    if (!next_is("#")) return place;
    const std::size_t column = at();
    take('#');
    const auto word = see_word();
    place.which = word == "g" || word == "G" ? 0 : to_number(word);
    if (!place.which) return wrong(column, "expected a number, or g (the global symbol), after '#'");
    take_token(word);
    return place;
  }

  // The file after '@', or "" for the kernel.
  Parsed<std::string> file() {
    if (!take_token("@")) return std::string();
    const std::size_t column = at();
    const std::string_view name = take_while([](char c) { return !is_blank(c) && c != ','; });
    if (name.empty()) return wrong(column, "expected a file name after '@'");
    auto place = symbols_.place_of(name);
    skip_blanks();
    if (!place) return wrong(column, std::move(place.error().message), std::move(place.error().hint));
    return std::move(*place);
  }

  Parsed<std::string> region(const Action& action, const Place& from, const std::optional<Place>& to,
                             const std::string& file) {
    auto start = resolve(from, file);
    if (!start) return std::unexpected(std::move(start.error()));
    u64 size = start->end - start->start;
    if (to && to->number) {
      size = *to->number;
    } else if (to) {
      auto end = resolve(*to, file);
      if (!end) return std::unexpected(std::move(end.error()));
      if (end->end <= start->start) return wrong(to->column, fmt::format("'{}' is before the start", to->symbol));
      size = end->end - start->start;
    }
    const std::string at = file.empty() ? "" : "@" + file;
    if (!action.region) return fmt::format("{} {:#x}{}", action.kernel_name, start->start, at);
    if (size == 0) return wrong(from.column, "unknown region size", "add it after the start: / BYTES");
    return fmt::format("{} {:#x}/{:#x}{}", action.kernel_name, start->start, size, at);
  }

  Parsed<Symbol> resolve(const Place& place, const std::string& file) {
    if (place.number) {
      Symbol symbol;
      symbol.start = symbol.end = *place.number;
      return symbol;
    }
    if (place.whole()) {
      auto all = symbols_.whole(file);
      if (!all) return wrong(place.column, std::move(all.error().message), std::move(all.error().hint));
      return std::move(*all);
    }
    auto found = symbols_.named(file, place.symbol);
    if (!found) return wrong(place.column, std::move(found.error().message), std::move(found.error().hint));
    if (found->empty()) return unknown(place, file);
    return chosen(place, std::move(*found));
  }

  static std::unexpected<SyntaxError> unknown(const Place& place, const std::string& file) {
    std::string hint;
    if (place.symbol.find_first_of("/@#,") != place.symbol.npos)
      hint = "put spaces around symbols: filter main @ FILE";
    else if (file.empty())
      hint = "for a symbol of a program, add its file: " + std::string(place.symbol) + " @ FILE";
    return wrong(place.column,
                 fmt::format("{} no symbol '{}'", file.empty() ? "the kernel has" : "this file has", place.symbol),
                 std::move(hint));
  }

  static Parsed<Symbol> chosen(const Place& place, std::vector<Symbol> found) {
    if (place.which == 0u)
      std::erase_if(found, [](const Symbol& each) { return each.binding != SymbolBinding::Global; });
    if (found.empty()) return wrong(place.column, fmt::format("no global symbol '{}'", place.symbol));
    if (place.which && *place.which > found.size())
      return wrong(place.column, fmt::format("{} symbols are named '{}'", found.size(), place.symbol));
    if (place.which.value_or(0) > 0) return std::move(found[*place.which - 1]);
    if (found.size() == 1) return std::move(found.front());
    SyntaxError error{place.column, fmt::format("{} symbols are named '{}'", found.size(), place.symbol), {}, {}};
    constexpr std::size_t kShown = 20;
    for (std::size_t i = 0; i < std::min(found.size(), kShown); ++i)
      error.details +=
          fmt::format("{}#{}  {:#x}, {} bytes{}", i == 0 ? "" : "\n", i + 1, found[i].start,
                      found[i].end - found[i].start, found[i].binding == SymbolBinding::Global ? ", global" : "");
    error.hint = fmt::format("select one: {} #1, or {} #g for the global symbol", place.symbol, place.symbol);
    return std::unexpected(std::move(error));
  }

  CodeSymbols& symbols_;
  AddressFilters filters_;
};

}  // namespace

Parsed<AddressFilters> address_filters(std::string_view text, CodeSymbols& symbols) {
  return AddressFilterParser(text, symbols).run();
}

bool looks_like_address_filter(std::string_view text) {
  text = trim(text);
  const auto blank = text.find_first_of(" \t\n");
  return blank != text.npos && action_of(text.substr(0, blank)) != nullptr;
}

}  // namespace peregrine
