#include "cmd/stat/stat_check.h"

#include <fmt/format.h>

#include <expected>
#include <string_view>

#include "analysis/stat/stat_place.h"
#include "base/result.h"
#include "capture/target/target.h"
#include "session/counting/plan/stat_request.h"

namespace peregrine::cmd {

namespace {

std::unexpected<Error> refused_together(std::string_view why) { return fail(ErrorKind::Usage, "{}", why); }

}  // namespace

Result<> check_options(const StatOptions& options, std::string_view program) {
  const StatRequest& request = options.request;
  const TargetRequest& target = request.target;
  const bool has_threads = !target.pids.empty() || !target.tids.empty();
  if (options.separator && options.big_numbers.value_or(false))
    return refused_together("-B option not supported with -x");
  if (!options.output.empty() && options.log_fd) return refused_together("cannot use both --output and --log-fd");
  if (request.timing.interval_count != 0 && request.timing.interval_ms == 0)
    return refused_together("interval-count option should be used together with interval-print.");
  if (request.timing.timeout_ms != 0 && request.timing.timeout_ms < 10)
    return refused_together("timeout must be >= 10ms.");
  if (request.timing.timeout_ms != 0 && request.timing.interval_ms != 0)
    return refused_together("timeout option is not supported with interval-print.");
  if (!request.bpf.programs.empty() && (has_threads || request.rows.aggregation == StatAggregation::Thread))
    return refused_together(
        "--bpf-prog cannot be combined with -p, -t or --per-thread: it counts BPF programs in all threads");
  if (request.bpf.wanted() && (request.recording.wanted || request.control))
    return refused_together("--bpf-counters and --bpf-prog cannot be used with stat record or --control");
  if (request.recording.wanted && request.runs.repeat != 1)
    return refused_together(fmt::format("Cannot use -r option with {} stat record.", program));
  if (options.table && request.runs.repeat <= 1) return refused_together("--table is only supported with -r");
  if (request.rows.aggregation == StatAggregation::Thread && !has_threads && !target.system_wide &&
      !request.runs.command.empty())
    return refused_together(
        "The --per-thread option is only available when monitoring via -p -t -a options or only --per-thread.");
  const bool has_cgroups = request.cgroup.named > 0 || !request.cgroup.each.empty();
  if (request.cgroup.named > 0 && !request.cgroup.each.empty())
    return refused_together("--cgroup and --for-each-cgroup cannot be used together");
  if ((is_by_cpu(request.rows.aggregation) || has_cgroups) &&
      (has_threads || (!target.system_wide && target.cpus.empty() && !request.runs.command.empty())))
    return refused_together("both cgroup and no-aggregation modes only available in system-wide mode");
  return {};
}

Result<> check_ports(const StatOptions& options) {
  const StatRequest& request = options.request;
  const TargetRequest& target = request.target;
  std::string_view option;
  if (!target.pids.empty() || !target.tids.empty()) option = "-p or -t";
  if (request.rows.aggregation == StatAggregation::Thread) option = "--per-thread";
  if (request.cgroup.named > 0 || !request.cgroup.each.empty()) option = "-G or --for-each-cgroup";
  if (!request.values.fields.empty()) option = "--hist";
  if (request.bpf.wanted()) option = "--bpf-counters or --bpf-prog";
  if (!options.versus.empty() || options.multipass) option = "--vs or --multipass";
  if (request.null_run) option = "-n";
  if (option.empty()) return {};
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("--iostat cannot be combined with {}", option)}.with_hint(
      "root port traffic is counted for the whole machine, without other events"));
}

Result<> check_multipass(const StatOptions& options) {
  const StatRequest& request = options.request;
  if (request.runs.command.empty()) return refused_together("--multipass requires a command");
  if (request.timing.interval_ms != 0 || request.recording.wanted)
    return refused_together("--multipass cannot be used with -I or stat record");
  if (request.runs.repeat == 0) return refused_together("--multipass cannot be used with -r 0");
  if (request.control) return refused_together("--multipass cannot be used with --control");
  return {};
}

Result<> check_versus(const StatOptions& options, const std::vector<std::string>& other) {
  const StatRequest& request = options.request;
  if (request.runs.command.empty())
    return refused_together("--vs requires a second command: stat --vs 'OTHER COMMAND' COMMAND");
  if (other.empty()) return refused_together("--vs requires another command");
  if (options.repeat_given && request.runs.repeat < 2)
    return refused_together("--vs requires at least two runs of each command (-r)");
  if (request.timing.interval_ms != 0 || request.recording.wanted)
    return refused_together("--vs cannot be used with -I or stat record");
  if (options.multipass) return refused_together("--vs cannot be used with --multipass");
  // A control channel controls one session; here, runs of two commands alternate, and commands could reach either.
  if (request.control) return refused_together("--vs cannot be used with --control");
  if (request.rows.aggregation != StatAggregation::Global)
    return refused_together("--vs cannot be used with -A or --per-*: it compares totals");
  if (request.metric.only.value_or(false)) return refused_together("--vs cannot be used with --metric-only");
  return {};
}

}  // namespace peregrine::cmd
