#include "event/filter_text.h"
#include "event/parse.h"
#include "event/sample_filter.h"

namespace peregrine {

namespace {

void add_condition(EventSpec& spec, std::string_view condition) {
  spec.filter = spec.filter ? fmt::format("({}) && ({})", *spec.filter, condition) : std::string(condition);
}

// Nothing where the fields cannot be read: the kernel judges then.
std::optional<TraceFormat> format_of(EventSources& sources, const EventSpec& spec) {
  const auto tracefs = sources.tracefs();
  if (!tracefs) return std::nullopt;
  const auto text = (*tracefs)->format(spec.system, spec.tracepoint);
  if (!text) return std::nullopt;
  auto format = parse_trace_format(spec.system, *text);
  if (!format) return std::nullopt;
  return std::move(*format);
}

// The nearest event before `end` that the filter would fit.
const EventSpec* fitting_event(EventSources& sources, const EventList& list, std::size_t end, std::string_view filter) {
  for (std::size_t i = end; i-- > 0;) {
    if (!list[i].is_tracepoint()) continue;
    const auto format = format_of(sources, list[i]);
    if (format && kernel_filter(filter, *format)) return &list[i];
  }
  return nullptr;
}

std::string meant_for(const EventSpec& spec) {
  return fmt::format("it fits {}: a filter belongs to the -e right before it", spec.name);
}

// A second filter of the same event must hold as well.
Result<> filter_samples(EventSpec& spec, std::string_view filter) {
  if (const auto parsed = parse_sample_filter(filter); !parsed)
    return std::unexpected(format_filter_error(filter, parsed.error()));
  add_condition(spec, filter);
  return {};
}

}  // namespace

Result<> set_filter(EventSources& sources, EventList& list, std::size_t first, std::string_view filter, FilterUse use) {
  constexpr std::string_view kMisplaced = "--filter option should follow a -e tracepoint or HW tracer option";
  if (first >= list.size()) return fail(ErrorKind::Usage, "{}", kMisplaced);
  for (std::size_t i = first; i < list.size(); ++i) {
    if (list[i].is_tracepoint()) continue;
    if (use == FilterUse::Sampling) {
      PEREGRINE_TRY(filter_samples(list[i], filter));
      continue;
    }
    auto refused = fail(ErrorKind::Usage, "{}", kMisplaced);
    if (const EventSpec* other = fitting_event(sources, list, list.size(), filter))
      refused.error().hint = meant_for(*other);
    return refused;
  }
  for (std::size_t i = first; i < list.size(); ++i) {
    if (!list[i].is_tracepoint()) continue;
    const auto format = format_of(sources, list[i]);
    if (!format) {
      add_condition(list[i], filter);
      continue;
    }
    auto checked = kernel_filter(filter, *format);
    if (!checked) {
      if (const EventSpec* other = fitting_event(sources, list, first, filter))
        checked.error().hint = meant_for(*other);
      return std::unexpected(format_filter_error(filter, checked.error()));
    }
    add_condition(list[i], *checked);
  }
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

}  // namespace peregrine
