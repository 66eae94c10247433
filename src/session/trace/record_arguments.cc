#include "session/trace/record_arguments.h"

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "event/config/callgraph.h"
#include "event/syscall/signature.h"
#include "sys/process/process.h"

namespace peregrine {

namespace {

using Arguments = std::vector<std::string>;

void append(Arguments& arguments, std::initializer_list<std::string> more) { arguments.insert(arguments.end(), more); }

// Only the chosen calls, if they are few enough to be named in a filter.
std::string call_filter(const TraceRequest& request) {
  constexpr unsigned kMostNamed = 32;
  if (!request.calls.any()) return {};
  const Signatures signatures(abi::syscall_set(abi::kHostArch));
  const std::vector<bool> chosen = request.calls.chosen(signatures);
  std::string filter;
  unsigned count = 0;
  for (std::size_t number = 0; number < chosen.size(); ++number) {
    if (!chosen[number] || signatures.of(static_cast<u32>(number)).name.empty()) continue;
    if (++count > kMostNamed) return {};
    filter += fmt::format("{}id == {}", filter.empty() ? "" : " || ", number);
  }
  return filter;
}

void add_call_events(const TraceRequest& request, Arguments& arguments) {
  if (!request.wants_calls()) return;
  const std::string filter = call_filter(request);
  for (const char* event : {"raw_syscalls:sys_enter", "raw_syscalls:sys_exit"}) {
    append(arguments, {"-e", event});
    if (!filter.empty()) append(arguments, {"--filter", filter});
  }
}

void add_fault_events(const TraceRequest& request, Arguments& arguments) {
  if (request.faults == "all" || request.faults == "maj") append(arguments, {"-e", "major-faults"});
  if (request.faults == "all" || request.faults == "min") append(arguments, {"-e", "minor-faults"});
  if (!request.faults.empty()) arguments.emplace_back("-d");
}

}  // namespace

std::vector<std::string> event_arguments(const TraceRequest& request) {
  Arguments arguments{"-R", "-c", "1"};
  if (request.ring_bytes != 0) append(arguments, {"-m", fmt::format("{}B", request.ring_bytes)});
  if (!request.inherit) arguments.emplace_back("--no-inherit");
  if (const auto chains = request.chains(); !chains || chains->enabled())
    append(arguments, {"--call-graph", !request.call_graph.empty()            ? request.call_graph
                                       : chains->mode == CallgraphMode::Dwarf ? "dwarf"
                                                                              : "fp"});
  add_call_events(request, arguments);
  add_fault_events(request, arguments);
  if (request.sched) append(arguments, {"-e", "sched:sched_stat_runtime"});
  arguments.insert(arguments.end(), request.event_options.begin(), request.event_options.end());
  return arguments;
}

std::vector<std::string> target_arguments(const TargetRequest& target, std::optional<Pid> workload) {
  Arguments arguments;
  if (workload) append(arguments, {"-p", fmt::format("{}", *workload)});
  if (!target.pids.empty()) append(arguments, {"-p", target.pids});
  if (!target.tids.empty()) append(arguments, {"-t", target.tids});
  if (!arguments.empty()) return arguments;
  if (!target.user.empty()) append(arguments, {"-u", target.user});
  if (!target.cpus.empty()) append(arguments, {"-C", target.cpus});
  if (arguments.empty()) arguments.emplace_back("-a");
  return arguments;
}

}  // namespace peregrine
