// bench uprobe: the options of its benchmarks.
#include <span>
#include <string_view>

#include "base/result.h"
#include "capture/bpf/uprobe_trial.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cmd/bench/bench_trials.h"
#include "output/sink.h"
#include "session/bench/uprobe_trials.h"

namespace peregrine::cmd {
namespace {

constexpr Option kBenchUprobeOptions[] = {
    trial_value<&UprobeTrialRequest::loops>("loop", 'l', "n", "set the number of calls (default: 1000)"),
    kSimple<&UprobeTrialRequest::simple>};

template <UprobeWork kWork>
Result<> with_probe(const UprobeTrialRequest& request, Sink& out) {
  return run_uprobe(kWork, request, out);
}

template <auto kRun>
constexpr Command trial_command(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .usage = kTrialUsage,
          .options = kBenchUprobeOptions,
          .run = kTrialRun<UprobeTrialRequest, kRun>};
}
constexpr Command kBaseline =
    trial_command<run_uprobe_baseline>("bench uprobe baseline", "usleep(3) calls without a probe");
constexpr Command kEmpty =
    trial_command<with_probe<UprobeWork::Empty>>("bench uprobe empty", "Probe with an empty BPF program");
constexpr Command kTracePrint = trial_command<with_probe<UprobeWork::TracePrint>>(
    "bench uprobe trace_printk", "Probe with a BPF program that writes a trace line");
constexpr Command kEmptyReturn = trial_command<with_probe<UprobeWork::EmptyAtReturn>>(
    "bench uprobe empty_ret", "Return probe with an empty BPF program");
constexpr Command kTracePrintReturn = trial_command<with_probe<UprobeWork::TracePrintAtReturn>>(
    "bench uprobe trace_printk_ret", "Return probe with a BPF program that writes a trace line");
constexpr Trial kUprobeTrials[] = {{"baseline", &kBaseline},
                                   {"empty", &kEmpty},
                                   {"trace_printk", &kTracePrint},
                                   {"empty_ret", &kEmptyReturn},
                                   {"trace_printk_ret", &kTracePrintReturn}};

}  // namespace

std::span<const Trial> uprobe_trials() { return kUprobeTrials; }

}  // namespace peregrine::cmd
