#include "output/text/field/script_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <expected>
#include <iterator>

#include "abi/attr.h"
#include "base/nearest.h"
#include "base/types.h"
#include "output/text/field/script_field.h"

namespace peregrine {
namespace {

namespace f = script_field;

struct TypeName {
  std::string_view name;
  ScriptType type;
};
constexpr TypeName kTypeNames[] = {
    {"hw", ScriptType::Hardware}, {"sw", ScriptType::Software},      {"trace", ScriptType::Tracepoint},
    {"raw", ScriptType::Raw},     {"break", ScriptType::Breakpoint}, {"synth", ScriptType::Synth},
};

// Event types as linux-perf's messages name them. It has no name for raw, breakpoint, synthesized and other events.
constexpr std::string_view kTypeWords[kScriptTypes] = {"hardware", "software", "tracepoint", "hardware-cache",
                                                       "unknown",  "unknown",  "unknown",    "unknown"};

// Dummy events have no samples, so their sample bits are not checked.
bool is_dummy(const abi::EventAttr& attr) {
  return attr.type == static_cast<u32>(abi::EventType::Software) &&
         attr.config == static_cast<u64>(abi::SoftwareEvent::Dummy);
}

bool has_address(const FieldCheck& check) {
  return (check.attr.sample_type & (abi::sample_bit::Ip | abi::sample_bit::Addr)) != 0;
}

}  // namespace

ScriptType script_type(const abi::EventAttr& attr) {
  switch (static_cast<abi::EventType>(attr.type)) {
    case abi::EventType::Hardware:
      return ScriptType::Hardware;
    case abi::EventType::Software:
      return ScriptType::Software;
    case abi::EventType::Tracepoint:
      return ScriptType::Tracepoint;
    case abi::EventType::HwCache:
      return ScriptType::HwCache;
    case abi::EventType::Raw:
      return ScriptType::Raw;
    case abi::EventType::Breakpoint:
      return ScriptType::Breakpoint;
  }
  return attr.type == abi::kDecodedType ? ScriptType::Synth : ScriptType::Other;
}

std::string_view field_refusal::trace(const FieldCheck& check) {
  return check.has_traces ? "" : "No trace sample to read. Did you call perf record without -R?";
}

std::string_view field_refusal::symbol(const FieldCheck& check) {
  return has_address(check)
             ? ""
             : "Display of symbols requested but neither sample IP nor sample address\navailable. Hence, no addresses "
               "to convert to symbols.";
}

std::string_view field_refusal::symbol_offset(const FieldCheck& check) {
  return (check.fields & f::Sym) != 0 ? "" : "Display of offsets requested but symbol is notselected.";
}

std::string_view field_refusal::dso(const FieldCheck& check) {
  return has_address(check) ? "" : "Display of DSO requested but no address to convert.";
}

std::string_view field_refusal::source_line(const FieldCheck& check) {
  return (check.fields & f::Ip) != 0
             ? ""
             : "Display of source line number requested but sample IP is not\nselected. Hence, no address to lookup "
               "the source line number.";
}

std::string_view field_refusal::branch_code(const FieldCheck& check) {
  return check.lenient || (check.attr.branch_sample_type & abi::branch_bit::Any) != 0
             ? ""
             : "Display of branch stack assembler requested, but non all-branch filter set\nHint: run 'perf record -b "
               "...'";
}

std::string_view field_refusal::branch_counters(const FieldCheck& check) {
  return (check.attr.branch_sample_type & abi::branch_bit::Counters) != 0
             ? ""
             : "Display of branch counter requested but it's not enabled\nHint: run 'perf record -j any,counter ...'";
}

std::vector<std::string_view> field_names(std::span<const ScriptField> rows) {
  std::vector<std::string_view> names;
  for (const ScriptField& row : rows) names.push_back(row.name);
  return names;
}

ScriptFields::ScriptFields(std::span<const ScriptField> rows) : rows_(rows) {
  for (std::size_t type = 0; type < kScriptTypes; ++type) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sets_[type].fields |= u64{rows[i].defaults >> type & 1u} << i;
      sets_[type].invalid |= u64{rows[i].invalid >> type & 1u} << i;
    }
  }
}

u64 ScriptFields::bit_of(std::string_view name) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].name == name) return u64{1} << i;
  return 0;
}

// The message is linux-perf's; the hint is ours.
Error ScriptFields::unknown_field(std::string_view word) const {
  const std::vector<std::string_view> names = field_names(rows_);
  if (const auto near = nearest(word, names))
    return {ErrorKind::Usage, "Invalid field requested.",
            fmt::format("unknown field '{}': did you mean '{}'?", word, *near)};
  return {ErrorKind::Usage, "Invalid field requested.",
          fmt::format("unknown field '{}': must be one of {}", word, fmt::join(names, ", "))};
}

Result<> ScriptFields::parse(std::string_view text, std::vector<std::string>& warnings) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto* const found = std::ranges::find(kTypeNames, text.substr(0, colon), &TypeName::name);
    if (found == std::end(kTypeNames)) return fail(ErrorKind::Usage, "Invalid event type in field string.");
    const auto type = static_cast<std::size_t>(found->type);
    Set& set = sets_[type];
    text.remove_prefix(colon + 1);
    if (text.find_first_of("+-") == std::string_view::npos || text.empty()) {
      if (set.user_set) {
        warnings.push_back(fmt::format("Overriding previous field request for {} events.\n", kTypeWords[type]));
      }
      set.fields = 0;
      set.chosen = 0;
    }
    set.user_set = true;
    return parse_words(text, static_cast<int>(type), warnings);
  }
  if (text.empty()) return fail(ErrorKind::Usage, "Cannot set fields to 'none' for all event types.");
  if (text.find_first_of("+-") == std::string_view::npos) {
    bool again = false;
    for (const Set& set : sets_) again = again || set.user_set;
    if (again) warnings.emplace_back("Overriding previous field request for all events.\n");
    for (Set& set : sets_) {
      set.fields = set.chosen = 0;
      set.user_set = true;
    }
  }
  return parse_words(text, -1, warnings);
}

Result<> ScriptFields::parse_words(std::string_view words, int type, std::vector<std::string>& warnings) {
  enum { Unset, Plain, Changed } style = Unset;
  while (!words.empty()) {
    const auto end = std::min(words.find(','), words.size());
    std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.empty()) continue;
    const bool adding = word.front() == '+', removing = word.front() == '-';
    if ((adding || removing) ? style == Plain : style == Changed) {
      return fail(ErrorKind::Usage, "Cannot mix +-field with overridden fields");
    }
    style = adding || removing ? Changed : Plain;
    if (adding || removing) word.remove_prefix(1);
    const u64 field = bit_of(word);
    if (field == 0) return std::unexpected(unknown_field(word));
    PEREGRINE_TRY(apply_word(field, word, removing, type, warnings));
  }
  return {};
}

Result<> ScriptFields::apply_word(u64 field, std::string_view word, bool removing, int type,
                                  std::vector<std::string>& warnings) {
  const ScriptField& row = rows_[static_cast<std::size_t>(std::countr_zero(field))];
  for (std::size_t i = 0; i < kScriptTypes; ++i) {
    if (type >= 0 && static_cast<std::size_t>(type) != i) continue;
    Set& set = sets_[i];
    if ((set.invalid & field) != 0) {
      if (type >= 0) return fail(ErrorKind::Usage, "'{}' not valid for {} events.", word, kTypeWords[i]);
      warnings.push_back(fmt::format("'{}' not valid for {} events. Ignoring.\n", word, kTypeWords[i]));
      continue;
    }
    if (!removing) set.fields |= bit_of(row.shown_with);
    set.fields = removing ? set.fields & ~field : set.fields | field;
    set.chosen = removing ? set.chosen & ~field : set.chosen | field;
    set.removed = removing ? set.removed | field : set.removed & ~field;
    set.user_set = set.user_set || row.is_choice;
  }
  return {};
}

Result<> ScriptFields::check(const data::Evlist& evlist, const std::vector<std::string>& names, bool has_traces,
                             bool lenient) {
  for (std::size_t i = 0; i < kScriptTypes; ++i) {
    Set& set = sets_[i];
    std::size_t first = 0;
    while (first < evlist.size() &&
           (is_dummy(evlist[first].attr) || script_type(evlist[first].attr) != static_cast<ScriptType>(i))) {
      ++first;
    }
    if (first != evlist.size() && set.fields != 0)
      PEREGRINE_TRY(check_event(set, {evlist[first], names[first], has_traces, lenient}));
  }
  return {};
}

Result<> ScriptFields::check_event(Set& set, const CheckedEvent& checked) const {
  using Turn = FieldNeed::Turn;
  for (const Turn turn : {Turn::Address, Turn::Symbol, Turn::Code, Turn::Last}) {
    u64 done = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const FieldNeed& need = rows_[i].needs;
      if (need.turn != turn || need == FieldNeed() || (done >> i & 1) != 0) continue;
      u64 sharing = 0;
      for (std::size_t k = i; k < rows_.size(); ++k) sharing |= u64{rows_[k].needs == need} << k;
      done |= sharing;
      PEREGRINE_TRY(check_need(set, need, sharing, checked));
    }
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i].shown_with.empty() && (set.fields & bit_of(rows_[i].shown_with)) == 0) set.fields &= ~(u64{1} << i);
  }
  return {};
}

// Checks a requirement of the fields `sharing`: drops those that are defaults only, rejects those that were requested.
Result<> ScriptFields::check_need(Set& set, const FieldNeed& need, u64 sharing, const CheckedEvent& checked) const {
  if ((set.fields & sharing) == 0) return {};
  const abi::EventAttr& attr = checked.event.attr;
  if (need.refusal != nullptr) {
    const std::string_view refusal = need.refusal({set.fields, attr, checked.has_traces, checked.lenient});
    if (!refusal.empty()) return fail(ErrorKind::Usage, "{}", refusal);
  }
  if (need.sample_bits == 0 || (attr.sample_type & need.sample_bits) != 0) return {};
  const u64 named = set.chosen & sharing;
  if (named == 0) {
    set.fields &= ~sharing;
    return {};
  }
  if (checked.lenient && need.lenient) return {};
  return fail(ErrorKind::Usage, "Samples for '{}' event do not have {} attribute set. Cannot print '{}' field.",
              checked.name, need.attribute, rows_[static_cast<std::size_t>(std::countr_zero(named))].name);
}

void ScriptFields::show_pipe_chains(const data::Evlist& evlist) {
  u64 sampled = 0;  // union over the events so far, in file order
  for (const data::Event& event : evlist) {
    sampled |= event.attr.sample_type;
    constexpr u64 kStack = abi::sample_bit::RegsUser | abi::sample_bit::StackUser;
    if ((sampled & (abi::sample_bit::Callchain | abi::sample_bit::BranchStack)) == 0 && (sampled & kStack) != kStack) {
      continue;
    }
    Set& set = sets_[static_cast<std::size_t>(script_type(event.attr))];
    set.fields |= (f::Ip | f::Sym) & ~set.removed;
  }
}

void ScriptFields::show_tracepoint_chains() {
  sets_[static_cast<std::size_t>(ScriptType::Tracepoint)].fields |= f::Ip | f::Sym | f::SymOff | f::Dso;
}

}  // namespace peregrine
