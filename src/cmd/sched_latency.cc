// sched latency: who waited for a CPU, how long, and when longest.
#include "analysis/sched/sched_latency.h"

#include <algorithm>

#include "cmd/sched_parts.h"
#include "cmd/traced_recording.h"
#include "output/text/sched_latency_text.h"

namespace peregrine::cmd {

namespace {

struct LatencyOptions {
  TracedInput input;
  std::optional<u32> cpu;
  bool by_task = false;
  std::string sort = "avg,max,switch,runtime";
};
constexpr std::array kOwn{
    Option{.name = "CPU",
           .letter = 'C',
           .value = Value::Required,
           .metavar = "n",
           .help = "what happens on this CPU only",
           .store = set<&LatencyOptions::cpu>},
    Option{.name = "pids",
           .letter = 'p',
           .help = "each task in a row of its own, not those of one name together",
           .store = set<&LatencyOptions::by_task>},
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key[,key2...]",
           .help = "the largest first of: avg, max, switch, runtime, pid",
           .store = set<&LatencyOptions::sort>},
};
constexpr auto kOptions = joined_rows(kOwn, kTracedInputRows<LatencyOptions>);

Result<std::vector<SchedLatencyKey>> keys_of(const std::string& sort) {
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

Result<int> sched_latency(LatencyOptions& options, Invocation& call) {
  const auto keys = keys_of(options.sort);
  if (!keys) return std::unexpected(keys.error());
  if (options.input.dump) return dump_traced(options.input, call);
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  SchedLatency latency(*recording->reader, {.cpu = options.cpu, .by_task = options.by_task});
  PEREGRINE_TRY(replay_traced(*recording, latency, call));
  print_sched_latency(latency, latency.rows(*recording->machine, *keys), call.out);
  return 0;
}

}  // namespace

constinit const Command kSchedLatency{.name = "sched latency",
                                      .summary = "How long tasks waited for a CPU",
                                      .options = kOptions,
                                      .run = entry<LatencyOptions, sched_latency>};

}  // namespace peregrine::cmd
