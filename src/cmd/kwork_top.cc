// kwork top: how busy each CPU was, and which tasks used it.
#include "cmd/kwork_top.h"

#include <algorithm>

#include "analysis/work/cpu_usage.h"
#include "cmd/confined_reader.h"
#include "cmd/recording_rows.h"
#include "cmd/traced_recording.h"
#include "output/text/cpu_usage_text.h"
#include "sys/cpu.h"

namespace peregrine::cmd {

namespace {

struct TopOptions {
  TracedInput input;
  std::string cpus, name, times, sort = "rate,runtime";
};
using O = TopOptions;

constexpr std::array kOwn{
    Option{.name = "cpu",
           .letter = 'C',
           .value = Value::Required,
           .metavar = "cpu",
           .help = "only these CPUs",
           .store = set<&O::cpus>},
    Option{.name = "name",
           .letter = 'n',
           .value = Value::Required,
           .metavar = "name",
           .help = "only tasks of this name",
           .store = set<&O::name>},
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key[,key2...]",
           .help = "sort by: rate (default), runtime, tid",
           .store = set<&O::sort>},
    kTimeRow<&O::times>,
};
constexpr auto kOptions = joined_rows(kOwn, kTracedInputRows<O>);

using Before = bool (*)(const TaskUsage&, const TaskUsage&);
// Rates are shares of the same time, so both of the first sort alike.
constexpr Before kLonger = [](const TaskUsage& a, const TaskUsage& b) { return a.runtime > b.runtime; };
constexpr std::pair<std::string_view, Before> kKeys[] = {
    {"rate", kLonger}, {"runtime", kLonger}, {"tid", [](const TaskUsage& a, const TaskUsage& b) {
                                                return a.tid < b.tid;
                                              }}};

Result<std::vector<Before>> orders_of(const std::string& sort) {
  std::vector<Before> orders;
  for (const std::string& word : split_words(sort)) {
    const auto* const found = std::ranges::find(kKeys, word, &std::pair<std::string_view, Before>::first);
    if (found == std::end(kKeys))
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("Unknown --sort key: `{}'", word)}.with_hint(
          "must be one of: rate, runtime, tid"));
    orders.push_back(found->second);
  }
  return orders;
}

Result<int> kwork_top(O& options, Invocation& call) {
  const auto orders = orders_of(options.sort);
  if (!orders) return std::unexpected(orders.error());
  auto cpus = numbers_of(options.cpus, "-C", kHighestCpu);
  if (!cpus) return std::unexpected(std::move(cpus.error()));
  if (options.input.dump) return dump_traced(options.input, call);
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  auto times = choose_times(options.times, *recording->reader);
  if (!times) return std::unexpected(std::move(times.error()));
  SampleFilter filter{.times = std::move(*times), .cpus = std::move(*cpus), .comms = {}, .pids = {}, .tids = {}};
  CpuUsage usage(*recording->reader, options.name);
  PEREGRINE_TRY(replay_traced(*recording, usage, call, std::move(filter)));
  std::vector<TaskUsage> rows = usage.tasks();
  std::ranges::stable_sort(rows, [&](const TaskUsage& a, const TaskUsage& b) {
    for (const Before before : *orders)
      if (before(a, b) || before(b, a)) return before(a, b);
    return false;
  });
  print_cpu_usage(usage, rows, call.out);
  return 0;
}

}  // namespace

constinit const Command kKworkTop{.name = "kwork top",
                                  .summary = "How busy CPUs were, and with which tasks",
                                  .options = kOptions,
                                  .since = Since::Ours,
                                  .run = entry<O, confined<O, kwork_top>>};

}  // namespace peregrine::cmd
