#include "event/parse.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/nearest.h"
#include "event/generic_event.h"
#include "event/modifier.h"
#include "event/name.h"
#include "event/pmu_event.h"
#include "event/term.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::string_view kModifierHint = "modifiers are u k h (modes), p pp ppp P (precise), G H I S D W e b";

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }
bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::unexpected<SyntaxError> wrong(std::size_t column, std::string what, std::string hint = {}) {
  return std::unexpected(SyntaxError{column, std::move(what), {}, std::move(hint)});
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates, std::string_view before = "") {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  auto near = nearest(word, views);
  if (!near) {
    std::string lower(word);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    near = nearest(lower, views);
  }
  return near ? fmt::format("did you mean '{}{}'?", before, *near) : std::string();
}

// The pieces of one event's text: HEAD[:tail]['/' terms '/' suffix].
struct Pieces {
  std::string_view head;      // up to the first ':' or the '/'
  std::string_view tail;      // after that ':', up to the '/' or the end
  std::string_view terms;     // between the slashes
  std::string_view suffix;    // modifiers behind the slashes
  bool has_tail = false, has_terms = false;
  std::size_t column = 0;     // of head
  std::size_t tail_column = 0, terms_column = 0, suffix_column = 0;
  std::string name;           // what linux-perf calls the event when nothing else names it
};

class Parser {
 public:
  Parser(std::string_view words, EventSources& sources, EventList& list)
      : words_(words), sources_(sources), list_(list) {}

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
      if (peek() != ',') return wrong(at_ == words_.size() ? open : at_, at_ == words_.size() ? "no closing '}'" : "parser error");
      ++at_;
    }
    ++at_;
    for (std::size_t i = first; i < list_.size(); ++i) list_[i].leader = first;
    list_[first].group_size = list_.size() - first;
    list_[first].group_name = name;
    if (peek() != ':') return {};
    const std::size_t column = ++at_;
    const auto modifiers = take_word(",{}/");
    if (!valid_modifiers(modifiers)) return wrong(column, "Bad modifier", std::string(kModifierHint));
    for (std::size_t i = first; i < list_.size(); ++i)
      if (!apply_modifiers(modifiers, false, sources_.guest, list_[i], i == first)) return wrong(column, "Bad modifier");
    return {};
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
    if (words_.substr(at_).starts_with("mem:")) return parse_breakpoint();
    auto pieces = take_pieces();
    if (!pieces) return std::unexpected(std::move(pieces.error()));
    if (pieces->head.empty()) return wrong(pieces->column, "parser error");
    if (const GenericEvent* generic = find_generic_event(pieces->head)) return add_generic(*generic, *pieces);
    if (const auto config = parse_cache_event(pieces->head)) return add_cache(*config, *pieces);
    if (const auto raw = raw_config(*pieces)) return add_numbered(4, *raw, pieces->tail, pieces->tail_column, *pieces);
    if (const auto type = to_number(pieces->head); type && pieces->has_tail) return parse_numbered(*type, *pieces);
    if (pieces->has_tail) return add_tracepoints(*pieces);
    if (pieces->has_terms) return add_pmu_events(*pieces);
    return add_alias(*pieces);
  }

  // rNNN, unless a PMU has an event of that name.
  std::optional<u64> raw_config(const Pieces& pieces) {
    if (pieces.head.size() < 2 || pieces.head[0] != 'r') return std::nullopt;
    const auto digits = pieces.head.substr(1);
    return to_number((digits.starts_with("0x") ? "" : "0x") + std::string(digits));
  }

  abi::EventAttr new_attr(u32 type, u64 config) const {
    abi::EventAttr attr;
    attr.type = type;
    attr.config = config;
    attr.set(abi::attr_flag::ExcludeGuest, !sources_.guest);
    attr.set(abi::attr_flag::ExcludeHost, !sources_.host);
    return attr;
  }

  EventSpec new_spec(u32 type, u64 config) const {
    EventSpec spec;
    spec.attr = new_attr(type, config);
    return spec;
  }

  void push(EventSpec spec) {
    spec.leader = list_.size();
    list_.push_back(std::move(spec));
  }

  Parsed<void> apply_terms(const Pieces& pieces, EventSpec& spec) {
    if (!pieces.has_terms) return {};
    const auto terms = split_terms(pieces.terms, pieces.terms_column);
    if (!terms) return std::unexpected(terms.error());
    for (const auto& term : *terms) {
      const bool known = spec.is_tracepoint() ? tracepoint_takes(term.key) : is_general_term(term.key);
      if (!known) {
        SyntaxError error{term.column, "unknown term"};
        const std::string names = spec.is_tracepoint() ? "call-graph,stack-size,max-stack,nr,inherit,no-inherit,overwrite"
                                                       : general_term_names();
        error.details = "valid terms: " + names + "\n";
        return std::unexpected(std::move(error));
      }
      if (auto done = apply_general_term(term, spec); !done) return done;
    }
    return {};
  }

  Parsed<void> apply_suffix(std::string_view modifiers, std::size_t column, EventSpec& spec) {
    if (modifiers.empty()) return {};
    if (!valid_modifiers(modifiers)) return wrong(column, "Bad modifier", std::string(kModifierHint));
    apply_modifiers(modifiers, true, sources_.guest, spec, true);
    return {};
  }

  // Modifiers stand behind ':' in an event without terms, and behind the last slash in one with terms.
  Parsed<void> finish(EventSpec& spec, std::string_view tail, std::size_t tail_column, const Pieces& pieces) {
    if (pieces.has_terms && !tail.empty()) return wrong(tail_column, "modifiers belong behind the last '/'");
    if (auto done = apply_terms(pieces, spec); !done) return done;
    if (auto done = apply_suffix(tail, tail_column, spec); !done) return done;
    return apply_suffix(pieces.suffix, pieces.suffix_column, spec);
  }

  Parsed<void> add_generic(const GenericEvent& generic, const Pieces& pieces) {
    EventSpec spec = new_spec(static_cast<u32>(generic.type), generic.config);
    spec.tool = generic.tool;
    if (generic.tool != ToolEvent::None) spec.unit = "ns";
    if (generic.type == abi::EventType::Software && generic.tool == ToolEvent::None) {
      if (generic.config <= static_cast<u64>(abi::SoftwareEvent::TaskClock)) {
        spec.unit = "msec";
        spec.scale = 1e-6;
      }
      if (generic.config == static_cast<u64>(abi::SoftwareEvent::BpfOutput)) {
        spec.attr.sample_period = 1;
        spec.attr.sample_type |= abi::sample_bit::Raw | abi::sample_bit::Time | abi::sample_bit::Cpu | abi::sample_bit::Period;
      }
    }
    if (auto done = finish(spec, pieces.tail, pieces.tail_column, pieces); !done) return done;
    if (spec.name.empty()) spec.name = pieces.name;
    push(std::move(spec));
    return {};
  }

  Parsed<void> add_cache(u64 config, const Pieces& pieces) {
    EventSpec spec = new_spec(static_cast<u32>(abi::EventType::HwCache), config);
    if (auto done = finish(spec, pieces.tail, pieces.tail_column, pieces); !done) return done;
    if (spec.name.empty()) spec.name = pieces.head;
    push(std::move(spec));
    return {};
  }

  Parsed<void> add_numbered(u32 type, u64 config, std::string_view modifiers, std::size_t column, const Pieces& pieces) {
    EventSpec spec = new_spec(type, config);
    if (auto done = finish(spec, modifiers, column, pieces); !done) return done;
    if (spec.name.empty()) spec.name = pieces.name;
    push(std::move(spec));
    return {};
  }

  Parsed<void> parse_numbered(u64 type, const Pieces& pieces) {
    const auto colon = std::min(pieces.tail.find(':'), pieces.tail.size());
    const auto config = to_number(pieces.tail.substr(0, colon));
    if (!config || type > 0xffffffff) return wrong(pieces.tail_column, "parser error");
    const auto modifiers = pieces.tail.substr(std::min(colon + 1, pieces.tail.size()));
    return add_numbered(static_cast<u32>(type), *config, modifiers, pieces.tail_column + colon + 1, pieces);
  }

  // mem:ADDR[/LEN][:access][:modifiers]
  Parsed<void> parse_breakpoint() {
    const std::size_t start = at_;
    at_ += 4;
    EventSpec spec = new_spec(static_cast<u32>(abi::EventType::Breakpoint), 0);
    const std::size_t address_column = at_;
    const auto address = to_number(take_word(",{}/:"));
    if (!address) return wrong(address_column, "expected an address");
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
    spec.attr.config2 = length ? *length : spec.attr.bp_type == 4 ? sizeof(long) : 4;
    if (peek() == ':') {
      const std::size_t column = ++at_;
      if (auto done = apply_suffix(take_word(",{}/"), column, spec); !done) return done;
    }
    if (peek() == '/') return wrong(at_, "parser error");
    spec.name = trim(words_.substr(start, std::min(name_end, words_.size()) - start));
    push(std::move(spec));
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

  Parsed<void> add_tracepoints(const Pieces& pieces) {
    const auto colon = std::min(pieces.tail.find(':'), pieces.tail.size());
    const std::string system(pieces.head), event(pieces.tail.substr(0, colon));
    const auto modifiers = pieces.tail.substr(std::min(colon + 1, pieces.tail.size()));
    const auto tracefs = sources_.tracefs();
    if (!tracefs) {
      SyntaxError error{pieces.column, tracefs.error().kind == ErrorKind::Denied ? "can't access trace events" : "unknown tracepoint"};
      error.details = "Error:\t" + tracefs.error().message;
      error.hint = tracefs.error().hint;
      return std::unexpected(std::move(error));
    }
    const std::size_t before = list_.size();
    for (const auto& each : is_glob(system) ? (*tracefs)->systems() : std::vector{system}) {
      if (is_glob(system) && !matches(system, each)) continue;
      for (const auto& name : is_glob(event) ? (*tracefs)->events(each) : std::vector{event}) {
        if (is_glob(event) && !matches(event, name)) continue;
        const auto id = (*tracefs)->id(each, name);
        if (!id && (is_glob(system) || is_glob(event))) continue;
        if (!id) return std::unexpected(unknown_tracepoint(**tracefs, system, event, pieces.column, id.error()));
        auto done = add_tracepoint(each, name, *id, modifiers, pieces.tail_column + colon + 1, pieces);
        if (!done) return done;
      }
    }
    if (list_.size() == before) return std::unexpected(unknown_tracepoint(**tracefs, system, event, pieces.column, {}));
    return {};
  }

  Parsed<void> add_tracepoint(const std::string& system, const std::string& event, u64 id, std::string_view modifiers,
                              std::size_t column, const Pieces& pieces) {
    EventSpec spec = new_spec(static_cast<u32>(abi::EventType::Tracepoint), id);
    spec.system = system;
    spec.tracepoint = event;
    spec.name = system + ':' + event;
    spec.attr.sample_period = 1;
    spec.attr.sample_type = abi::sample_bit::Raw | abi::sample_bit::Time | abi::sample_bit::Cpu | abi::sample_bit::Period;
    if (auto done = finish(spec, modifiers, column, pieces); !done) return done;
    push(std::move(spec));
    return {};
  }

  SyntaxError unknown_tracepoint(const Tracefs& tracefs, const std::string& system, const std::string& event,
                                 std::size_t column, const Error& cause) {
    if (cause.kind == ErrorKind::Denied) {
      SyntaxError error{column, "can't access trace events"};
      error.details = fmt::format("Error:\tNo permissions to read {}/{}/{}", tracefs.events_path(), system, event);
      error.hint = fmt::format("Try 'sudo mount -o remount,mode=755 {}'", tracefs.mount());
      return error;
    }
    SyntaxError error{column, "unknown tracepoint"};
    error.details = fmt::format("Error:\tFile {}/{}/{} not found.\n", tracefs.events_path(), system, event);
    auto events = tracefs.events(system);
    if (!events.empty()) {
      std::sort(events.begin(), events.end());
      error.hint = did_you_mean(event, events, system + ':');
    } else {
      auto systems = tracefs.systems();
      std::sort(systems.begin(), systems.end());
      error.hint = did_you_mean(system, systems);
      if (error.hint.empty()) error.hint = did_you_mean(system, generic_names());
    }
    if (error.hint.empty()) error.hint = "Perhaps this kernel misses some CONFIG_ setting to enable this feature?";
    return error;
  }

  Parsed<void> add_pmu_events(const Pieces& pieces) {
    const auto pmus = matching_pmus(sources_, pieces.head);
    if (pmus.empty()) {
      std::vector<std::string> names = generic_names();
      for (const auto& pmu : sources_.pmus()) names.push_back(pmu.name);
      return wrong(pieces.column, fmt::format("Cannot find PMU `{}'. Missing kernel support?", pieces.head),
                   did_you_mean(pieces.head, names));
    }
    const auto terms = split_terms(pieces.terms, pieces.terms_column);
    if (!terms) return std::unexpected(terms.error());
    for (const Pmu* pmu : pmus)
      if (auto done = add_pmu_event(*pmu, *terms, pmu->name != pieces.head, pieces); !done) return done;
    return {};
  }

  Parsed<void> add_pmu_event(const Pmu& pmu, const std::vector<Term>& terms, bool merge, const Pieces& pieces) {
    EventSpec spec = new_spec(pmu.type, 0);
    if (auto done = apply_pmu_terms(pmu, terms, spec); !done) return done;
    if (auto done = apply_suffix(pieces.suffix, pieces.suffix_column, spec); !done) return done;
    spec.auto_merge = merge;
    if (spec.name.empty()) spec.name = pieces.name;
    push(std::move(spec));
    return {};
  }

  // A bare name from events/ of one or more PMUs.
  Parsed<void> add_alias(const Pieces& pieces) {
    bool found = false;
    Term term;
    term.key = pieces.head;
    term.column = term.value_column = pieces.column;
    for (const auto& pmu : sources_.pmus()) {
      if (pmu.event(term.key) == nullptr) continue;
      found = true;
      if (auto done = add_pmu_event(pmu, {term}, true, pieces); !done) return done;
    }
    if (found) return {};
    return wrong(pieces.column, "unknown event", did_you_mean(pieces.head, all_names()));
  }

  static std::vector<std::string> generic_names() {
    std::vector<std::string> names;
    for (const auto table : {hardware_events(), software_events(), tool_events()})
      for (const auto& event : table) {
        names.emplace_back(event.name);
        if (!event.alias.empty()) names.emplace_back(event.alias);
      }
    return names;
  }

  std::vector<std::string> all_names() {
    auto names = generic_names();
    for (unsigned cache = 0; cache < kCacheCount; ++cache)
      for (unsigned operation = 0; operation < kCacheOperationCount; ++operation)
        for (unsigned result = 0; result < kCacheResultCount; ++result)
          if (auto name = cache_name(cache | operation << 8 | result << 16); !name.empty()) names.push_back(std::move(name));
    for (const auto& pmu : sources_.pmus())
      for (const auto& event : pmu.events) names.push_back(event.name);
    return names;
  }

  std::string_view words_;
  EventSources& sources_;
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
