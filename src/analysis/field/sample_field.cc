#include "analysis/field/sample_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <set>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "analysis/field/traced_value.h"
#include "base/nearest.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

namespace {

constexpr std::string_view kFieldWords[] = {"comm", "pid", "tid",    "cpu",  "event",
                                            "sym",  "dso", "period", "addr", "time"};

std::unexpected<Error> unknown(std::string_view word, const std::set<std::string>& known) {
  std::vector<std::string_view> names(std::begin(kFieldWords), std::end(kFieldWords));
  names.insert(names.end(), known.begin(), known.end());
  auto error = fail(ErrorKind::Usage, "no event of this recording has a field '{}'", word);
  if (const auto best = nearest(word, names)) error.error().hint = fmt::format("did you mean '{}'?", *best);
  return error;
}

}  // namespace

std::optional<SampleField::Kind> SampleField::find_kind(std::string_view word) {
  const auto found = std::find(std::begin(kFieldWords), std::end(kFieldWords), word);
  if (found == std::end(kFieldWords)) return std::nullopt;
  return static_cast<Kind>(found - std::begin(kFieldWords));
}

Result<SampleField> SampleField::make(std::string_view word, const data::Evlist& evlist,
                                      const std::vector<std::string>& names, const TraceFormats& formats,
                                      const PrintNames* devices) {
  SampleField made;
  made.name_ = word;
  made.names_ = names;
  made.evlist_ = &evlist;
  made.order_ = formats.order();
  made.places_.resize(evlist.size());
  if (const auto kind = find_kind(word)) {
    made.kind_ = *kind;
    for (Place& place : made.places_) place.present = true;
    return made;
  }
  const auto dot = word.rfind('.');
  const std::string_view event = dot == word.npos ? std::string_view() : word.substr(0, dot);
  const std::string_view field = dot == word.npos ? word : word.substr(dot + 1);
  std::set<std::string> known;
  bool any = false;
  for (std::size_t i = 0; i < evlist.size(); ++i) {
    if (evlist[i].attr.type != static_cast<u32>(abi::EventType::Tracepoint)) continue;
    if (!event.empty() && !names_event(event, names[i])) continue;
    const TraceFormat* const format = formats.format(evlist[i].attr.config);
    const PrintFormat* const print = formats.print_format(evlist[i].attr.config);
    if (format == nullptr || print == nullptr) continue;
    for (const TraceField& each : format->fields) known.insert(each.name);
    const TraceField* const found = format->find(field);
    if (found == nullptr) continue;
    made.places_[i] = {true, found, is_device(*found) ? devices : print->names_of(field)};
    any = true;
  }
  if (!any) return unknown(word, known);
  return made;
}

FieldForm SampleField::kind() const {
  if (kind_ == Kind::Comm || kind_ == Kind::Event || kind_ == Kind::Symbol || kind_ == Kind::Dso)
    return FieldForm::Text;
  bool numbers = false, texts = false, names = false;
  for (const Place& place : places_) {
    if (place.field == nullptr) continue;
    const FieldForm kind = kind_of(*place.field, place.words);
    names |= kind == FieldForm::Named;
    (kind == FieldForm::Text ? texts : numbers) = true;
  }
  if (names || (numbers && texts)) return FieldForm::Named;
  return texts ? FieldForm::Text : FieldForm::Number;
}

std::vector<std::string> SampleField::all(const data::Evlist& evlist, const TraceFormats& formats) {
  std::vector<std::string> names(std::begin(kFieldWords), std::end(kFieldWords));
  for (const data::Event& event : evlist) {
    if (event.attr.type != static_cast<u32>(abi::EventType::Tracepoint)) continue;
    const TraceFormat* const format = formats.format(event.attr.config);
    if (format == nullptr) continue;
    for (const TraceField& field : format->fields)
      if (std::ranges::find(names, field.name) == names.end()) names.push_back(field.name);
  }
  return names;
}

const SampleField::Place* SampleField::place_of(u32 event) const {
  static constexpr Place kLate{.present = true};
  if (event >= places_.size()) return kind_ == Kind::Traced ? nullptr : &kLate;
  return places_[event].present ? &places_[event] : nullptr;
}

void SampleField::append_event_name(std::string& out, u32 event) const {
  if (event < names_.size())
    out += names_[event];
  else
    out += (*evlist_)[event].name;
}

std::optional<i128> SampleField::number(const ReplaySample& sample) const {
  const Place* const found = place_of(sample.event);
  if (found == nullptr) return std::nullopt;
  const Place& place = *found;
  switch (kind_) {
    case Kind::Pid:
      return sample.sample.pid;
    case Kind::Tid:
      return sample.sample.tid;
    case Kind::Cpu:
      return sample.sample.cpu;
    case Kind::Period:
      return sample.period;
    case Kind::Address:
      return sample.sample.addr;
    case Kind::Time:
      return sample.sample.time;
    case Kind::Traced:
      return traced_number(*place.field, sample.sample.raw, order_);
    default:
      return std::nullopt;
  }
}

bool SampleField::append(std::string& out, const ReplaySample& sample, Resolver& resolver) const {
  const Place* const found = place_of(sample.event);
  if (found == nullptr) return false;
  const Place& place = *found;
  const auto frame = [&]() -> const Frame& {
    return resolver.at(resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode()));
  };
  switch (kind_) {
    case Kind::Comm:
      out += resolver.comm(sample.context);
      return true;
    case Kind::Event:
      append_event_name(out, sample.event);
      return true;
    case Kind::Symbol:
      out += frame().symbol ? resolver.symbol_name(frame()) : std::string_view("[unknown]");
      return true;
    case Kind::Dso:
      out += frame().dso ? std::string_view(resolver.machine().dsos().at(frame().dso).name) : "[unknown]";
      return true;
    case Kind::Traced:
      break;
    default: {
      const u64 value = static_cast<u64>(number(sample).value_or(0));
      out += kind_ == Kind::Address ? fmt::format("{:#x}", value) : fmt::to_string(value);
      return true;
    }
  }
  append_traced(out, *place.field, place.words, sample.sample.raw, order_);
  return true;
}

Result<std::vector<SampleField>> make_sample_fields(std::string_view words, const data::Evlist& evlist,
                                                    const std::vector<std::string>& names, const TraceFormats& formats,
                                                    const PrintNames* devices) {
  std::vector<SampleField> fields;
  while (!words.empty()) {
    const auto end = std::min(words.find(','), words.size());
    auto made = SampleField::make(words.substr(0, end), evlist, names, formats, devices);
    if (!made) return std::unexpected(std::move(made.error()));
    fields.push_back(std::move(*made));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return fields;
}

bool append_fields(std::string& out, const std::vector<SampleField>& fields, const ReplaySample& sample,
                   Resolver& resolver) {
  bool first = true;
  for (const SampleField& field : fields) {
    if (!first) out += "  ";
    first = false;
    if (!field.append(out, sample, resolver)) return false;
  }
  return true;
}

}  // namespace peregrine
