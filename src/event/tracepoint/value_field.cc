#include "event/tracepoint/value_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/filter/field_filter.h"
#include "event/filter/filter_text.h"
#include "event/syntax/parse.h"

namespace peregrine {

namespace {

bool is_number(const TraceField& field) {
  const bool fits = field.size == 1 || field.size == 2 || field.size == 4 || field.size == 8;
  return fits && !field.is_string && !field.is_array && !field.is_data_loc && !field.is_rel_loc;
}

Result<TraceField> find_number(const TraceFormat& format, std::string_view name) {
  const TraceField* field = format.find(name);
  if (field != nullptr && is_number(*field)) return *field;
  std::vector<std::string_view> numbers;
  std::string listed;
  for (const TraceField& each : format.fields) {
    if (!is_number(each)) continue;
    numbers.push_back(each.name);
    listed += (listed.empty() ? "" : ", ") + each.name;
  }
  if (field != nullptr) {
    auto error = fail(ErrorKind::Usage, "'{}' of {}:{} is not numeric: {}", name, format.system, format.name,
                      field->declaration);
    error.error().hint = fmt::format("numeric fields: {}", listed);
    return error;
  }
  auto error = fail(ErrorKind::NotFound, "{}:{} has no field '{}'", format.system, format.name, name);
  const auto near = nearest(name, numbers);
  error.error().hint = near ? fmt::format("did you mean '{}'?", *near) : fmt::format("numeric fields: {}", listed);
  return error;
}

Result<TraceFormat> format_of(const EventSpec& event, EventSources& sources) {
  const auto tracefs = sources.tracefs();
  if (!tracefs) return std::unexpected(tracefs.error());
  const auto text = (*tracefs)->format(event.system, event.tracepoint);
  if (!text) return std::unexpected(text.error());
  return parse_trace_format(event.system, *text);
}

}  // namespace

Result<> filter_values(ValueField& field, std::string_view filter, EventSources& sources) {
  const auto format = format_of(field.event, sources);
  if (!format) return std::unexpected(format.error());
  const std::string whole =
      field.filter.empty() ? std::string(filter) : fmt::format("({}) && ({})", field.filter, filter);
  auto tests = parse_field_filter(whole, *format);
  if (!tests) return std::unexpected(format_filter_error(whole, tests.error()));
  field.filter = whole;
  field.tests = std::move(*tests);
  return {};
}

Result<ValueField> parse_value_field(std::string_view words, EventSources& sources) {
  const auto first = words.find(':'), last = words.rfind(':');
  if (first == words.npos || first == last)
    return fail(ErrorKind::Usage, "expected SYSTEM:EVENT:FIELD (such as sched:sched_stat_runtime:runtime), found '{}'",
                words);
  EventList list;
  PEREGRINE_TRY(parse_events(words.substr(0, last), sources, list));
  if (list.size() != 1 || !list[0].is_tracepoint())
    return fail(ErrorKind::Usage, "expected a single tracepoint: '{}'", words.substr(0, last));
  const auto format = format_of(list[0], sources);
  if (!format) return std::unexpected(format.error());
  auto field = find_number(*format, words.substr(last + 1));
  if (!field) return std::unexpected(std::move(field.error()));
  return ValueField{std::string(words), std::move(list[0]), std::move(*field), {}, {}};
}

Result<std::vector<i64>> parse_value_bounds(std::string_view words) {
  constexpr std::size_t kMost = 64;  // kMostBounds of the BPF program
  std::vector<i64> bounds;
  for (std::size_t at = 0; at <= words.size();) {
    const auto end = std::min(words.find(',', at), words.size());
    const std::string_view word = trim(words.substr(at, end - at));
    const auto bound = parse_number<i64>(word);
    if (!bound) return fail(ErrorKind::Usage, "'{}' is not a number: value ranges must start with a number", word);
    if (!bounds.empty() && *bound <= bounds.back())
      return fail(ErrorKind::Usage, "{} is not above {}: value ranges must be in ascending order", *bound,
                  bounds.back());
    bounds.push_back(*bound);
    at = end + 1;
  }
  if (bounds.size() > kMost)
    return fail(ErrorKind::Usage, "{} value ranges exceed the maximum of {}", bounds.size(), kMost);
  return bounds;
}

}  // namespace peregrine
