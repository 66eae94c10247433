#include "session/trace/trace_request.h"

#include <algorithm>

#include "base/result.h"

namespace peregrine {

Result<CallgraphRequest> TraceRequest::chains() const {
  if (!call_graph.empty()) return parse_callgraph(call_graph);
  if (max_stack || min_stack) return parse_callgraph("dwarf");
  return kernel_graph ? parse_callgraph("fp") : CallgraphRequest();
}

bool TraceRequest::resolves() const {
  const bool by_event = std::ranges::any_of(
      events, [](const EventSpec& event) { return event.terms.callgraph || event.terms.max_stack; });
  return by_event || !faults.empty() || !call_graph.empty() || max_stack || min_stack;
}

bool TraceRequest::names(std::string_view name, const abi::EventAttr& attr) const {
  return std::ranges::any_of(events, [&](const EventSpec& event) {
    // The numbers of tracepoints differ between kernels.
    const bool same = !event.is_tracepoint() && event.attr.type == attr.type && event.attr.config == attr.config;
    return same || event.name == name;
  });
}

bool TraceRequest::wants_samples() const {
  const bool by_time = std::ranges::any_of(events, [](const EventSpec& event) { return event.terms.freq.has_value(); });
  const bool by_branches = call_graph.starts_with("lbr");
  const bool by_calls = switch_on.starts_with("raw_syscalls:") || switch_off.starts_with("raw_syscalls:");
  // The sums computed by the programs cover all calls.
  const bool by_lines = summing() && (!switch_on.empty() || !switch_off.empty() || min_stack);
  return by_time || by_branches || by_calls || by_lines || kernel_graph || print_samples;
}

}  // namespace peregrine
