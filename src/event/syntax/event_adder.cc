#include "event/syntax/event_adder.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/attr.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/kind/core_event.h"
#include "event/kind/machine_number.h"
#include "event/kind/name.h"
#include "event/kind/pfm_event.h"
#include "event/kind/pmu_event.h"
#include "event/kind/sdt_event.h"
#include "event/syntax/event_hint.h"
#include "event/syntax/modifier.h"
#include "event/syntax/reload_ratio.h"
#include "event/syntax_error.h"
#include "event/vendor/named_event.h"
#include "sys/hardware/pmu.h"
#include "sys/hardware/sensor.h"
#include "sys/kernel/tracefs.h"
#include "sys/process/drm_client.h"

namespace peregrine {

namespace {

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// The nearest system, with the event if it has that, or a similar one.
std::string system_hint(const Tracefs& tracefs, std::string_view system, std::string_view event,
                        const std::vector<std::string>& systems) {
  const auto near = nearest_name(system, systems);
  if (!near) return {};
  auto events = tracefs.events(*near);
  std::ranges::sort(events);
  const auto near_event = nearest_name(event, events);
  return fmt::format("did you mean '{}{}{}'?", *near, near_event ? ":" : "", near_event.value_or(""));
}

bool matches_name(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

Parsed<void> EventAdder::add(const Pieces& pieces) {
  const std::size_t before = list_.size();
  if (auto done = add_words(pieces); !done) return done;
  for (std::size_t i = before; i < list_.size(); ++i) {
    const EventSpec& spec = list_[i];
    if (!spec.terms.ratio_to_prev) continue;
    const Pmu* pmu = sources_.pmu(spec.pmu.empty() ? "cpu" : spec.pmu);
    if (auto done = check_reload(spec, pmu, pieces.terms_column); !done) return done;
  }
  return {};
}

Parsed<void> EventAdder::add_words(const Pieces& pieces) {
  // Each form could also be read as a later one, so the order decides:
  //
  //   cycles, L1-dcache-loads   fixed names
  //   r1a8                      a raw code, although an event may have that name
  //   4:0x3c                    TYPE:CONFIG
  //   HEAD:TAIL                 a tracepoint; but an event with modifiers, if a PMU or the model has the event HEAD;
  //                             and if HEAD begins with a capital, an event of libpfm4 that has this name
  //   PMU/terms/                events of one or more PMUs
  //   NAME                      of any PMU, then of the model, a number of the machine, a sensor
  if (const GenericEvent* generic = find_generic_event(pieces.head)) return add_generic(*generic, pieces);
  if (const auto config = parse_cache_event(pieces.head)) return add_cache(*config, pieces);
  constexpr u32 kRaw = static_cast<u32>(abi::EventType::Raw);
  if (const auto raw = parse_raw_event(pieces.head))
    return add_raw(kRaw, *raw, pieces.tail, pieces.tail_column, pieces);
  if (const auto type = to_number(pieces.head); type && pieces.has_tail) return add_numbered(*type, pieces);
  if (pieces.has_tail && !is_named(pieces)) {
    // libpfm4's names are upper case, tracepoint systems are not.
    const bool capital = !pieces.head.empty() && pieces.head[0] >= 'A' && pieces.head[0] <= 'Z';
    if (!capital || pieces.has_terms || !has_masks(pieces.head)) return add_tracepoints(pieces);
    auto spec = parse_pfm_event(pieces.name, pieces.column, sources_);
    if (!spec) return std::unexpected(std::move(spec.error()));
    push(std::move(*spec));
    return {};
  }
  if (pieces.has_terms) return add_pmu_events(pieces);
  return add_alias(pieces);
}

EventSpec EventAdder::new_spec(u32 type, u64 config) const {
  EventSpec spec;
  spec.attr.type = type;
  spec.attr.config = config;
  spec.attr.set(abi::attr_flag::ExcludeGuest, !sources_.guest);
  spec.attr.set(abi::attr_flag::ExcludeHost, !sources_.host);
  return spec;
}

void EventAdder::push(EventSpec spec) {
  spec.leader = list_.size();
  list_.push_back(std::move(spec));
}

void EventAdder::push_on_cores(EventSpec spec, const Pieces& pieces) {
  const bool named = !spec.name.empty();
  if (!named) spec.name = pieces.name;
  for (auto& one : spread_over_cores(sources_, spec)) {
    if (!named && !one.pmu.empty() && pieces.has_terms)
      one.name = fmt::format("{}/{},{}/{}", one.pmu, pieces.head, pieces.terms, pieces.suffix);
    push(std::move(one));
  }
}

Parsed<void> EventAdder::apply_terms(const Pieces& pieces, EventSpec& spec) {
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

Parsed<void> EventAdder::apply_suffix(std::string_view modifiers, std::size_t column, EventSpec& spec) {
  if (modifiers.empty()) return {};
  if (!valid_modifiers(modifiers)) return wrong(column, "Bad modifier", std::string(kModifierHint));
  apply_modifiers(modifiers, true, sources_.guest, spec, true);
  return {};
}

Parsed<void> EventAdder::finish(EventSpec& spec, std::string_view tail, std::size_t tail_column, const Pieces& pieces) {
  if (pieces.has_terms && !tail.empty()) return wrong(tail_column, "put modifiers after the last '/'");
  if (auto done = apply_terms(pieces, spec); !done) return done;
  if (auto done = apply_suffix(tail, tail_column, spec); !done) return done;
  return apply_suffix(pieces.suffix, pieces.suffix_column, spec);
}

Parsed<void> EventAdder::add_generic(const GenericEvent& generic, const Pieces& pieces) {
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
      spec.attr.sample_type |=
          abi::sample_bit::Raw | abi::sample_bit::Time | abi::sample_bit::Cpu | abi::sample_bit::Period;
    }
  }
  if (auto done = finish(spec, pieces.tail, pieces.tail_column, pieces); !done) return done;
  if (generic.type == abi::EventType::Hardware) {
    push_on_cores(std::move(spec), pieces);
    return {};
  }
  if (spec.name.empty()) spec.name = pieces.name;
  push(std::move(spec));
  return {};
}

Parsed<void> EventAdder::add_cache(u64 config, const Pieces& pieces) {
  EventSpec spec = new_spec(static_cast<u32>(abi::EventType::HwCache), config);
  if (auto done = finish(spec, pieces.tail, pieces.tail_column, pieces); !done) return done;
  if (spec.name.empty() && sources_.core_pmus().size() < 2) spec.name = pieces.head;
  push_on_cores(std::move(spec), pieces);
  return {};
}

Parsed<void> EventAdder::add_raw(u32 type, u64 config, std::string_view modifiers, std::size_t column,
                                 const Pieces& pieces) {
  EventSpec spec = new_spec(type, config);
  if (auto done = finish(spec, modifiers, column, pieces); !done) return done;
  const auto kind = static_cast<abi::EventType>(type);
  if (kind == abi::EventType::Raw)
    if (const NamedEvent* named = sources_.named().find_code(config)) spec.decoded = named->event.name;
  if (kind == abi::EventType::Raw || kind == abi::EventType::Hardware || kind == abi::EventType::HwCache) {
    push_on_cores(std::move(spec), pieces);
    return {};
  }
  if (spec.name.empty()) spec.name = pieces.name;
  push(std::move(spec));
  return {};
}

Parsed<void> EventAdder::add_numbered(u64 type, const Pieces& pieces) {
  const auto colon = std::min(pieces.tail.find(':'), pieces.tail.size());
  const auto config = to_number(pieces.tail.substr(0, colon));
  if (!config || type > 0xffffffff) return wrong(pieces.tail_column, "parser error");
  const auto modifiers = pieces.tail.substr(std::min(colon + 1, pieces.tail.size()));
  return add_raw(static_cast<u32>(type), *config, modifiers, pieces.tail_column + colon + 1, pieces);
}

Parsed<void> EventAdder::add_tracepoints(const Pieces& pieces) {
  const auto colon = std::min(pieces.tail.find(':'), pieces.tail.size());
  const std::string system(pieces.head), event(pieces.tail.substr(0, colon));
  const auto modifiers = pieces.tail.substr(std::min(colon + 1, pieces.tail.size()));
  const auto tracefs = sources_.tracefs();
  if (!tracefs) {
    SyntaxError error{pieces.column,
                      tracefs.error().kind == ErrorKind::Denied ? "can't access trace events" : "unknown tracepoint"};
    error.details = "Error:\t" + tracefs.error().message;
    error.hint = tracefs.error().hint;
    return std::unexpected(std::move(error));
  }
  if (system.starts_with("sdt_"))
    if (auto done = define_markers(**tracefs, system, event, pieces.column); !done) return done;
  const std::size_t before = list_.size();
  for (const auto& each : is_glob(system) ? (*tracefs)->systems() : std::vector{system}) {
    if (is_glob(system) && !matches_name(system, each)) continue;
    for (const auto& name : is_glob(event) ? (*tracefs)->events(each) : std::vector{event}) {
      if (is_glob(event) && !matches_name(event, name)) continue;
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

Parsed<void> EventAdder::define_markers(const Tracefs& tracefs, const std::string& system, const std::string& event,
                                        std::size_t column) {
  if (!sources_.define_markers) return {};
  bool some_exist = false;
  for (const auto& each : tracefs.systems())
    if (matches_name(system, each))
      for (const auto& name : tracefs.events(each)) some_exist |= matches_name(event, name);
  if (some_exist && !is_glob(system) && !is_glob(event)) return {};
  const auto made = sources_.define_markers(system, event, some_exist);
  if (made) return {};
  SyntaxError error = unknown_tracepoint(tracefs, system, event, column, {});
  error.details = "Error:\t" + made.error().message;
  if (!made.error().hint.empty()) error.hint = made.error().hint;
  return std::unexpected(std::move(error));
}

Parsed<void> EventAdder::add_tracepoint(const std::string& system, const std::string& event, u64 id,
                                        std::string_view modifiers, std::size_t column, const Pieces& pieces) {
  EventSpec spec = new_spec(static_cast<u32>(abi::EventType::Tracepoint), id);
  spec.system = system;
  spec.tracepoint = event;
  spec.name = system + ':' + event;
  spec.from_pattern = is_glob(pieces.head) || is_glob(pieces.tail);
  spec.attr.sample_period = 1;
  spec.attr.sample_type = abi::sample_bit::Raw | abi::sample_bit::Time | abi::sample_bit::Cpu | abi::sample_bit::Period;
  if (auto done = finish(spec, modifiers, column, pieces); !done) return done;
  push(std::move(spec));
  return {};
}

SyntaxError EventAdder::unknown_tracepoint(const Tracefs& tracefs, const std::string& system, const std::string& event,
                                           std::size_t column, const Error& cause) const {
  if (cause.kind == ErrorKind::Denied) {
    SyntaxError error{column, "can't access trace events"};
    error.details = fmt::format("Error:\tNo permissions to read {}/{}/{}", tracefs.events_path(), system, event);
    error.hint = fmt::format("Try 'sudo mount -o remount,mode=755 {}'", tracefs.mount());
    return error;
  }
  SyntaxError error{column, "unknown tracepoint"};
  error.details = system.starts_with("sdt_")
                      ? fmt::format("Error:\tNo marker {}:{} is defined.\n", system, event)
                      : fmt::format("Error:\tFile {}/{}/{} not found.\n", tracefs.events_path(), system, event);
  auto events = tracefs.events(system);
  if (!events.empty()) {
    std::sort(events.begin(), events.end());
    error.hint = did_you_mean(event, events, system + ':');
  } else {
    auto systems = tracefs.systems();
    std::sort(systems.begin(), systems.end());
    error.hint = system_hint(tracefs, system, event, systems);
    if (error.hint.empty()) error.hint = did_you_mean(system, generic_names());
  }
  if (const std::string hint = undefined_event_hint(system, event); !hint.empty()) error.hint = hint;
  if (system.starts_with("sdt_") && !sources_.marker_cache.empty()) {
    const std::string name = system + ':' + event;
    const auto known = read_sdt_events(sources_.root(), sources_.marker_cache);
    if (const auto marker = std::ranges::find(known, name, &SdtEvent::name); marker != known.end()) {
      error.details = fmt::format("Error:\tMarker {} is known in {} but not defined.\n", name, marker->path);
      error.hint = fmt::format("define it first: perf probe {}", name);
    }
  }
  if (error.hint.empty()) error.hint = "Perhaps this kernel misses some CONFIG_ setting to enable this feature?";
  return error;
}

Parsed<void> EventAdder::add_pmu_events(const Pieces& pieces) {
  if (pieces.head == "tool") return add_tool_event(pieces);
  if (pieces.head.starts_with("hwmon_") || pieces.head.starts_with("drm_"))
    return add_sensor(pieces, pieces.head, trim(pieces.terms));
  if (is_bpf_source(pieces.name)) return wrong(pieces.column, std::string(kBpfSource), std::string(kInsteadOfBpf));
  auto pmus = matching_pmus(sources_, pieces.head);
  std::erase_if(pmus, [&](const Pmu* pmu) { return pmu->name != pieces.head && sources_.is_left_out(*pmu); });
  if (pmus.empty()) {
    return wrong(pieces.column, fmt::format("Cannot find PMU `{}'. Missing kernel support?", pieces.head),
                 missing_pmu_hint(pieces.head, sources_.pmus()));
  }
  const auto terms = split_terms(pieces.terms, pieces.terms_column);
  if (!terms) return std::unexpected(terms.error());
  // Of several matching PMUs, those that accept the terms are added; it is an error only if none does.
  const std::size_t before = list_.size();
  Parsed<void> first_error;
  for (const Pmu* pmu : pmus)
    if (auto done = add_pmu_event(*pmu, *terms, pmu->name != pieces.head, pieces); !done && first_error)
      first_error = std::move(done);
  return list_.size() == before ? first_error : Parsed<void>();
}

// Parses "tool/num_cores/" and "tool/duration_time,name=wall/".
Parsed<void> EventAdder::add_tool_event(const Pieces& pieces) {
  const auto terms = split_terms(pieces.terms, pieces.terms_column);
  if (!terms) return std::unexpected(terms.error());
  EventSpec spec = new_spec(static_cast<u32>(abi::EventType::Software), static_cast<u64>(abi::SoftwareEvent::Dummy));
  std::vector<std::string> names;
  for (const auto& event : tool_events()) names.emplace_back(event.name);
  for (const auto& number : machine_numbers()) names.emplace_back(number.name);
  for (const Term& term : *terms) {
    if (is_general_term(term.key)) {
      if (auto done = apply_general_term(term, spec); !done) return done;
      continue;
    }
    if (term.value || spec.tool != ToolEvent::None || std::ranges::find(names, term.key) == names.end())
      return wrong(term.column, "unknown tool event", did_you_mean(term.key, names));
    spec.tool = ToolEvent::Machine;
    for (const auto& event : tool_events())
      if (event.name == term.key) spec.tool = event.tool;
    if (spec.tool == ToolEvent::Machine)
      spec.sensor = term.key;
    else
      spec.unit = "ns";
  }
  if (spec.tool == ToolEvent::None) return wrong(pieces.terms_column, "unknown tool event", did_you_mean("", names));
  if (auto done = apply_suffix(pieces.suffix, pieces.suffix_column, spec); !done) return done;
  if (spec.name.empty()) spec.name = pieces.name;
  push(std::move(spec));
  return {};
}

// Adds the sensors of a chip or driver with that name or label; of all chips if `pmu` is empty.
Parsed<void> EventAdder::add_sensor(const Pieces& pieces, std::string_view pmu, std::string_view name) {
  const bool graphics = pmu.starts_with("drm_") || (pmu.empty() && name.starts_with("drm-"));
  const auto sensors = graphics ? drm_sensors(sources_.root()) : read_sensors(sources_.root());
  const std::size_t before = list_.size();
  std::vector<std::string> names;
  for (const auto& sensor : sensors) {
    names.push_back(pmu.empty() ? sensor.name : sensor.pmu + '/' + sensor.name + '/');
    if ((!pmu.empty() && sensor.pmu != pmu) || (sensor.name != name && sensor.label != name)) continue;
    EventSpec spec = new_spec(static_cast<u32>(abi::EventType::Software), static_cast<u64>(abi::SoftwareEvent::Dummy));
    spec.tool = ToolEvent::Sensor;
    spec.sensor = sensor.path;
    spec.unit = sensor.unit;
    spec.scale = sensor.scale;
    spec.pmu = sensor.pmu;
    spec.name = pieces.name;
    push(std::move(spec));
  }
  if (list_.size() > before) return {};
  if (graphics && names.empty())
    return wrong(pieces.column, "sensor not found", "no process uses this graphics driver");
  return wrong(pieces.column, "sensor not found", did_you_mean(pieces.name, names));
}

Parsed<void> EventAdder::add_pmu_event(const Pmu& pmu, const std::vector<Term>& terms, bool merge,
                                       const Pieces& pieces) {
  EventSpec spec = new_spec(pmu.type, 0);
  if (auto done = apply_pmu_terms(sources_, pmu, terms, spec); !done) return done;
  if (!pieces.has_terms) {
    if (auto done = apply_suffix(pieces.tail, pieces.tail_column, spec); !done) return done;
  }
  if (auto done = apply_suffix(pieces.suffix, pieces.suffix_column, spec); !done) return done;
  spec.auto_merge = merge;
  if (spec.name.empty()) {
    const bool one_of_kinds = !pieces.has_terms && pmu.name.starts_with("cpu_");
    spec.name = one_of_kinds ? fmt::format("{}/{}/", pmu.name, pieces.name) : pieces.name;
  }
  push(std::move(spec));
  return {};
}

// True for a named event with modifiers, such as "mem-loads:pp" or "inst_retired.any:u", as opposed to a tracepoint.
bool EventAdder::is_named(const Pieces& pieces) {
  if (pieces.has_terms) return false;
  if (valid_modifiers(pieces.tail)) {
    for (const auto& pmu : sources_.pmus())
      if (pmu.event(pieces.head) != nullptr) return true;
    if (!sources_.named().find(pieces.head).empty()) return true;
  }
  return false;
}

bool EventAdder::has_masks(std::string_view name) {
  const std::string prefix = std::string(name) + ':';
  return std::ranges::any_of(sources_.named().all(),
                             [&](const auto& event) { return event.other == name || event.other.starts_with(prefix); });
}

Parsed<void> EventAdder::add_alias(const Pieces& pieces) {
  const std::size_t before = list_.size();
  Term term;
  term.key = pieces.head;
  term.column = term.value_column = pieces.column;
  for (const auto& pmu : sources_.pmus()) {
    if (pmu.event(term.key) == nullptr || sources_.is_left_out(pmu)) continue;
    if (auto done = add_pmu_event(pmu, {term}, true, pieces); !done) return done;
  }
  if (list_.size() > before) return {};
  const auto named = sources_.named().find(term.key);
  for (const auto& pmu : sources_.pmus()) {
    const auto here = std::ranges::find_if(named, [&](const NamedEvent* event) { return counts_on(pmu, event->pmu); });
    if (here == named.end() || sources_.is_left_out(pmu)) continue;
    if (auto done = add_pmu_event(pmu, {term}, true, pieces); !done) return done;
  }
  if (list_.size() > before) return {};
  if (!pieces.has_tail &&
      std::ranges::find(machine_numbers(), pieces.head, &MachineNumber::name) != machine_numbers().end()) {
    Pieces tool = pieces;
    tool.terms = pieces.head;
    tool.terms_column = pieces.column;
    return add_tool_event(tool);
  }
  if (add_sensor(pieces, {}, pieces.head)) return {};
  if (!named.empty()) {
    const auto& pmu = named.front()->pmu;
    return wrong(pieces.column, fmt::format("this machine has no PMU '{}'", pmu.empty() ? "cpu" : pmu),
                 "virtual machines often have none; see 'perf check'");
  }
  if (is_bpf_source(pieces.name)) return wrong(pieces.column, std::string(kBpfSource), std::string(kInsteadOfBpf));
  return wrong(pieces.column, "unknown event", did_you_mean(pieces.head, all_names()));
}

std::vector<std::string> EventAdder::all_names() {
  auto names = generic_names();
  for (unsigned cache = 0; cache < kCacheCount; ++cache)
    for (unsigned operation = 0; operation < kCacheOperationCount; ++operation)
      for (unsigned result = 0; result < kCacheResultCount; ++result)
        if (auto name = cache_name(cache | operation << 8 | result << 16); !name.empty())
          names.push_back(std::move(name));
  for (const auto& pmu : sources_.pmus())
    for (const auto& event : pmu.events) names.push_back(event.name);
  for (const auto& named : sources_.named().all()) names.push_back(named.event.name);
  return names;
}

}  // namespace peregrine
