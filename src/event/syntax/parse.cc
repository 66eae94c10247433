#include "event/syntax/parse.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/number/parse_number.h"
#include "base/text/text_cursor.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/syntax/event_adder.h"
#include "event/syntax/kernel_symbol.h"
#include "event/syntax/modifier.h"
#include "event/syntax_error.h"
#include "event/term.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Parses the syntax of -e. EventAdder gives the names their meaning.
class Parser : TextCursor {
 public:
  Parser(std::string_view words, EventSources& sources, EventList& list)
      : TextCursor(words), root_(sources.root()), sources_(sources), adder_(sources, list), list_(list) {}

  Parsed<void> parse_list() {
    for (;;) {
      if (auto done = parse_item(); !done) return done;
      skip_blanks();
      if (at_end()) return {};
      if (!take(',')) return wrong(at(), "parser error");
    }
  }

 private:
  // Parses an event, a group {a,b}, or a named group name{a,b} or name:{a,b}.
  Parsed<void> parse_item() {
    skip_blanks();
    if (auto done = parse_alternatives()) return *done;
    const std::size_t stop = std::min(text().find_first_of(",{}/", at()), text().size());
    if (stop == text().size() || text()[stop] != '{') return parse_event();
    std::string_view name = trim(text().substr(at(), stop - at()));
    if (name.ends_with(':')) name.remove_suffix(1);
    move_to(stop + 1);
    return parse_group(name);
  }

  Parsed<void> parse_group(std::string_view name) {
    const std::size_t open = at() - 1, first = list_.size();
    for (;;) {
      skip_blanks();
      if (auto done = parse_event(); !done) return done;
      skip_blanks();
      if (take('}')) break;
      if (!take(',')) return wrong(at_end() ? open : at(), at_end() ? "missing '}'" : "parser error");
    }
    join(first, name);
    if (!take(':')) return {};
    const std::size_t column = at();
    const auto modifiers = take_trimmed(",{}/");
    if (!valid_modifiers(modifiers)) return wrong(column, "Bad modifier", std::string(kModifierHint));
    for (std::size_t i = first; i < list_.size(); ++i)
      if (!apply_modifiers(modifiers, false, sources_.guest, list_[i], list_[i].leader == i))
        return wrong(column, "Bad modifier");
    return {};
  }

  // Makes the events in braces one group. If a name expands to one event per PMU, there is one group for each PMU,
  // because the kernel rejects groups that span hardware PMUs.
  void join(std::size_t first, std::string_view name) {
    const auto spread = [](const EventSpec& spec) { return spec.auto_merge || (spec.own_cpus && !spec.system_wide); };
    std::vector<std::string> pmus;
    for (std::size_t i = first; i < list_.size(); ++i)
      if (spread(list_[i]) && std::ranges::find(pmus, list_[i].pmu) == pmus.end()) pmus.push_back(list_[i].pmu);
    const auto place = [&](const EventSpec& spec) {
      const auto at = std::ranges::find(pmus, spec.pmu);
      return spread(spec) ? at - pmus.begin() : 0;
    };
    const auto begin = list_.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, list_.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    for (std::size_t i = first; i < list_.size(); ++i) {
      const bool leads = i == first || place(list_[i]) != place(list_[i - 1]);
      list_[i].leader = leads ? i : list_[i - 1].leader;
      if (leads) list_[i].group_name = name;
      list_[list_[i].leader].group_size = i - list_[i].leader + 1;
    }
  }

  // Parses "cycles:{k,u}", the event once with each modifier. A group's name may also end in ':', but no event's name
  // is a valid modifier.
  std::optional<Parsed<void>> parse_alternatives() {
    const std::size_t start = at(), open = text().find_first_of(",{}", at());
    if (open == std::string_view::npos || text()[open] != '{' || open == start || text()[open - 1] != ':') return {};
    const std::size_t close = text().find('}', open);
    if (close == std::string_view::npos) return {};
    std::vector<std::string_view> choices;
    for (auto rest = text().substr(open + 1, close - open - 1);;) {
      const auto comma = rest.find(',');
      choices.push_back(trim(rest.substr(0, comma)));
      if (choices.back().empty() || !valid_modifiers(choices.back())) return {};
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    move_to(close + 1);
    for (const auto choice : choices) {
      const std::string one = std::string(text().substr(start, open - start)) + std::string(choice);
      if (auto done = Parser(one, sources_, list_).parse_list(); !done) {
        done.error().column = start;
        return done;
      }
    }
    return Parsed<void>();
  }

  // Text up to one of `stops` or the end, trimmed.
  std::string_view take_trimmed(std::string_view stops) { return trim(take_until(stops)); }

  // The end of a term list: the next '/' outside of quotes.
  std::size_t find_close(std::size_t from) const {
    char quote = '\0';
    for (std::size_t i = from; i < text().size(); ++i) {
      const char c = text()[i];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if ((c == '\'' || c == '"') && text()[i - 1] == '=') {
        quote = c;
      } else if (c == '/') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  Parsed<Pieces> take_pieces() {
    Pieces pieces;
    const std::size_t start = pieces.column = at();
    const auto front = take_trimmed(",{}/");
    const auto colon = front.find(':');
    pieces.head = front.substr(0, colon);
    if (colon != std::string_view::npos) {
      pieces.has_tail = true;
      pieces.tail = front.substr(colon + 1);
      pieces.tail_column = start + colon + 1;
    }
    if (take('/')) {
      pieces.has_terms = true;
      pieces.terms_column = at();
      const auto close = find_close(at());
      if (close == std::string_view::npos) return wrong(at() - 1, "missing '/'");
      pieces.terms = take(close - at());
      take('/');
      pieces.suffix_column = at();
      pieces.suffix = take_trimmed(",{}/");
    }
    pieces.name = trim(text().substr(start, at() - start));
    return pieces;
  }

  Parsed<void> parse_event() {
    if (auto done = parse_alternatives()) return *done;
    if (next_is("mem:")) return parse_breakpoint();
    auto pieces = take_pieces();
    if (!pieces) return std::unexpected(std::move(pieces.error()));
    if (pieces->head.empty()) return wrong(pieces->column, "parser error");
    return adder_.add(*pieces);
  }

  // mem:ADDR[/LEN][:access][:modifiers]
  Parsed<void> parse_breakpoint() {
    const std::size_t start = at();
    take("mem:");
    EventSpec spec = adder_.new_spec(static_cast<u32>(abi::EventType::Breakpoint), 0);
    const std::size_t address_column = at();
    const auto place = take_trimmed(",{}/:");
    auto address = to_number(place);
    if (!address) {
      if (place.empty()) return wrong(address_column, "expected an address");
      if (const auto named = parse_named_place(place); !named) return wrong(address_column, named.error().message);
      spec.symbol = place;
      address =
          kernel_symbol_address(root_, place).value_or(0);  // else in a program: capture/perf_event/breakpoint_symbol.h
    }
    spec.attr.config1 = *address;
    spec.attr.sample_period = 1;
    // linux-perf's name for the event is its text up to the length.
    std::size_t name_end = text().find_first_of(",{}/", start);
    std::optional<u64> length;
    if (take('/')) {
      const std::size_t column = at();
      length = to_number(take_trimmed(",{}/:"));
      if (!length) return wrong(column, "parser error");
    }
    std::string_view access;
    if (take(':')) {
      const std::size_t column = at();
      access = take_trimmed(",{}/:");
      const bool is_access = !access.empty() && access.find_first_not_of("rwx") == std::string_view::npos;
      if (!is_access) {
        move_to(column - 1);
        access = {};
      } else if (!set_access(access, spec.attr)) {
        return wrong(column, "access is one of r w x, each once");
      }
    }
    if (spec.attr.bp_type == 0) spec.attr.bp_type = 3;
    spec.attr.config2 = length && *length != 0 ? *length : spec.attr.bp_type == 4 ? sizeof(long) : 4;
    if (take(':')) {
      const std::size_t column = at();
      if (auto done = adder_.apply_suffix(take_trimmed(",{}/"), column, spec); !done) return done;
    }
    if (peek() == '/') return wrong(at(), "parser error");
    spec.name = trim(text().substr(start, std::min(name_end, text().size()) - start));
    adder_.push(std::move(spec));
    return {};
  }

  static bool set_access(std::string_view access, abi::EventAttr& attr) {
    for (const char c : access) {
      const u32 bit = c == 'r' ? 1 : c == 'w' ? 2 : 4;
      if (attr.bp_type & bit) return false;
      attr.bp_type |= bit;
    }
    return true;
  }

  const Root& root_;
  EventSources& sources_;
  EventAdder adder_;
  EventList& list_;
};

}  // namespace

Result<> parse_events(std::string_view words, EventSources& sources, EventList& list) {
  const std::size_t before = list.size();
  if (auto done = Parser(words, sources, list).parse_list(); !done) {
    list.resize(before);
    return std::unexpected(format_syntax_error(words, done.error()));
  }
  return {};
}

}  // namespace peregrine
