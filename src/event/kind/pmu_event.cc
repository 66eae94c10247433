#include "event/kind/pmu_event.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "abi/attr.h"
#include "base/nearest.h"
#include "base/number/parse_number.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/kind/core_event.h"
#include "event/kind/generic_event.h"
#include "event/syntax_error.h"
#include "event/vendor/named_event.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

namespace {

constexpr unsigned kAliasDepth = 4;  // an alias may refer to another; this ends loops in sysfs

unsigned width(const PmuFormat& format) {
  unsigned bits = 0;
  for (const auto& range : format.ranges) bits += range.last - range.first + 1;
  return std::min(bits, 64u);
}

u64 scatter(const PmuFormat& format, u64 value) {
  u64 word = 0;
  for (const auto& range : format.ranges)
    for (unsigned bit = range.first; bit <= range.last; ++bit, value >>= 1) word |= (value & 1) << bit;
  return word;
}

u64& config_word(abi::EventAttr& attr, PmuFormat::Word word) {
  switch (word) {
    case PmuFormat::Word::Config1:
      return attr.config1;
    case PmuFormat::Word::Config2:
      return attr.config2;
    case PmuFormat::Word::Config3:
      return attr.config3;
    case PmuFormat::Word::Config:
      break;
  }
  return attr.config;
}

// The event that a term names: a bare word, WORD=1, or event=WORD.
std::optional<std::string_view> event_word(const Pmu& pmu, const Term& term) {
  if (term.key == "event" && term.value && !term.number()) return *term.value;
  if (pmu.format(term.key) != nullptr || (term.value && term.number() != 1u)) return std::nullopt;
  return term.key;
}

// The default config of intel_pt: time stamps, branches, and a medium rate for the optional packets.
u64 trace_defaults(const Pmu& pmu);

SyntaxError unknown_term(const Pmu& pmu, const Term& term) {
  SyntaxError error{term.column, fmt::format("unknown term '{}' for pmu '{}'", term.key, pmu.name)};
  std::string names;
  std::vector<std::string_view> candidates;
  for (const auto& format : pmu.formats) {
    names += format.name + ',';
    candidates.push_back(format.name);
  }
  for (const auto& event : pmu.events) candidates.push_back(event.name);
  error.details = "valid terms: " + names + general_term_names() + "\n";
  if (!pmu.events.empty()) {
    constexpr std::size_t kShown = 12;
    error.details += "events of " + pmu.name + ':';
    for (std::size_t i = 0; i < std::min(pmu.events.size(), kShown); ++i) error.details += ' ' + pmu.events[i].name;
    if (pmu.events.size() > kShown) error.details += fmt::format(" and {} more", pmu.events.size() - kShown);
    error.details += '\n';
  }
  if (const auto near = nearest(term.key, candidates)) error.hint = fmt::format("did you mean '{}'?", *near);
  return error;
}

class TermApplier {
 public:
  TermApplier(EventSources& sources, const Pmu& pmu, EventSpec& spec) : sources_(sources), pmu_(pmu), spec_(spec) {}

  Parsed<void> apply(const Term& term, unsigned depth) {
    if (is_general_term(term.key) && !pmu_.format(term.key)) return apply_general_term(term, spec_);
    if (const auto word = event_word(pmu_, term)) {
      if (const PmuEvent* alias = pmu_.event(*word)) return apply_alias(*alias, term, depth);
      if (const auto code = term.value ? std::nullopt : parse_raw_event(*word)) {
        spec_.attr.config = *code;
        return {};
      }
      if (pmu_.is_core && depth == 0 && apply_generic(*word)) return {};
      if (const NamedEvent* named = depth == 0 ? sources_.named().find(pmu_, *word) : nullptr)
        return apply_alias(named->event, term, depth);
    }
    const PmuFormat* format = pmu_.format(term.key);
    if (format == nullptr) return std::unexpected(unknown_term(pmu_, term));
    const auto value = term.number();
    if (!value) return std::unexpected(SyntaxError{term.value_column, "expected numeric value"});
    const unsigned bits = width(*format);
    const u64 maximum = bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
    if (*value > maximum)
      return std::unexpected(
          SyntaxError{term.value_column, fmt::format("value too big for format, maximum is {}", maximum)});
    config_word(spec_.attr, format->word) |= scatter(*format, *value);
    return {};
  }

 private:
  Parsed<void> apply_alias(const PmuEvent& alias, const Term& term, unsigned depth) {
    if (depth >= kAliasDepth) return std::unexpected(SyntaxError{term.column, "event refers to itself in sysfs"});
    if (spec_.unit.empty()) spec_.unit = alias.unit;
    if (alias.has_scale) spec_.scale = alias.scale;
    spec_.per_package = spec_.per_package || alias.per_package;
    spec_.snapshot = spec_.snapshot || alias.snapshot;
    if (alias.usual_latency) spec_.usual_latency = alias.usual_latency;
    auto inner = split_terms(alias.terms, 0);
    if (!inner) return std::unexpected(SyntaxError{term.column, "invalid event definition in sysfs"});
    for (auto& each : *inner) {
      each.column = each.value_column = term.column;
      if (auto done = apply(each, depth + 1); !done) return done;
    }
    return {};
  }

  // Resolves a generic event, such as "cycles" or "L1-dcache-loads", that a core PMU has no alias for. The event is
  // bound to that kind of core.
  bool apply_generic(std::string_view word) {
    const GenericEvent* generic = find_generic_event(word);
    const auto cache = generic == nullptr ? parse_cache_event(word) : std::nullopt;
    if (!cache && (generic == nullptr || generic->type != abi::EventType::Hardware)) return false;
    EventSpec bound = spec_;
    bound.attr.type = static_cast<u32>(cache ? abi::EventType::HwCache : abi::EventType::Hardware);
    bound.attr.config = cache ? *cache : generic->config;
    if (!bind_to_core(pmu_, bound)) return false;
    spec_ = std::move(bound);
    return true;
  }

  EventSources& sources_;
  const Pmu& pmu_;
  EventSpec& spec_;
};

u64 trace_defaults(const Pmu& pmu) {
  u64 config = 0;
  const auto set = [&](std::string_view name, u64 value) {
    if (const PmuFormat* format = pmu.format(name)) config |= scatter(*format, value);
  };
  // caps/NAME has one bit for each supported period; 3 is the kernel's default.
  constexpr u64 kMiddle = 3;
  const auto has_middle = [&](std::string_view name) {
    const auto at = std::ranges::find(pmu.caps, name, &std::pair<std::string, std::string>::first);
    return at != pmu.caps.end() && (to_number("0x" + std::string(trim(at->second))).value_or(0) >> kMiddle & 1) != 0;
  };
  set("tsc", 1);
  if (has_middle("mtc_periods")) set("mtc", 1), set("mtc_period", kMiddle);
  if (has_middle("psb_periods")) set("psb_period", kMiddle);
  set("pt", 1);
  set("branch", 1);
  return config;
}

}  // namespace

std::vector<const Pmu*> matching_pmus(EventSources& sources, std::string_view name) {
  if (const Pmu* exact = sources.pmu(name)) return {exact};
  std::vector<const Pmu*> found;
  const bool is_glob = name.find_first_of("*?[") != std::string_view::npos;
  const std::string pattern(name);
  for (const auto& pmu : sources.pmus())
    if (is_glob ? ::fnmatch(pattern.c_str(), pmu.name.c_str(), 0) == 0 : is_pmu_instance(pmu.name, name))
      found.push_back(&pmu);
  return found;
}

Parsed<void> apply_pmu_terms(EventSources& sources, const Pmu& pmu, const std::vector<Term>& terms, EventSpec& spec) {
  spec.attr.type = pmu.type;
  spec.pmu = pmu.name;
  spec.own_cpus = pmu.cpumask;
  spec.system_wide = pmu.is_uncore;
  if (pmu.name == "intel_pt") spec.attr.config = trace_defaults(pmu);
  TermApplier applier(sources, pmu, spec);
  for (const auto& term : terms)
    if (auto done = applier.apply(term, 0); !done) return done;
  return {};
}

}  // namespace peregrine
