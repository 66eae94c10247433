// bench uprobe: what a probe at a function of user space costs, with a BPF program behind it. Each trial but the first
// runs the same calls without the probe before it.
#include <unistd.h>

#include "capture/bpf/uprobe_trial.h"
#include "cmd/bench/bench_trials.h"
#include "trial/stop_watch.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kSleep = 1000;  // us

struct UprobeOptions {
  bool simple = false;
  u64 loops = 1000;
};
constexpr Option kBenchUprobeOptions[] = {{.name = "loop",
                                           .letter = 'l',
                                           .value = Value::Required,
                                           .metavar = "n",
                                           .help = "number of calls (default: 1000)",
                                           .store = set<&UprobeOptions::loops>},
                                          kSimple<&UprobeOptions::simple>};

double microseconds_of_calls(u64 loops) {
  const StopWatch watch;
  for (u64 i = 0; i < loops; ++i) ::usleep(kSleep);
  return watch.seconds() * 1e6;
}

Result<int> tell(const UprobeOptions& options, double took, std::optional<double> baseline, Sink& out) {
  if (options.simple) {
    out.format("{:.0f}\n", took);
    return 0;
  }
  const auto calls = static_cast<double>(options.loops);
  out.format("# Executed {} usleep({}) calls\n", options.loops, kSleep);
  out.format(" {:>14}: {:.0f} usecs", "Total time", took);
  if (baseline) out.format(" {:+.0f} to baseline", took - *baseline);
  out.format("\n\n {:14.3f} usecs/op", took / calls);
  if (baseline) out.format(" {:+.3f} usecs/op to baseline", (took - *baseline) / calls);
  out.append('\n');
  return 0;
}

Result<int> without_probe(UprobeOptions& options, Invocation& call) {
  if (options.loops == 0) return fail(ErrorKind::Usage, "--loop must be at least 1");
  return tell(options, microseconds_of_calls(options.loops), std::nullopt, call.out);
}

template <UprobeWork kWork>
Result<int> with_probe(UprobeOptions& options, Invocation& call) {
  if (options.loops == 0) return fail(ErrorKind::Usage, "--loop must be at least 1");
  const double baseline = microseconds_of_calls(options.loops);
  const auto probe = UprobeTrial::attach("usleep", kWork);
  if (!probe) return std::unexpected(probe.error());
  return tell(options, microseconds_of_calls(options.loops), baseline, call.out);
}

template <auto kRun>
constexpr Command trial_command(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .usage = kTrialUsage,
          .options = kBenchUprobeOptions,
          .run = entry<UprobeOptions, kRun>};
}
constexpr Command kBaseline = trial_command<without_probe>("bench uprobe baseline", "Calls of usleep without a probe");
constexpr Command kEmpty =
    trial_command<with_probe<UprobeWork::Empty>>("bench uprobe empty", "Probe with an empty BPF program");
constexpr Command kTracePrint = trial_command<with_probe<UprobeWork::TracePrint>>(
    "bench uprobe trace_printk", "Probe with a BPF program that writes a line to the kernel's trace");
constexpr Command kEmptyReturn = trial_command<with_probe<UprobeWork::EmptyAtReturn>>(
    "bench uprobe empty_ret", "Return probe with an empty BPF program");
constexpr Command kTracePrintReturn = trial_command<with_probe<UprobeWork::TracePrintAtReturn>>(
    "bench uprobe trace_printk_ret", "Return probe with a BPF program that writes a line to the kernel's trace");
constexpr Trial kUprobeTrials[] = {{"baseline", &kBaseline},
                                   {"empty", &kEmpty},
                                   {"trace_printk", &kTracePrint},
                                   {"empty_ret", &kEmptyReturn},
                                   {"trace_printk_ret", &kTracePrintReturn}};

}  // namespace

std::span<const Trial> uprobe_trials() { return kUprobeTrials; }

}  // namespace peregrine::cmd
