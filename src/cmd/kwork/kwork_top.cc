// kwork top: how busy each CPU was, and which tasks used it.
#include "cmd/kwork/kwork_top.h"

#include <algorithm>

#include "analysis/work/watched_work.h"
#include "cli/frame/cpu_row.h"
#include "cmd/kwork/kwork_live.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text/kernel/cpu_usage_text.h"
#include "session/measured_run.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

struct KworkTopOptions {
  TracedInput input;
  std::string cpus, name, times, sort = "rate,runtime";
  bool use_bpf = false;
};

constexpr std::array kKworkTopOwnRows{
    kCpuRow<&KworkTopOptions::cpus>,
    Option{.name = "name",
           .letter = 'n',
           .value = Value::Required,
           .metavar = "name",
           .help = "show only tasks of this name",
           .store = set<&KworkTopOptions::name>},
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key[,key2...]",
           .help = "sort by: rate (default), runtime, tid",
           .store = set<&KworkTopOptions::sort>},
    kTimeRow<&KworkTopOptions::times>,
    kUseBpfRow<&KworkTopOptions::use_bpf>,
};
constexpr auto kKworkTopOptions = joined_rows(kKworkTopOwnRows, kTracedInputRows<KworkTopOptions>);

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

// Nothing: the recording could not be opened, which was said.
Result<std::optional<CpuUsageTable>> recorded_usage(KworkTopOptions& options, std::vector<u32> cpus, Invocation& call) {
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return std::nullopt;
  auto times = choose_times(options.times, *recording->reader);
  if (!times) return std::unexpected(std::move(times.error()));
  SampleFilter filter{.times = std::move(*times), .cpus = std::move(cpus), .comms = {}, .pids = {}, .tids = {}};
  CpuUsage usage(*recording->reader, options.name);
  PEREGRINE_TRY(replay_traced(*recording, usage, call, std::move(filter)));
  return usage.table();
}

Result<std::optional<CpuUsageTable>> measured_usage(KworkTopOptions& options, const std::vector<u32>& cpus,
                                                    Invocation& call) {
  auto watcher = CpuUsageWatcher::open(cpus);
  if (!watcher) return std::unexpected(std::move(watcher.error()));
  PEREGRINE_TRY(
      run_measured(call.words, call.messages, [&] { return watcher->enable(); }, [&] { return watcher->disable(); }));
  if (const u64 lost = watcher->lost(); lost != 0)
    call.messages.warning(fmt::format("{} ns of tasks were not counted: there were too many tasks", lost));
  return usage_table(watcher->cpus(), watcher->tasks(), options.name);
}

Result<int> show_usage(KworkTopOptions& options, Invocation& call) {
  const auto orders = orders_of(options.sort);
  if (!orders) return std::unexpected(orders.error());
  auto cpus = numbers_of(options.cpus, "-C", kHighestCpu);
  if (!cpus) return std::unexpected(std::move(cpus.error()));
  if (options.input.dump) return dump_traced(options.input, call);
  auto usage = options.use_bpf ? measured_usage(options, *cpus, call) : recorded_usage(options, std::move(*cpus), call);
  if (!usage) return std::unexpected(std::move(usage.error()));
  if (!*usage) return kNotOpened;
  std::ranges::stable_sort((*usage)->tasks, [&](const TaskUsage& a, const TaskUsage& b) {
    for (const Before before : *orders)
      if (before(a, b) || before(b, a)) return before(a, b);
    return false;
  });
  print_cpu_usage(**usage, call.out);
  return 0;
}

// Only what reads a recording is confined.
Result<int> kwork_top(KworkTopOptions& options, Invocation& call) {
  PEREGRINE_TRY(check_use_bpf(options.use_bpf, options.input, options.times, call));
  return options.use_bpf ? show_usage(options, call) : confined<KworkTopOptions, show_usage>(options, call);
}

}  // namespace

constinit const Command kKworkTop{.name = "kwork top",
                                  .summary = "Show CPU usage per CPU and task",
                                  .options = kKworkTopOptions,
                                  .words_at = Words::StopAtFirst,
                                  .since = Since::Ours,
                                  .run = entry<KworkTopOptions, kwork_top>};

}  // namespace peregrine::cmd
