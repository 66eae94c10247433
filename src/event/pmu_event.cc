#include "event/pmu_event.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::string_view kUncore = "uncore_";
constexpr unsigned kAliasDepth = 4;  // an alias may name another; a loop in sysfs must end

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "imc" for uncore_imc, uncore_imc_0 …
bool is_instance(std::string_view pmu, std::string_view wanted) {
  if (pmu.starts_with(kUncore) && !wanted.starts_with(kUncore)) pmu.remove_prefix(kUncore.size());
  if (!pmu.starts_with(wanted)) return false;
  pmu.remove_prefix(wanted.size());
  return pmu.empty() || (pmu.starts_with('_') && all_digits(pmu.substr(1)));
}

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

std::optional<u64> raw_code(std::string_view key) {
  if (key.size() < 2 || key.front() != 'r') return std::nullopt;
  return to_number("0x" + std::string(key.substr(1)));
}

// The named event a term stands for: a bare word, or event=WORD.
const PmuEvent* alias_of(const Pmu& pmu, const Term& term) {
  if (!term.value) return pmu.format(term.key) ? nullptr : pmu.event(term.key);
  return term.key == "event" && !term.number() ? pmu.event(*term.value) : nullptr;
}

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
  if (const auto near = nearest(term.key, candidates)) error.hint = fmt::format("did you mean '{}'?", *near);
  return error;
}

class TermApplier {
 public:
  TermApplier(const Pmu& pmu, EventSpec& spec) : pmu_(pmu), spec_(spec) {}

  Parsed<void> apply(const Term& term, unsigned depth) {
    if (is_general_term(term.key) && !pmu_.format(term.key)) return apply_general_term(term, spec_);
    if (const PmuEvent* alias = alias_of(pmu_, term)) return apply_alias(*alias, term, depth);
    const PmuFormat* format = pmu_.format(term.key);
    if (format == nullptr) {
      const auto code = term.value ? std::nullopt : raw_code(term.key);
      if (!code) return std::unexpected(unknown_term(pmu_, term));
      spec_.attr.config = *code;
      return {};
    }
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
    if (depth >= kAliasDepth) return std::unexpected(SyntaxError{term.column, "event names itself in sysfs"});
    if (spec_.unit.empty()) spec_.unit = alias.unit;
    if (alias.has_scale) spec_.scale = alias.scale;
    spec_.per_package = spec_.per_package || alias.per_package;
    spec_.snapshot = spec_.snapshot || alias.snapshot;
    auto inner = split_terms(alias.terms, 0);
    if (!inner) return std::unexpected(SyntaxError{term.column, "sysfs does not define this event properly"});
    for (auto& each : *inner) {
      each.column = each.value_column = term.column;
      if (auto done = apply(each, depth + 1); !done) return done;
    }
    return {};
  }

  const Pmu& pmu_;
  EventSpec& spec_;
};

}  // namespace

std::vector<const Pmu*> matching_pmus(EventSources& sources, std::string_view name) {
  if (const Pmu* exact = sources.pmu(name)) return {exact};
  std::vector<const Pmu*> found;
  const bool is_glob = name.find_first_of("*?[") != std::string_view::npos;
  const std::string pattern(name);
  for (const auto& pmu : sources.pmus())
    if (is_glob ? ::fnmatch(pattern.c_str(), pmu.name.c_str(), 0) == 0 : is_instance(pmu.name, name))
      found.push_back(&pmu);
  return found;
}

Parsed<void> apply_pmu_terms(const Pmu& pmu, const std::vector<Term>& terms, EventSpec& spec) {
  spec.attr.type = pmu.type;
  spec.pmu = pmu.name;
  spec.own_cpus = pmu.cpumask;
  spec.system_wide = pmu.is_uncore;
  TermApplier applier(pmu, spec);
  for (const auto& term : terms)
    if (auto done = applier.apply(term, 0); !done) return done;
  return {};
}

}  // namespace peregrine
