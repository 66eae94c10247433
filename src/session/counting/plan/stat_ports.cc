#include "session/counting/plan/stat_ports.h"

#include <fmt/format.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/stat/stat_place.h"
#include "event/config/port_event.h"
#include "sys/hardware/io_port.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Drops the parts of the request that do not apply to ports, and returns their options.
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
  leave(request.rows.aggregation != StatAggregation::Global, "-A, --per-core etc.");
  leave(!request.target.cpus.empty(), "-C");
  request.events.clear();
  request.metric = {.load = std::move(request.metric.load)};
  request.detail = 0;
  request.opening.group = false;
  request.rows.aggregation = StatAggregation::Global;
  request.target.cpus.clear();
  return names;
}

std::string port_line(const IoPort& port) { return fmt::format("S{}-{}<{}>\n", port.die, port.pmu(), port.address()); }

}  // namespace

Result<> take_ports(StatRequest& request, SessionListener& listener) {
  auto ports = read_io_ports(request.sources.root());
  if (!ports) return std::unexpected(std::move(ports.error()));
  std::vector<std::string> absent;
  auto chosen = choose_ports(*ports, *request.port.words, absent);
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  for (const std::string& address : absent)
    listener.warning(fmt::format("no root port {}", address), "'perf iostat list' lists the root ports");
  if (request.verbose)
    for (const IoPort& port : *chosen) listener.verbatim(port_line(port));
  if (const std::string names = leave_out(request); !names.empty())
    listener.warning(fmt::format("--iostat counts the traffic of whole root ports: ignoring {}", names));
  PEREGRINE_TRY(add_port_events(*chosen, request.sources, request.events));
  request.port.chosen = std::move(*chosen);
  request.port.of_command = !request.target.system_wide && !request.runs.command.empty();
  request.target.system_wide = true;
  return {};
}

Result<> list_ports(const Root& root, Sink& out) {
  auto ports = read_io_ports(root);
  if (!ports) return std::unexpected(std::move(ports.error()));
  for (const IoPort& port : *ports) out.append(port_line(port));
  return {};
}

}  // namespace peregrine
