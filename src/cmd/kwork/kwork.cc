// kwork: how long the kernel's own work (interrupts, softirqs, workqueues) took, and how long it was delayed.
#include <array>
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/work/kernel_work.h"
#include "analysis/work/work_order.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/cpu_row.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/kwork/kwork_live.h"
#include "cmd/kwork/kwork_top.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/running_kernel.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text/kernel/kernel_work_text.h"
#include "session/kwork/work_session.h"
#include "session/recording/traced_recording.h"
#include "session/recording/tracepoint/tracepoint_recording.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

struct KworkOptions {
  TracedInput input;
  SymbolOptions symbols;
  std::string kinds, cpus, name, times, sort;
  bool summary = false, chains = false, use_bpf = false;
  unsigned max_stack = 5;
  std::chrono::milliseconds limit{};
};

constexpr std::array kKworkSharedRows{
    Option{.name = "kwork",
           .letter = 'k',
           .value = Value::Required,
           .metavar = "kind[,kind...]",
           .help = "use only these kinds of work: irq, softirq, workqueue; for record also sched",
           .store = set<&KworkOptions::kinds>},
};
constexpr std::array kChoice{
    kCpuRow<&KworkOptions::cpus>,
    Option{.name = "name",
           .letter = 'n',
           .value = Value::Required,
           .metavar = "name",
           .help = "show only work with this name, given without its number: TIMER, virtio1-req.0",
           .store = set<&KworkOptions::name>},
    kTimeRow<&KworkOptions::times>,
};
constexpr std::array kKworkReportOnly{
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key[,key2...]",
           .help = "sort by, largest first: runtime, max, count",
           .store = set<&KworkOptions::sort>},
    Option{.name = "with-summary",
           .letter = 'S',
           .help = "also show totals below the table",
           .store = set<&KworkOptions::summary>},
};
constexpr std::array kLatencyOnly{
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key[,key2...]",
           .help = "sort by, largest first: avg, max, count",
           .store = set<&KworkOptions::sort>},
};
// For subcommands where -k is a different option.
constexpr Option kKindsRow{.name = "kwork",
                           .value = Value::Required,
                           .metavar = "kind[,kind...]",
                           .help = "show only these kinds of work: irq, softirq, workqueue",
                           .store = set<&KworkOptions::kinds>,
                           .since = Since::Ours};
constexpr std::array kTimehistOnly{
    Option{.name = "call-graph",
           .letter = 'g',
           .help = "show the interrupted functions, if they were recorded",
           .store = set<&KworkOptions::chains>},
    kKallsymsRow<&KworkOptions::symbols, &SymbolOptions::kallsyms>,
    kKindsRow,
    Option{.name = "max-stack",
           .value = Value::Required,
           .metavar = "n",
           .help = "show n functions plus two callers (default: 5)",
           .store = set<&KworkOptions::max_stack>},
    kSymfsRow<&KworkOptions::symbols, &SymbolOptions::symfs>,
    kVmlinuxRow<&KworkOptions::symbols, &SymbolOptions::vmlinux>,
};
constexpr std::array kKworkRecordOptions{
    Option{.name = "kwork",
           .value = Value::Required,
           .metavar = "kind[,kind...]",
           .help = "record only these kinds of work: irq, softirq, workqueue; sched: task switches, for top",
           .store = set<&KworkOptions::kinds>,
           .since = Since::Ours},
};
constexpr std::array kLiveRows{kUseBpfRow<&KworkOptions::use_bpf>, kTimeoutRow<&KworkOptions::limit>};
constexpr auto kKworkOptions = joined_rows(kKworkSharedRows, kTracedInputRows<KworkOptions>);
constexpr auto kKworkReportOptions =
    joined_rows(kKworkReportOnly, kLiveRows, kChoice, kKworkSharedRows, kTracedInputRows<KworkOptions>);
constexpr auto kLatencyOptions =
    joined_rows(kLatencyOnly, kLiveRows, kChoice, kKworkSharedRows, kTracedInputRows<KworkOptions>);
constexpr auto kTimehistOptions = joined_rows(kTimehistOnly, kChoice, kTracedInputRows<KworkOptions>);

constexpr unsigned kCallers = 2;  // exceeds --max-stack, as in linux-perf

Result<WorkRequest> work_request(const KworkOptions& options, KernelWork::Sum sum) {
  const auto kinds = parse_work_kinds(options.kinds);
  if (!kinds) return std::unexpected(kinds.error());
  auto cpus = numbers_of(options.cpus, "-C", kHighestCpu);
  if (!cpus) return std::unexpected(std::move(cpus.error()));
  return WorkRequest{.sum = sum,
                     .kinds = *kinds,
                     .name = options.name,
                     .cpus = std::move(*cpus),
                     .times = options.times,
                     .limit = options.limit};
}

Result<int> show_table(KworkOptions& options, const WorkTable& table, Invocation& call) {
  const auto keys = parse_work_keys(options.sort, table.sum);
  if (!keys) return std::unexpected(keys.error());
  if (options.input.dump) return dump_traced(options.input, call);
  const auto request = work_request(options, table.sum);
  if (!request) return std::unexpected(request.error());
  std::optional<TracedRecording> recording;
  if (!options.use_bpf && !(recording = open_traced(options.input, {.force = options.input.force}, call)))
    return kNotOpened;
  const auto kernel = [&] { return running_kernel(options.symbols, call.config); };
  auto work = recording ? recorded_work(*recording, *request, call.messages)
                        : measured_work(*request, call.words, kernel, call.messages);
  if (!work) return std::unexpected(std::move(work.error()));
  sort_work(work->rows, *keys);
  print_work_rows(*work, table, call.out);
  return 0;
}

Result<int> report_table(KworkOptions& options, Invocation& call) {
  return show_table(options, {.sum = KernelWork::Sum::Runtimes, .totals = options.summary}, call);
}

Result<int> latency_table(KworkOptions& options, Invocation& call) {
  return show_table(options, {.sum = KernelWork::Sum::Delays}, call);
}

// The sandbox would prevent measuring.
template <auto Function>
Result<int> measured_or_confined(KworkOptions& options, Invocation& call) {
  PEREGRINE_TRY(check_use_bpf(options.use_bpf, options.input, options.times, options.limit, call));
  return options.use_bpf ? Function(options, call) : confined<KworkOptions, Function>(options, call);
}

Result<int> kwork_timehist(KworkOptions& options, Invocation& call) {
  if (options.input.dump) return dump_traced(options.input, call);
  const auto request = work_request(options, KernelWork::Sum::Runtimes);
  if (!request) return std::unexpected(request.error());
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  const unsigned depth = options.chains ? options.max_stack + kCallers : 0;
  PEREGRINE_TRY(show_work_runs(*recording, *request, depth, call.out, call.messages));
  return 0;
}

// All options except --kwork belong to record.
Result<int> kwork_record(Invocation& call) {
  KworkOptions options;
  const auto rest = take_own_options(call, &options, kOwner<KworkOptions>);
  if (!rest) return std::unexpected(rest.error());
  const auto work = parse_recorded_work(options.kinds);
  if (!work) return std::unexpected(work.error());
  return record_traced(work_recording(*work), *rest, call);
}

constexpr Command kKworkRecordPart{.name = "kwork record",
                                   .summary = "Record kernel work: interrupts, softirqs, workqueues",
                                   .options = kKworkRecordOptions,
                                   .passes_to = &kRecord,
                                   .run = kwork_record};
constexpr Command kKworkReportPart{.name = "kwork report",
                                   .summary = "Show how long kernel work ran",
                                   .options = kKworkReportOptions,
                                   .words_at = Words::StopAtFirst,
                                   .run = entry<KworkOptions, measured_or_confined<report_table>>};
constexpr Command kLatencyPart{.name = "kwork latency",
                               .summary = "Show how long kernel work waited",
                               .options = kLatencyOptions,
                               .words_at = Words::StopAtFirst,
                               .run = entry<KworkOptions, measured_or_confined<latency_table>>};
constexpr Command kTimehistPart{.name = "kwork timehist",
                                .summary = "Show each run of kernel work",
                                .options = kTimehistOptions,
                                .run = entry<KworkOptions, confined<KworkOptions, kwork_timehist>>};
constexpr const Command* kKworkParts[] = {&kKworkRecordPart, &kKworkReportPart, &kLatencyPart, &kTimehistPart,
                                          &kKworkTop};
constexpr std::string_view kKworkUsage[] = {"[<options>] {record|report|latency|timehist|top} [<subcommand options>]"};
constexpr std::string_view kKworkDescription =
    "Shows how long interrupt handlers, softirqs and workqueue items run in the kernel, and how long they wait. Use it "
    "when you suspect that kernel work delays your tasks.\n\n"
    "`record` records them on all CPUs while a command runs. `report` shows total run times, `latency` the delay "
    "between raising and running, and `timehist` every run. `top` shows which tasks used the CPUs; it needs context "
    "switches: `perf kwork -k sched,irq,softirq record`.\n\n"
    "With -b, `report`, `latency` and `top` need no recording: BPF programs measure in the kernel while a command "
    "runs, or until Ctrl-C.";
constexpr std::string_view kKworkExamples[] = {
    "perf kwork record -- sleep 1|record kernel work for one second",
    "perf kwork report -S|kernel work sorted by run time, with totals",
    "perf kwork -k workqueue latency|the workqueue items that waited longest",
    "perf kwork timehist -n NET_RX|each run of packet reception",
    "perf kwork -k sched,irq,softirq record -- sleep 1|record for top",
    "perf kwork top|CPU usage, and which tasks used it",
    "perf kwork top -b -- sleep 1|the same without a recording",
};

}  // namespace

constinit const Command kKwork{.name = "kwork",
                               .summary = "Measure run times and delays of interrupts, softirqs and workqueues",
                               .usage = kKworkUsage,
                               .options = kKworkOptions,
                               .parts = kKworkParts,
                               .words_at = Words::StopAtFirst,
                               .paging = Paging::ToTerminal,
                               .description = kKworkDescription,
                               .examples = kKworkExamples,
                               .run = run_part};

}  // namespace peregrine::cmd
