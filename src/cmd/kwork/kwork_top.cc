// kwork top: how busy each CPU was, and which tasks used it.
#include "cmd/kwork/kwork_top.h"

#include <array>
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "analysis/work/work_order.h"
#include "base/result.h"
#include "cli/frame/cpu_row.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/kwork/kwork_live.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text/kernel/cpu_usage_text.h"
#include "session/kwork/work_session.h"
#include "session/recording/traced_recording.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

struct KworkTopOptions {
  TracedInput input;
  std::string cpus, name, times, sort = "rate,runtime";
  bool use_bpf = false;
  std::chrono::milliseconds limit{};
};

constexpr std::array kKworkTopOwnRows{
    kCpuRow<&KworkTopOptions::cpus>,
    Option{.name = "name",
           .letter = 'n',
           .value = Value::Required,
           .metavar = "name",
           .help = "show only tasks with this name",
           .store = set<&KworkTopOptions::name>},
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key[,key2...]",
           .help = "sort by: rate (default), runtime, tid",
           .store = set<&KworkTopOptions::sort>},
    kTimeRow<&KworkTopOptions::times>,
    kUseBpfRow<&KworkTopOptions::use_bpf>,
    kTimeoutRow<&KworkTopOptions::limit>,
};
constexpr auto kKworkTopOptions = joined_rows(kKworkTopOwnRows, kTracedInputRows<KworkTopOptions>);

Result<int> show_usage(KworkTopOptions& options, Invocation& call) {
  const auto keys = parse_usage_keys(options.sort);
  if (!keys) return std::unexpected(keys.error());
  auto cpus = numbers_of(options.cpus, "-C", kHighestCpu);
  if (!cpus) return std::unexpected(std::move(cpus.error()));
  if (options.input.dump) return dump_traced(options.input, call);
  const UsageRequest request{
      .name = options.name, .cpus = std::move(*cpus), .times = options.times, .limit = options.limit};
  std::optional<TracedRecording> recording;
  if (!options.use_bpf && !(recording = open_traced(options.input, {.force = options.input.force}, call)))
    return kNotOpened;
  auto usage = recording ? recorded_usage(*recording, request, call.messages)
                         : measured_usage(request, call.words, call.messages);
  if (!usage) return std::unexpected(std::move(usage.error()));
  sort_usage(usage->tasks, *keys);
  print_cpu_usage(*usage, call.out);
  return 0;
}

// The sandbox would prevent measuring.
Result<int> kwork_top(KworkTopOptions& options, Invocation& call) {
  PEREGRINE_TRY(check_use_bpf(options.use_bpf, options.input, options.times, options.limit, call));
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
