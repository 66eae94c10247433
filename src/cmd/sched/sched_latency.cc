// sched latency: who waited for a CPU, how long, and when longest.
#include "analysis/sched/sched_latency.h"

#include <algorithm>

#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sched/sched_parts.h"
#include "output/text/sched/sched_latency_text.h"

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
           .help = "only events on this CPU",
           .store = set<&LatencyOptions::cpu>},
    Option{.name = "hist-mode",
           .value = Value::Required,
           .metavar = "log|linear",
           .help = "histogram ranges: each twice as wide as the last (log, default) or all equal (linear)",
           .store = set<&LatencyOptions::scale>,
           .since = Since::Ours},
    Option{.name = "histogram",
           .letter = 'H',
           .help = "add a histogram of the delays",
           .store = set<&LatencyOptions::histogram>,
           .since = Since::Ours},
    Option{.name = "pids",
           .letter = 'p',
           .help = "show one row per task instead of one per name",
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
           .help = "only waits that end in this span, in seconds; either end may be omitted",
           .store = set<&LatencyOptions::times>,
           .since = Since::Ours},
};
constexpr auto kSchedLatencyOptions = joined_rows(kSchedLatencyOwnRows, kTracedInputRows<LatencyOptions>);

Result<std::vector<SchedLatencyKey>> latency_keys(const std::string& sort) {
  constexpr std::pair<std::string_view, SchedLatencyKey> kWords[] = {{"avg", SchedLatencyKey::Average},
                                                                     {"max", SchedLatencyKey::Most},
                                                                     {"pid", SchedLatencyKey::Pid},
                                                                     {"runtime", SchedLatencyKey::Runtime},
                                                                     {"switch", SchedLatencyKey::Switches}};
  std::vector<SchedLatencyKey> keys;
  std::string blanks_too = sort;
  std::ranges::replace(blanks_too, ' ', ',');
  for (const std::string& word : split_words(blanks_too)) {
    const auto* const found = std::ranges::find(kWords, word, &std::pair<std::string_view, SchedLatencyKey>::first);
    if (found == std::end(kWords))
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("Unknown --sort key: `{}'", word)}.with_hint(
          "there are avg, max, switch, runtime, pid"));
    keys.push_back(found->second);
  }
  return keys;
}

Result<SchedLatency::Request> request_of(const LatencyOptions& options, const data::Reader& reader) {
  SchedLatency::Request request{.cpu = options.cpu, .by_task = options.by_task};
  if (options.histogram)
    request.histogram = options.scale == "log" ? DelayHistogram::Scale::Log : DelayHistogram::Scale::Linear;
  auto windows = choose_times(options.times, reader);
  if (!windows) return std::unexpected(std::move(windows.error()));
  if (windows->size() > 1) return fail(ErrorKind::Usage, "--time must be a single span here");
  if (!windows->empty()) request.window = windows->front();
  return request;
}

Result<int> sched_latency(LatencyOptions& options, Invocation& call) {
  const auto keys = latency_keys(options.sort);
  if (!keys) return std::unexpected(keys.error());
  if (options.scale != "log" && options.scale != "linear")
    return fail(ErrorKind::Usage, "--hist-mode must be log or linear, not '{}'", options.scale);
  if (options.input.dump) return dump_traced(options.input, call);
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  auto request = request_of(options, *recording->reader);
  if (!request) return std::unexpected(std::move(request.error()));
  SchedLatency latency(*recording->reader, *request);
  PEREGRINE_TRY(replay_traced(*recording, latency, call));
  print_sched_latency(latency, latency.rows(*recording->machine, *keys), call.out);
  if (latency.histogram()) print_delay_histogram(*latency.histogram(), call.out);
  return 0;
}

}  // namespace

constinit const Command kSchedLatency{.name = "sched latency",
                                      .summary = "Show how long tasks waited for a CPU",
                                      .options = kSchedLatencyOptions,
                                      .run = entry<LatencyOptions, confined<LatencyOptions, sched_latency>>};

}  // namespace peregrine::cmd
