#include "event/syntax/parse.h"

#include <algorithm>

#include "event/syntax/event_adder.h"
#include "event/syntax/kernel_symbol.h"
#include "event/syntax/modifier.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// The syntax of -e words. What an event's name means is EventAdder's.
class Parser {
 public:
  Parser(std::string_view words, EventSources& sources, EventList& list)
      : words_(words), root_(sources.root()), sources_(sources), adder_(sources, list), list_(list) {}

  Parsed<void> parse_list() {
    for (;;) {
      if (auto done = parse_item(); !done) return done;
      skip_blanks();
      if (at_ == words_.size()) return {};
      if (words_[at_] != ',') return wrong(at_, "parser error");
      ++at_;
    }
  }

 private:
  void skip_blanks() {
    while (at_ < words_.size() && (words_[at_] == ' ' || words_[at_] == '\t' || words_[at_] == '\n')) ++at_;
  }
  char peek() const { return at_ < words_.size() ? words_[at_] : '\0'; }

  // An event, a group {a,b}, or a named group name{a,b} or name:{a,b}.
  Parsed<void> parse_item() {
    skip_blanks();
    if (auto done = parse_alternatives()) return *done;
    const std::size_t stop = std::min(words_.find_first_of(",{}/", at_), words_.size());
    if (stop == words_.size() || words_[stop] != '{') return parse_event();
    std::string_view name = trim(words_.substr(at_, stop - at_));
    if (name.ends_with(':')) name.remove_suffix(1);
    at_ = stop + 1;
    return parse_group(name);
  }

  Parsed<void> parse_group(std::string_view name) {
    const std::size_t open = at_ - 1, first = list_.size();
    for (;;) {
      skip_blanks();
      if (auto done = parse_event(); !done) return done;
      skip_blanks();
      if (peek() == '}') break;
      if (peek() != ',')
        return wrong(at_ == words_.size() ? open : at_, at_ == words_.size() ? "no closing '}'" : "parser error");
      ++at_;
    }
    ++at_;
    join(first, name);
    if (peek() != ':') return {};
    const std::size_t column = ++at_;
    const auto modifiers = take_word(",{}/");
    if (!valid_modifiers(modifiers)) return wrong(column, "Bad modifier", std::string(kModifierHint));
    for (std::size_t i = first; i < list_.size(); ++i)
      if (!apply_modifiers(modifiers, false, sources_.guest, list_[i], list_[i].leader == i))
        return wrong(column, "Bad modifier");
    return {};
  }

  // What the braces hold is one group; words that mean one event for each PMU of several make a group for each PMU.
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

  // "cycles:{k,u}": the event once with each of the modifiers. A group's name may end in ':' too, but no event is
  // called like a modifier.
  std::optional<Parsed<void>> parse_alternatives() {
    const std::size_t start = at_, open = words_.find_first_of(",{}", at_);
    if (open == std::string_view::npos || words_[open] != '{' || open == start || words_[open - 1] != ':') return {};
    const std::size_t close = words_.find('}', open);
    if (close == std::string_view::npos) return {};
    std::vector<std::string_view> choices;
    for (auto rest = words_.substr(open + 1, close - open - 1);;) {
      const auto comma = rest.find(',');
      choices.push_back(trim(rest.substr(0, comma)));
      if (choices.back().empty() || !valid_modifiers(choices.back())) return {};
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    at_ = close + 1;
    for (const auto choice : choices) {
      const std::string one = std::string(words_.substr(start, open - start)) + std::string(choice);
      if (auto done = Parser(one, sources_, list_).parse_list(); !done) {
        done.error().column = start;
        return done;
      }
    }
    return Parsed<void>();
  }

  // Text up to one of `stops` or the end, without blanks at its end.
  std::string_view take_word(std::string_view stops) {
    const std::size_t end = std::min(words_.find_first_of(stops, at_), words_.size());
    const auto word = words_.substr(at_, end - at_);
    at_ = end;
    return trim(word);
  }

  // The end of a term list: the next '/' that is in no quotes.
  std::size_t find_close(std::size_t from) const {
    char quote = '\0';
    for (std::size_t i = from; i < words_.size(); ++i) {
      const char c = words_[i];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if ((c == '\'' || c == '"') && words_[i - 1] == '=') {
        quote = c;
      } else if (c == '/') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  Parsed<Pieces> take_pieces() {
    Pieces pieces;
    const std::size_t start = pieces.column = at_;
    const auto front = take_word(",{}/");
    const auto colon = front.find(':');
    pieces.head = front.substr(0, colon);
    if (colon != std::string_view::npos) {
      pieces.has_tail = true;
      pieces.tail = front.substr(colon + 1);
      pieces.tail_column = start + colon + 1;
    }
    if (peek() == '/') {
      pieces.has_terms = true;
      pieces.terms_column = ++at_;
      const auto close = find_close(at_);
      if (close == std::string_view::npos) return wrong(at_ - 1, "no closing '/'");
      pieces.terms = words_.substr(at_, close - at_);
      pieces.suffix_column = at_ = close + 1;
      pieces.suffix = take_word(",{}/");
    }
    pieces.name = trim(words_.substr(start, at_ - start));
    return pieces;
  }

  Parsed<void> parse_event() {
    if (auto done = parse_alternatives()) return *done;
    if (words_.substr(at_).starts_with("mem:")) return parse_breakpoint();
    auto pieces = take_pieces();
    if (!pieces) return std::unexpected(std::move(pieces.error()));
    if (pieces->head.empty()) return wrong(pieces->column, "parser error");
    return adder_.add(*pieces);
  }

  // mem:ADDR[/LEN][:access][:modifiers]
  Parsed<void> parse_breakpoint() {
    const std::size_t start = at_;
    at_ += 4;
    EventSpec spec = adder_.new_spec(static_cast<u32>(abi::EventType::Breakpoint), 0);
    const std::size_t address_column = at_;
    const auto place = take_word(",{}/:");
    auto address = to_number(place);
    if (!address) {
      if (place.empty()) return wrong(address_column, "expected an address");
      if (const auto named = parse_named_place(place); !named) return wrong(address_column, named.error().message);
      spec.symbol = place;
      address =
          kernel_symbol_address(root_, place).value_or(0);  // else of a program: capture/perf_event/breakpoint_symbol.h
    }
    spec.attr.config1 = *address;
    spec.attr.sample_period = 1;
    // linux-perf names the event by its text up to the length.
    std::size_t name_end = words_.find_first_of(",{}/", start);
    std::optional<u64> length;
    if (peek() == '/') {
      const std::size_t column = ++at_;
      length = to_number(take_word(",{}/:"));
      if (!length) return wrong(column, "parser error");
    }
    std::string_view access;
    if (peek() == ':') {
      const std::size_t column = ++at_;
      access = take_word(",{}/:");
      const bool is_access = !access.empty() && access.find_first_not_of("rwx") == std::string_view::npos;
      if (!is_access) {
        at_ = column - 1;
        access = {};
      } else if (!set_access(access, spec.attr)) {
        return wrong(column, "access is one of r w x, each once");
      }
    }
    if (spec.attr.bp_type == 0) spec.attr.bp_type = 3;
    spec.attr.config2 = length && *length != 0 ? *length : spec.attr.bp_type == 4 ? sizeof(long) : 4;
    if (peek() == ':') {
      const std::size_t column = ++at_;
      if (auto done = adder_.apply_suffix(take_word(",{}/"), column, spec); !done) return done;
    }
    if (peek() == '/') return wrong(at_, "parser error");
    spec.name = trim(words_.substr(start, std::min(name_end, words_.size()) - start));
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

  std::string_view words_;
  const Root& root_;
  EventSources& sources_;
  EventAdder adder_;
  EventList& list_;
  std::size_t at_ = 0;
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
