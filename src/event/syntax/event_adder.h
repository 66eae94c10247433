// EventAdder: turns one event's text, already split into pieces, into events at the end of a list.
//
// The -e parser (parse.cc) knows the syntax; this class resolves the meaning: generic names, cache events, raw and
// numbered events, tracepoints and PMUs.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "event/kind/generic_event.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax_error.h"
#include "event/term.h"
#include "sys/hardware/pmu.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {

// The pieces of one event's text: HEAD[:tail]['/' terms '/' suffix].
struct Pieces {
  std::string_view head;    // up to the first ':' or the '/'
  std::string_view tail;    // after that ':', up to the '/' or the end
  std::string_view terms;   // between the slashes
  std::string_view suffix;  // modifiers after the slashes
  bool has_tail = false, has_terms = false;
  std::size_t column = 0;  // of head
  std::size_t tail_column = 0, terms_column = 0, suffix_column = 0;
  std::string name;  // linux-perf's name for the event if it has no other
};

class EventAdder {
 public:
  EventAdder(EventSources& sources, EventList& list) : sources_(sources), list_(list) {}

  // Adds all events of the pieces: one, or as many as a glob or a PMU's name matches.
  Parsed<void> add(const Pieces& pieces);

  // For events of another syntax (breakpoints): an event with the exclude bits of the sources, its modifiers, and its
  // place in the list.
  EventSpec new_spec(u32 type, u64 config) const;
  Parsed<void> apply_suffix(std::string_view modifiers, std::size_t column, EventSpec& spec);
  void push(EventSpec spec);

 private:
  Parsed<void> add_words(const Pieces& pieces);
  // Adds a generic event once per kind of core.
  void push_on_cores(EventSpec spec, const Pieces& pieces);
  bool is_named(const Pieces& pieces);
  // Whether libpfm4 has an event with that name.
  bool has_masks(std::string_view name);
  // Modifiers follow ':' in an event without terms, and the last slash in one with terms.
  Parsed<void> finish(EventSpec& spec, std::string_view tail, std::size_t tail_column, const Pieces& pieces);
  Parsed<void> apply_terms(const Pieces& pieces, EventSpec& spec);
  Parsed<void> add_generic(const GenericEvent& generic, const Pieces& pieces);
  Parsed<void> add_cache(u64 config, const Pieces& pieces);
  Parsed<void> add_raw(u32 type, u64 config, std::string_view modifiers, std::size_t column, const Pieces& pieces);
  Parsed<void> add_numbered(u64 type, const Pieces& pieces);
  Parsed<void> add_tracepoints(const Pieces& pieces);
  // For SDT markers without a tracepoint yet.
  Parsed<void> define_markers(const Tracefs& tracefs, const std::string& system, const std::string& event,
                              std::size_t column);
  Parsed<void> add_tracepoint(const std::string& system, const std::string& event, u64 id, std::string_view modifiers,
                              std::size_t column, const Pieces& pieces);
  SyntaxError unknown_tracepoint(const Tracefs& tracefs, const std::string& system, const std::string& event,
                                 std::size_t column, const Error& cause) const;
  Parsed<void> add_pmu_events(const Pieces& pieces);
  Parsed<void> add_tool_event(const Pieces& pieces);
  Parsed<void> add_sensor(const Pieces& pieces, std::string_view pmu, std::string_view name);
  Parsed<void> add_pmu_event(const Pmu& pmu, const std::vector<Term>& terms, bool merge, const Pieces& pieces);
  // A bare name: from events/ of one or more PMUs, or of the processor model.
  Parsed<void> add_alias(const Pieces& pieces);
  std::vector<std::string> all_names();

  EventSources& sources_;
  EventList& list_;
};

// The hint for invalid modifiers.
inline constexpr std::string_view kModifierHint =
    "valid modifiers: u k h (modes), p pp ppp P (precise), G H I S D W e b R";

}  // namespace peregrine
