// bench internals: the options of the benchmarks of this program.
#include <expected>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/bench/bench_trials.h"
#include "event/source.h"
#include "event/syntax/parse.h"
#include "session/bench/injection_trial.h"
#include "session/bench/opening_trial.h"
#include "session/bench/synthesis_trials.h"
#include "sys/process/user.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostCopies = 1u << 16;  // of the events

constexpr Option kSynthesisOptions[] = {
    trial_value<&SynthesisTrialRequest::several_rounds>("multi-iterations", 'I', "n",
                                                        "run this many iterations with several threads (default: 10)"),
    trial_value<&SynthesisTrialRequest::single_rounds>("single-iterations", 'i', "n",
                                                       "run this many iterations with one thread (default: 10000)"),
    trial_limited<kMostThreads, &SynthesisTrialRequest::most>(
        "max-threads", 'M', "n", "set the maximum number of threads (default: one per CPU)"),
    trial_limited<kMostThreads, &SynthesisTrialRequest::fewest>("min-threads", 'm', "n",
                                                                "set the minimum number of threads (default: 1)"),
    trial_flag<&SynthesisTrialRequest::single>("st", 's', "synthesize this process only, with one thread"),
    trial_flag<&SynthesisTrialRequest::several>("mt", 't', "synthesize all processes, with several threads"),
    kSimple<&SynthesisTrialRequest::simple>};

constexpr Option kKallsymsTrialOptions[] = {
    trial_value<&KallsymsTrialRequest::rounds>("iterations", 'i', "n", "repeat n times (default: 1)"),
    kSimple<&KallsymsTrialRequest::simple>};

constexpr Option kScanOptions[] = {
    trial_value<&PmuScanTrialRequest::rounds>("iterations", 'i', "n", "repeat n times (default: 100)"),
    kSimple<&PmuScanTrialRequest::simple>};

constexpr Option kBenchInjectOptions[] = {
    trial_value<&InjectionTrialRequest::rounds>("iterations", 'i', "n", "repeat n times (default: 100)"),
    trial_value<&InjectionTrialRequest::maps>("nr-mmaps", 'm', "n",
                                              "set the number of mappings in the recording (default: 100)"),
    trial_value<&InjectionTrialRequest::samples>("nr-samples", 'n', "n",
                                                 "set the number of samples per mapping (default: 100)"),
    {.name = "verbose",
     .letter = 'v',
     .help = "show the number of DSOs, and the time of each iteration",
     .store = count<&InjectionTrialRequest::verbose>},
    kSimple<&InjectionTrialRequest::simple>};

struct OpeningOptions {
  EventSources sources;
  OpeningTrialRequest request;
};
Result<> add_opened_events(OpeningOptions& options, const Use& use) {
  if (use.negated) options.request.events.clear();
  return use.negated ? Result<>() : parse_events(use.value, options.sources, options.request.events);
}
Result<> choose_opened_user(OpeningOptions& options, const Use& use) {
  auto user = user_number(use.value);
  if (!user) return std::unexpected(std::move(user.error()));
  options.request.target.user = std::move(*user);
  return {};
}
constexpr Option kOpeningOptions[] = {
    trial_flag<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::system_wide>(
        "all-cpus", 'a', "open on all CPUs, for all processes"),
    trial_value<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::cpus>(
        "cpu", 'C', "cpu", "open on these CPUs, for all processes"),
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "open these events instead of dummy events",
     .store = call<add_opened_events>},
    trial_value<&OpeningOptions::request, &OpeningTrialRequest::rounds>("iterations", 'i', "n",
                                                                        "repeat n times (default: 100)"),
    trial_limited<kMostCopies, &OpeningOptions::request, &OpeningTrialRequest::copies>(
        "nr-events", 'n', "n", "open n copies of the events (default: 1)"),
    trial_value<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::pids>(
        "pid", 'p', "pid", "open for these processes"),
    trial_value<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::tids>("tid", 't', "tid",
                                                                                              "open for these threads"),
    {.name = "uid",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "user",
     .help = "open for the processes of this user",
     .store = call<choose_opened_user>},
    trial_flag<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::per_thread>(
        "per-thread", 0, "use one ring buffer per thread instead of per CPU"),
    kSimple<&OpeningOptions::request, &OpeningTrialRequest::simple>};

Result<int> open_and_close(OpeningOptions& options, Invocation& call) {
  PEREGRINE_TRY(run_event_opening(options.request, options.sources, call.out));
  return 0;
}

constexpr Command kSynthesize{.name = "bench internals synthesize",
                              .summary = "Synthesizing records for running processes",
                              .usage = kTrialUsage,
                              .options = kSynthesisOptions,
                              .run = kTrialRun<SynthesisTrialRequest, run_synthesis>};
constexpr Command kKallsymsTrial{.name = "bench internals kallsyms-parse",
                                 .summary = "Reading the kernel's symbols",
                                 .usage = kTrialUsage,
                                 .options = kKallsymsTrialOptions,
                                 .run = kTrialRun<KallsymsTrialRequest, run_kallsyms_reading>};
constexpr Command kPmuScan{.name = "bench internals pmu-scan",
                           .summary = "Reading PMUs from /sys",
                           .usage = kTrialUsage,
                           .options = kScanOptions,
                           .run = kTrialRun<PmuScanTrialRequest, run_pmu_scan>};
constexpr Command kOpenClose{.name = "bench internals evlist-open-close",
                             .summary = "Opening and closing events",
                             .usage = kTrialUsage,
                             .options = kOpeningOptions,
                             .run = entry<OpeningOptions, open_and_close>};
constexpr Command kBenchInject{.name = "bench internals inject-build-id",
                               .summary = "Adding build-ids to a recording",
                               .usage = kTrialUsage,
                               .options = kBenchInjectOptions,
                               .run = kTrialRun<InjectionTrialRequest, run_injection>};
constexpr Trial kInternals[] = {{"synthesize", &kSynthesize},
                                {"kallsyms-parse", &kKallsymsTrial},
                                {"inject-build-id", &kBenchInject},
                                {"evlist-open-close", &kOpenClose},
                                {"pmu-scan", &kPmuScan}};

}  // namespace

std::span<const Trial> internal_trials() { return kInternals; }

}  // namespace peregrine::cmd
