#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/filter/address_filter.h"
#include "event/filter/filter_text.h"
#include "event/filter/sample_filter.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"

namespace peregrine {

namespace {

constexpr std::string_view kMisplaced = "--filter option should follow a -e tracepoint or HW tracer option";
constexpr std::string_view kPmuFolder = "/sys/bus/event_source/devices";

void add_condition(EventSpec& spec, std::string_view condition) {
  spec.filter = spec.filter ? fmt::format("({}) && ({})", *spec.filter, condition) : std::string(condition);
}

// nullopt if the fields are unreadable; the kernel then checks the filter.
std::optional<TraceFormat> format_of(EventSources& sources, const EventSpec& spec) {
  const auto tracefs = sources.tracefs();
  if (!tracefs) return std::nullopt;
  const auto text = (*tracefs)->format(spec.system, spec.tracepoint);
  if (!text) return std::nullopt;
  auto format = parse_trace_format(spec.system, *text);
  if (!format) return std::nullopt;
  if (sources.enumerations) add_enumerators(*sources.enumerations, *format);
  return std::move(*format);
}

// The nearest event before `end` with fields that match the filter.
const EventSpec* fitting_event(EventSources& sources, const EventList& list, std::size_t end, std::string_view filter) {
  for (std::size_t i = end; i-- > 0;) {
    if (!list[i].is_tracepoint()) continue;
    const auto format = format_of(sources, list[i]);
    if (format && kernel_filter(filter, *format)) return &list[i];
  }
  return nullptr;
}

std::string meant_for(const EventSpec& spec) {
  return fmt::format("it matches {}: a filter applies to the -e right before it", spec.name);
}

// Several filters of one event are joined by &&.
Result<> filter_samples(EventSpec& spec, std::string_view filter) {
  if (const auto parsed = parse_sample_filter(filter); !parsed)
    return std::unexpected(format_filter_error(filter, parsed.error()));
  add_condition(spec, filter);
  return {};
}

// The hardware tracer applies these filters; each of its `slots` holds one region of code.
Result<> filter_addresses(EventSources& sources, EventSpec& spec, std::string_view filter, i64 slots) {
  const auto symbols = system_code_symbols(sources.root());
  auto parsed = address_filters(filter, *symbols);
  if (!parsed) return std::unexpected(format_filter_error(filter, parsed.error()));
  const auto before = spec.filter ? std::ranges::count(*spec.filter, ',') + 1 : 0;
  if (const auto count = before + static_cast<i64>(parsed->count); count > slots) {
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("{}: too many address filters ({})", spec.name, count)}.with_hint(
            fmt::format("{} supports {}", spec.pmu, slots)));
  }
  spec.filter = spec.filter ? *spec.filter + "," + parsed->text : std::move(parsed->text);
  spec.filters_addresses = true;
  return {};
}

// Handles events other than tracepoints.
Result<> filter_other(EventSources& sources, EventList& list, std::size_t index, std::string_view filter,
                      FilterUse use) {
  EventSpec& spec = list[index];
  const i64 slots = spec.pmu.empty()
                        ? 0
                        : sources.root().number(fmt::format("{}/{}/nr_addr_filters", kPmuFolder, spec.pmu)).value_or(0);
  if (slots > 0) return filter_addresses(sources, spec, filter, slots);
  if (looks_like_address_filter(filter)) {
    return std::unexpected(Error{ErrorKind::Unsupported, "This CPU does not support address filtering"}.with_hint(
        fmt::format("{}: only hardware tracers (intel_pt, cs_etm) filter by address", spec.name)));
  }
  if (use == FilterUse::Sampling) return filter_samples(spec, filter);
  auto refused = fail(ErrorKind::Usage, "{}", kMisplaced);
  if (const EventSpec* other = fitting_event(sources, list, list.size(), filter))
    refused.error().hint = meant_for(*other);
  return refused;
}

// `first` is the first event of the same -e option.
Result<> filter_tracepoint(EventSources& sources, EventList& list, std::size_t index, std::size_t first,
                           std::string_view filter) {
  const auto format = format_of(sources, list[index]);
  if (!format) {
    add_condition(list[index], filter);
    return {};
  }
  auto checked = kernel_filter(filter, *format);
  if (!checked) {
    if (const EventSpec* other = fitting_event(sources, list, first, filter)) checked.error().hint = meant_for(*other);
    return std::unexpected(format_filter_error(filter, checked.error()));
  }
  add_condition(list[index], *checked);
  return {};
}

}  // namespace

Result<> set_filter(EventSources& sources, EventList& list, std::size_t first, std::string_view filter, FilterUse use) {
  if (first >= list.size()) return fail(ErrorKind::Usage, "{}", kMisplaced);
  for (std::size_t i = first; i < list.size(); ++i)
    if (!list[i].is_tracepoint()) PEREGRINE_TRY(filter_other(sources, list, i, filter, use));
  for (std::size_t i = first; i < list.size(); ++i)
    if (list[i].is_tracepoint()) PEREGRINE_TRY(filter_tracepoint(sources, list, i, first, filter));
  return {};
}

Result<> exclude_process(EventList& list, std::size_t first, i32 pid) {
  bool any = false;
  for (std::size_t i = first; i < list.size(); ++i) any = any || list[i].is_tracepoint();
  if (!any) return fail(ErrorKind::Usage, "--exclude-perf option should follow a -e tracepoint option");
  for (std::size_t i = first; i < list.size(); ++i)
    if (list[i].is_tracepoint()) add_condition(list[i], fmt::format("common_pid != {}", pid));
  return {};
}

void exclude_from_patterns(EventList& list, i32 pid) {
  for (EventSpec& spec : list)
    if (spec.from_pattern && spec.name != "sched:sched_switch")
      add_condition(spec, fmt::format("common_pid != {}", pid));
}

}  // namespace peregrine
