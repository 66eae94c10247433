#include "analysis/timeline/event_role.h"

#include <algorithm>
#include <iterator>

namespace peregrine {

namespace {

struct RoleRow {
  std::string_view system, name;
  EventRole role;
  std::array<std::string_view, 4> fields;
};

constexpr RoleRow kRows[] = {
    {"raw_syscalls", "sys_enter", EventRole::CallBegins, {"id"}},
    {"raw_syscalls", "sys_exit", EventRole::CallEnds, {"id"}},
    {"irq", "irq_handler_entry", EventRole::InterruptBegins, {"irq", "name"}},
    {"irq", "irq_handler_exit", EventRole::InterruptEnds, {"irq"}},
    {"irq", "softirq_entry", EventRole::SoftirqBegins, {"vec"}},
    {"irq", "softirq_exit", EventRole::SoftirqEnds, {"vec"}},
    {"block", "block_rq_issue", EventRole::RequestBegins, {"dev", "sector", "rwbs", "nr_sector"}},
    {"block", "block_rq_complete", EventRole::RequestEnds, {"dev", "sector"}},
    {"power", "cpu_idle", EventRole::IdleState, {"state", "cpu_id"}},
    {"power", "cpu_frequency", EventRole::Frequency, {"state", "cpu_id"}},
};

// "read" of "sys_enter_read"; empty if the name has another form.
std::string_view behind(std::string_view prefix, std::string_view name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view();
}

RoleFields named_role(const TraceFormat& format) {
  const std::string_view name = format.name;
  if (format.system == "syscalls") {
    if (const auto call = behind("sys_enter_", name); !call.empty()) return {EventRole::CallBegins, call};
    if (const auto call = behind("sys_exit_", name); !call.empty()) return {EventRole::CallEnds, call};
  }
  if (format.system != "irq_vectors") return {};
  if (name.ends_with("_entry")) return {EventRole::VectorBegins, name.substr(0, name.size() - 6)};
  if (name.ends_with("_exit")) return {EventRole::VectorEnds, name.substr(0, name.size() - 5)};
  return {};
}

}  // namespace

RoleFields role_of(const TraceFormat& format) {
  const auto* const found = std::ranges::find_if(
      kRows, [&](const RoleRow& row) { return row.system == format.system && row.name == format.name; });
  if (found == std::end(kRows)) return named_role(format);
  RoleFields role{.role = found->role, .name = {}};
  for (std::size_t at = 0; at < role.fields.size(); ++at)
    if (!found->fields[at].empty()) role.fields[at] = format.find(found->fields[at]);
  if (role.fields[0] == nullptr) role.role = EventRole::None;
  return role;
}

}  // namespace peregrine
