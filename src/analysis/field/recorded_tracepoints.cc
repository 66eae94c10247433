#include "analysis/field/recorded_tracepoints.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <initializer_list>
#include <span>
#include <utility>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/print/print_format.h"
#include "event/print/print_names.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/recorded_formats.h"

namespace peregrine {

u64 TracepointView::number(std::size_t field) const {
  return has(field) ? number_of(*fields_[field], raw_, order_) : 0;
}

std::string_view TracepointView::text(std::size_t field) const {
  return has(field) ? text_of(*fields_[field], raw_, order_) : std::string_view();
}

RecordedTracepoints::Known RecordedTracepoints::known_of(const TraceFormat& format) const {
  Known known;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const WantedTracepoint& wanted = wanted_[i];
    if (wanted.system != format.system || wanted.name != format.name) continue;
    for (const std::string_view field : wanted.fields) known.fields.push_back(format.find(field));
    const auto needed = std::span(known.fields).first(std::min(wanted.needed, known.fields.size()));
    if (std::ranges::find(needed, nullptr) == needed.end()) known.which = i;
    break;
  }
  return known;
}

Result<> RecordedTracepoints::learn() {
  const data::Evlist& evlist = reader_.evlist();
  if (events_.size() == evlist.size() && (any() || !has_formats(reader_))) return {};
  auto formats = recorded_formats(reader_);
  if (!formats) return std::unexpected(std::move(formats.error()));
  formats_ = std::move(*formats);
  events_.assign(evlist.size(), {});
  for (std::size_t i = 0; i < evlist.size(); ++i) {
    if (evlist[i].attr.type != static_cast<u32>(abi::EventType::Tracepoint)) continue;
    const TraceFormat* const format = formats_.format(evlist[i].attr.config);
    if (format == nullptr) continue;
    events_[i] = known_of(*format);
    if (events_[i].which) found_[*events_[i].which] = true;
  }
  return {};
}

std::optional<TracepointView> RecordedTracepoints::view(const ReplaySample& sample) const {
  if (!which(sample.event)) return std::nullopt;
  const Known& known = events_[sample.event];
  return TracepointView(*known.which, known.fields, sample.sample.raw, formats_.order());
}

const PrintNames* RecordedTracepoints::names_of(std::size_t which, std::string_view field, std::size_t table) const {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].which != which) continue;
    const PrintFormat* const print = formats_.print_format(reader_.evlist()[i].attr.config);
    if (print == nullptr) return nullptr;
    for (const PrintNames& names : print->names())
      if (names.field == field && table-- == 0) return &names;
    return nullptr;
  }
  return nullptr;
}

std::bitset<128> kinds_of_records(std::initializer_list<abi::RecordType> types) {
  std::bitset<128> kinds;
  for (const abi::RecordType type : types) kinds.set(static_cast<std::size_t>(type));
  return kinds;
}

void TracepointSink::begin_batch() {
  if (error_) return;
  if (auto learnt = tracepoints_.learn(); !learnt) error_ = std::move(learnt.error());
}

void TracepointSink::sample(const ReplaySample& sample, Resolver& resolver, unsigned) {
  if (const auto view = tracepoints_.view(sample)) take(*view, sample, resolver);
}

Result<> TracepointSink::outcome() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace peregrine
