#include "event/term.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "abi/aux_action.h"
#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/config/record_config.h"

namespace peregrine {

namespace {

constexpr std::string_view kTermNames[] = {
    "config",      "config1",      "config2",      "config3",       "name",       "period",     "freq",
    "branch_type", "time",         "call-graph",   "stack-size",    "no-inherit", "inherit",    "max-stack",
    "nr",          "no-overwrite", "overwrite",    "driver-config", "percore",    "aux-output", "aux-sample-size",
    "metric-id",   "aux-action",   "ratio-to-prev"};

constexpr std::string_view kTracepointNames[] = {
    "call-graph",   "stack-size", "no-inherit", "inherit",         "max-stack", "nr",
    "no-overwrite", "overwrite",  "aux-output", "aux-sample-size", "aux-action"};

template <class Table>
bool contains(const Table& table, std::string_view word) {
  return std::find(std::begin(table), std::end(table), word) != std::end(table);
}

bool takes_text(std::string_view key) {
  return key == "name" || key == "branch_type" || key == "call-graph" || key == "metric-id" || key == "driver-config" ||
         key == "aux-action" || key == "ratio-to-prev";
}

std::optional<u32> aux_action(std::string_view word) {
  if (word == "pause") return abi::aux_action::Pause;
  if (word == "resume") return abi::aux_action::Resume;
  if (word == "start-paused") return abi::aux_action::StartPaused;
  return std::nullopt;
}

std::optional<double> ratio(const std::string& text) {
  const auto value = parse_real(text);
  return value && *value > 0 ? value : std::nullopt;
}

Parsed<void> apply_text(const Term& term, EventSpec& spec) {
  if (!term.value || term.value->empty()) return wrong(term.value_column, "expected string value");
  if (term.key == "name") spec.name = *term.value;
  if (term.key == "call-graph") spec.terms.callgraph = *term.value;
  if (term.key == "driver-config") spec.terms.driver_config = *term.value;
  if (term.key == "aux-action") {
    spec.terms.aux_action = aux_action(*term.value);
    if (!spec.terms.aux_action) return wrong(term.value_column, "expected pause, resume or start-paused");
  }
  if (term.key == "ratio-to-prev") {
    spec.terms.ratio_to_prev = ratio(*term.value);
    if (!spec.terms.ratio_to_prev) return wrong(term.value_column, "Invalid ratio-to-prev value");
  }
  if (term.key == "branch_type") {
    if (*term.value != "no" && !parse_branch_filter(*term.value))
      return wrong(term.value_column, "invalid branch sample type");
    spec.terms.branch = *term.value;
  }
  return {};
}

}  // namespace

std::optional<u64> Term::number() const { return value ? to_number(*value) : 1; }

Parsed<std::vector<Term>> split_terms(std::string_view text, std::size_t column) {
  std::vector<Term> terms;
  std::size_t at = 0;
  if (trim(text).empty()) return terms;
  for (;;) {
    while (at < text.size() && text[at] == ' ') ++at;
    Term term;
    term.column = column + at;
    const std::size_t key_end = std::min(text.find_first_of("=,", at), text.size());
    term.key = trim(text.substr(at, key_end - at));
    if (term.key.empty()) return wrong(column + at, "parser error");
    at = key_end;
    term.value_column = column + at;
    if (at < text.size() && text[at] == '=') {
      term.value_column = column + ++at;
      if (at < text.size() && (text[at] == '\'' || text[at] == '"')) {
        const auto close = text.find(text[at], at + 1);
        if (close == std::string_view::npos) return wrong(column + at, "unterminated quote");
        term.value = text.substr(at + 1, close - at - 1);
        at = close + 1;
      } else {
        const std::size_t end = std::min(text.find(',', at), text.size());
        term.value = trim(text.substr(at, end - at));
        at = end;
      }
    }
    terms.push_back(std::move(term));
    if (at == text.size()) return terms;
    if (text[at] != ',') return wrong(column + at, "parser error");
    ++at;
  }
}

std::string general_term_names() {
  std::string names;
  for (const auto name : kTermNames) {
    if (!names.empty()) names += ',';
    names += name;
  }
  return names;
}

bool is_general_term(std::string_view key) { return contains(kTermNames, key); }
bool tracepoint_takes(std::string_view key) { return contains(kTracepointNames, key); }

Parsed<void> apply_general_term(const Term& term, EventSpec& spec) {
  if (takes_text(term.key)) return apply_text(term, spec);
  const auto number = term.number();
  if (!number) return wrong(term.value_column, "expected numeric value");
  const u64 value = *number;
  auto& terms = spec.terms;
  const auto flag = [&](std::optional<bool>& place) -> Parsed<void> {
    if (value > 1) return wrong(term.value_column, "expected 0 or 1");
    place = value != 0;
    return {};
  };
  if (term.key == "config")
    spec.attr.config = value;
  else if (term.key == "config1")
    spec.attr.config1 = value;
  else if (term.key == "config2")
    spec.attr.config2 = value;
  else if (term.key == "config3")
    spec.attr.config3 = value;
  else if (term.key == "period")
    terms.period = value, terms.freq.reset();  // of period and freq, the last one wins
  else if (term.key == "freq")
    terms.freq = value, terms.period.reset();
  else if (term.key == "time")
    return flag(terms.time);
  else if (term.key == "stack-size")
    terms.stack_size = value;
  else if (term.key == "inherit")
    terms.inherit = value != 0;
  else if (term.key == "no-inherit")
    terms.inherit = value == 0;
  else if (term.key == "overwrite")
    terms.overwrite = value != 0;
  else if (term.key == "no-overwrite")
    terms.overwrite = value == 0;
  else if (term.key == "max-stack")
    terms.max_stack = value;
  else if (term.key == "nr")
    terms.max_events = value;
  else if (term.key == "percore")
    return flag(terms.percore);
  else if (term.key == "aux-output")
    return flag(terms.aux_output);
  else if (term.key == "aux-sample-size") {
    if (value > std::numeric_limits<u32>::max()) return wrong(term.value_column, "too big");
    terms.aux_sample_size = value;
  }
  return {};
}

}  // namespace peregrine
