#include "event/parse.h"

namespace peregrine {

Result<> set_filter(EventList& list, std::size_t first, std::string_view filter) {
  if (first >= list.size())
    return fail(ErrorKind::Usage, "--filter option should follow a -e tracepoint or HW tracer option");
  for (std::size_t i = first; i < list.size(); ++i)
    if (!list[i].is_tracepoint())
      return fail(ErrorKind::Usage, "--filter option should follow a -e tracepoint or HW tracer option");
  for (std::size_t i = first; i < list.size(); ++i) {
    auto& own = list[i].filter;
    own = own ? fmt::format("({}) && ({})", *own, filter) : std::string(filter);
  }
  return {};
}

Result<> exclude_process(EventList& list, std::size_t first, i32 pid) {
  bool any = false;
  for (std::size_t i = first; i < list.size(); ++i) any = any || list[i].is_tracepoint();
  if (!any) return fail(ErrorKind::Usage, "--exclude-perf option should follow a -e tracepoint option");
  const auto condition = fmt::format("common_pid != {}", pid);
  for (std::size_t i = first; i < list.size(); ++i) {
    if (!list[i].is_tracepoint()) continue;
    auto& own = list[i].filter;
    own = own ? fmt::format("({}) && ({})", *own, condition) : condition;
  }
  return {};
}

}  // namespace peregrine
