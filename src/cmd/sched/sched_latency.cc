// sched latency: which tasks waited for a CPU, how long, and when they waited longest.
#include <array>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "analysis/sched/delay_histogram.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "session/sched/sched_session.h"

namespace peregrine::cmd {

namespace {

struct LatencyOptions {
  TracedInput input;
  std::optional<u32> cpu;
  bool by_task = false;
  bool histogram = false;
  std::string sort = "avg,max,switch,runtime", scale = "log", times;
};
constexpr std::array kSchedLatencyOwnRows{
    Option{.name = "CPU",
           .letter = 'C',
           .value = Value::Required,
           .metavar = "n",
           .help = "use only events on this CPU",
           .store = set<&LatencyOptions::cpu>},
    Option{.name = "hist-mode",
           .value = Value::Required,
           .metavar = "log|linear",
           .help = "use histogram ranges that double (log, default) or are equal (linear)",
           .store = set<&LatencyOptions::scale>,
           .since = Since::Ours},
    Option{.name = "histogram",
           .letter = 'H',
           .help = "add a histogram of the delays",
           .store = set<&LatencyOptions::histogram>,
           .since = Since::Ours},
    Option{.name = "pids",
           .letter = 'p',
           .help = "show one row per task instead of per name",
           .store = set<&LatencyOptions::by_task>},
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key[,key2...]",
           .help = "sort by avg, max, switch, runtime, pid; largest first",
           .store = set<&LatencyOptions::sort>},
    Option{.name = "time",
           .value = Value::Required,
           .metavar = "start,stop",
           .help = "show only waits that end in this time span, in seconds; either end may be omitted",
           .store = set<&LatencyOptions::times>,
           .since = Since::Ours},
};
constexpr auto kSchedLatencyOptions = joined_rows(kSchedLatencyOwnRows, kTracedInputRows<LatencyOptions>);

Result<int> sched_latency(LatencyOptions& options, Invocation& call) {
  auto keys = parse_latency_keys(options.sort);
  if (!keys) return std::unexpected(std::move(keys.error()));
  if (options.scale != "log" && options.scale != "linear")
    return fail(ErrorKind::Usage, "invalid --hist-mode '{}': must be log or linear", options.scale);
  if (options.input.dump) return dump_traced(options.input, call);
  DelayRequest request{
      .which = {.cpu = options.cpu, .by_task = options.by_task}, .times = options.times, .order = std::move(*keys)};
  if (options.histogram)
    request.which.histogram = options.scale == "log" ? DelayHistogram::Scale::Log : DelayHistogram::Scale::Linear;
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  PEREGRINE_TRY(show_delays(*recording, request, call.out, call.messages));
  return 0;
}

}  // namespace

constinit const Command kSchedLatency{.name = "sched latency",
                                      .summary = "Show how long tasks waited for a CPU",
                                      .options = kSchedLatencyOptions,
                                      .run = entry<LatencyOptions, confined<LatencyOptions, sched_latency>>};

}  // namespace peregrine::cmd
