#include "cmd/stat/stat_ports.h"

#include "cli/frame/command.h"
#include "cmd/stat/stat_options.h"
#include "event/config/port_event.h"

namespace peregrine::cmd {

namespace {

// Which options ask for something that is not of the whole machine, or no count.
Result<> refuse_contradictions(const StatRequest& request) {
  const TargetRequest& target = request.target;
  std::string_view option;
  if (!target.pids.empty() || !target.tids.empty()) option = "-p and -t";
  if (request.aggregation == StatAggregation::Thread) option = "--per-thread";
  if (request.cgroups > 0 || !request.each_cgroup.empty()) option = "-G and --for-each-cgroup";
  if (!request.value_fields.empty()) option = "--hist";
  if (request.bpf.wanted()) option = "--bpf-counters and --bpf-prog";
  if (!request.versus.empty() || request.multipass) option = "--vs and --multipass";
  if (request.null_run) option = "-n";
  if (option.empty()) return {};
  return std::unexpected(
      Error{ErrorKind::Usage, fmt::format("--iostat does not go together with {}", option)}.with_hint(
          "the traffic of root ports is counted for the whole machine, and nothing else beside it"));
}

// Takes out of the request what ports do not have, and names it.
std::string leave_out(StatRequest& request) {
  std::string names;
  const auto leave = [&](bool given, std::string_view name) {
    if (given) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  };
  const StatMetricRequest& metric = request.metric;
  leave(!request.events.empty(), "-e");
  leave(!metric.words.empty(), "-M");
  leave(metric.topdown || metric.transaction || metric.smi_cost, "--topdown, -T, --smi-cost");
  leave(request.detail > 0, "-d");
  leave(request.aggregation != StatAggregation::Global, "-A, --per-core and the like");
  leave(!request.target.cpus.empty(), "-C");
  request.events.clear();
  request.metric = {};
  request.detail = 0;
  request.group = false;
  request.aggregation = StatAggregation::Global;
  request.target.cpus.clear();
  return names;
}

std::string port_line(const IoPort& port) { return fmt::format("S{}-{}<{}>\n", port.die, port.pmu(), port.address()); }

}  // namespace

Result<> take_ports(StatRequest& request, Invocation& call) {
  PEREGRINE_TRY(refuse_contradictions(request));
  auto ports = read_io_ports(request.sources.root());
  if (!ports) return std::unexpected(std::move(ports.error()));
  std::vector<std::string> absent;
  auto chosen = choose_ports(*ports, *request.port.words, absent);
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  for (const std::string& address : absent)
    call.messages.warning(fmt::format("there is no root port {}", address), "'perf iostat list' shows those there are");
  if (request.verbose > 0)
    for (const IoPort& port : *chosen) call.messages.verbatim(port_line(port));
  if (const std::string names = leave_out(request); !names.empty())
    call.messages.warning(fmt::format("--iostat counts the traffic of whole root ports: without {}", names));
  PEREGRINE_TRY(add_port_events(*chosen, request.sources, request.events));
  request.port.chosen = std::move(*chosen);
  request.port.of_command = !request.target.system_wide && !call.words.empty();
  request.target.system_wide = true;
  return {};
}

Result<> list_ports(const Root& root, Sink& out) {
  auto ports = read_io_ports(root);
  if (!ports) return std::unexpected(std::move(ports.error()));
  for (const IoPort& port : *ports) out.append(port_line(port));
  return {};
}

}  // namespace peregrine::cmd
