#include "analysis/hist/key/trace_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "abi/attr.h"
#include "analysis/field/traced_value.h"
#include "analysis/hist/key/sort_key.h"
#include "base/number/parse_number.h"
#include "base/text/text_buffer.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/print/print_fields.h"
#include "event/print/print_format.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/kernel_names.h"
#include "pipeline/replay/replay.h"

namespace peregrine {
namespace {

// Whether the text before the dot selects the event: "%2", its full name, or part of its name.
bool means(std::string_view word, std::string_view name, u32 event) {
  if (word.starts_with('%')) return parse_number<u32>(word.substr(1)) == event + 1;
  return word.contains(':') ? word == name : name.contains(word);
}

// "… prev_state=R ==> …" → "R". `separator`: between name and value.
std::optional<std::string_view> value_after(std::string_view text, std::string_view name, char separator) {
  for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; at += name.size()) {
    const std::size_t end = at + name.size();
    if ((at != 0 && text[at - 1] != ' ') || end >= text.size() || text[end] != separator) continue;
    return text.substr(end + 1, text.find(' ', end + 1) - end - 1);
  }
  return std::nullopt;
}

}  // namespace

TraceFields::TraceFields(const data::Evlist& evlist, std::vector<std::string> names, TraceFormats formats, bool raw)
    : evlist_(evlist), names_(std::move(names)), formats_(std::move(formats)), raw_(raw) {}

void TraceFields::add(std::vector<SortKey>& to, u32 event, const TraceField& field, bool raw) {
  for (std::size_t at = 0; at < keys_.size(); ++at)
    if (keys_[at].event == event && keys_[at].field == &field && keys_[at].raw == raw) {
      to.push_back(dynamic_key(at));
      return;
    }
  if (keys_.size() == kMostDynamicKeys) return;
  auto shown = SampleField::make(fmt::format("{}.{}", names_[event], field.name), evlist_, names_, formats_);
  if (!shown) return;
  to.push_back(dynamic_key(keys_.size()));
  keys_.push_back({event,
                   &field,
                   raw,
                   std::move(*shown),
                   {field.name, field.size, field.is_string, event, field.is_data_loc || field.is_rel_loc}});
}

std::vector<SortKey> TraceFields::find(std::string_view word) {
  const bool raw = word.ends_with("/raw");
  if (raw) word.remove_suffix(4);
  const std::size_t dot = word.find('.');
  const std::string_view wanted = dot == word.npos ? std::string_view() : word.substr(0, dot);
  const std::string_view name = dot == word.npos ? word : word.substr(dot + 1);
  std::vector<u32> events;
  for (u32 event = 0; event < evlist_.size(); ++event) {
    const bool traced = evlist_[event].attr.type == static_cast<u32>(abi::EventType::Tracepoint);
    if (traced && (wanted.empty() || means(wanted, names_[event], event))) events.push_back(event);
  }
  std::vector<SortKey> result;
  // An ambiguous event name selects nothing.
  if (!wanted.empty() && events.size() > 1) return result;
  for (const u32 event : events) {
    const TraceFormat* const format = formats_.format(evlist_[event].attr.config);
    if (format == nullptr) continue;
    for (const TraceField& field : format->fields)
      if (name == "trace_fields" || field.name == name) add(result, event, field, raw || raw_);
  }
  return result;
}

std::vector<FieldColumn> TraceFields::columns() const {
  std::vector<FieldColumn> result;
  for (const Key& key : keys_) result.push_back(key.column);
  return result;
}

u32 TraceFields::value(std::size_t index, const ReplaySample& sample, Resolver& resolver, Memo& memo) {
  const Key& wanted = keys_[index];
  if (sample.event != wanted.event) return 0;
  memo.bytes.assign(1, static_cast<char>(index));
  if (is_unavailable(*wanted.field, sample.sample.raw, formats_.order()))
    memo.bytes += "unavailable";  // longer than any number; equal strings are shown alike
  else
    for (const std::byte each : bytes_of(*wanted.field, sample.sample.raw, formats_.order()))
      memo.bytes += static_cast<char>(each);
  const auto [at, fresh] = memo.known.try_emplace(memo.bytes, 0);
  if (fresh) at->second = intern(wanted, sample, resolver, memo);
  return at->second;
}

void TraceFields::show(const Key& key, const ReplaySample& sample, Resolver& resolver, std::string& out) const {
  TextBuffer text;
  if (is_unavailable(*key.field, sample.sample.raw, formats_.order())) {
    out = kUnavailable;
    return;
  }
  const auto show_as_recorded = [&] {
    text.clear();
    put_field_value(text, *key.field, sample.sample.raw, formats_.order());
    const std::string_view shown = text.view();
    out = shown.substr(std::min(shown.find_first_not_of(' '), shown.size()));
  };
  if (key.raw) return show_as_recorded();
  const PrintFormat* const print = formats_.print_format(evlist_[key.event].attr.config);
  if (print != nullptr && !key.field->is_string) {
    KernelNames kernel(resolver, sample.context);
    print->print(text, sample.sample.raw, &kernel);
    auto value = value_after(text.view(), key.field->name, '=');
    // "function %ps"
    if (!value && print->is_symbol(key.field->name)) value = value_after(text.view(), key.field->name, ' ');
    if (value) {
      out = *value;
      return;
    }
  }
  // Reports have linux-perf's text for arrays and devices.
  if (key.field->is_array || is_device(*key.field)) return show_as_recorded();
  key.shown.append(out, sample, resolver);
}

u32 TraceFields::intern(const Key& key, const ReplaySample& sample, Resolver& resolver, Memo& memo) {
  memo.text.clear();
  show(key, sample, resolver, memo.text);
  const std::scoped_lock lock(mutex_);
  const auto [at, fresh] = ids_.try_emplace(memo.bytes, static_cast<u32>(texts_.size()));
  if (fresh) texts_.push_back({memo.bytes, memo.text});
  return at->second;
}

}  // namespace peregrine
