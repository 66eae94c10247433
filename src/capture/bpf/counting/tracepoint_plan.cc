#include "capture/bpf/counting/tracepoint_plan.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "abi/attr.h"
#include "base/types.h"
#include "capture/bpf/counting/tracepoint_count.h"
#include "capture/bpf/counting/tracepoint_counter.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {
namespace {

// Knows which names do not identify exactly one tracepoint.
class Names {
 public:
  explicit Names(const Root& root) {
    const auto tracefs = Tracefs::find(root);
    if (!tracefs) return;
    available_ = tracefs->file("available_events").value_or("");
    probes_ = tracefs->file("dynamic_events").value_or("");
    for (std::size_t at = 0; at < available_.size();) {
      const std::size_t end = std::min(available_.find('\n', at), available_.size());
      const std::string_view line = std::string_view(available_).substr(at, end - at);
      if (const auto colon = line.find(':'); colon != line.npos) ++uses_[line.substr(colon + 1)];
      at = end + 1;
    }
  }
  bool known() const { return !uses_.empty(); }
  bool is_plain(const EventSpec& spec) const {
    const auto uses = uses_.find(spec.tracepoint);
    return uses != uses_.end() && uses->second == 1 &&
           probes_.find(spec.system + "/" + spec.tracepoint + " ") == probes_.npos;
  }

 private:
  std::string available_, probes_;
  std::map<std::string_view, unsigned> uses_;
};

// The five tracepoints that the kernel declares with __perf_count.
bool counts_amount(const EventSpec& spec) {
  constexpr std::string_view kNames[] = {"sched_stat_wait", "sched_stat_sleep", "sched_stat_iowait",
                                         "sched_stat_blocked", "sched_stat_runtime"};
  return spec.system == "sched" && std::ranges::find(kNames, spec.tracepoint) != std::end(kNames);
}

bool alike(const abi::EventAttr& one, const abi::EventAttr& other) {
  namespace flag = abi::attr_flag;
  return ((one.flags ^ other.flags) & (flag::Disabled | flag::EnableOnExec | flag::Inherit)) == 0;
}

}  // namespace

TracepointPlan plan_tracepoints(const EventList& events, const Root& root) {
  constexpr std::string_view kEnter = "sys_enter_", kExit = "sys_exit_";
  TracepointPlan plan;
  const Names names(root);
  if (!names.known()) return plan;
  const EventSpec* first = nullptr;
  std::map<std::pair<bool, u32>, u32> numbers;  // of system calls; a repeated one shares its counter
  for (std::size_t i = 0; i < events.size(); ++i) {
    const EventSpec& spec = events[i];
    if (!TracepointCounter::may_take(events, i) || (first != nullptr && !alike(first->attr, spec.attr))) continue;
    const std::string_view name = spec.tracepoint;
    const bool enters = name.starts_with(kEnter), leaves = name.starts_with(kExit);
    if (spec.system == "syscalls" && (enters || leaves)) {
      const auto call = abi::syscall_number(abi::kHostArch, name.substr(enters ? kEnter.size() : kExit.size()));
      if (!call || *call >= kSyscalls) continue;
      const auto [known, fresh] = numbers.try_emplace({enters, *call}, plan.counters);
      if (fresh) ++plan.counters;
      plan.syscalls.push_back({i, known->second, *call, enters});
    } else {
      if (!names.is_plain(spec)) continue;
      plan.hits.push_back({i, plan.counters++, spec.tracepoint, counts_amount(spec)});
    }
    if (first == nullptr) first = &spec;
  }
  return plan;
}

}  // namespace peregrine
