// bench internals: the options of the benchmarks of this program itself.
#include <string>
#include <utility>

#include "cmd/bench/bench_trials.h"
#include "event/syntax/parse.h"
#include "session/bench/injection_trial.h"
#include "session/bench/opening_trial.h"
#include "session/bench/synthesis_trials.h"
#include "sys/process/user.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostCopies = 1u << 16;  // of the events

constexpr Option kSynthesisOptions[] = {{.name = "multi-iterations",
                                         .letter = 'I',
                                         .value = Value::Required,
                                         .metavar = "n",
                                         .help = "iterations with several threads (default: 10)",
                                         .store = set<&SynthesisTrialRequest::several_rounds>},
                                        {.name = "single-iterations",
                                         .letter = 'i',
                                         .value = Value::Required,
                                         .metavar = "n",
                                         .help = "iterations with one thread (default: 10000)",
                                         .store = set<&SynthesisTrialRequest::single_rounds>},
                                        {.name = "max-threads",
                                         .letter = 'M',
                                         .value = Value::Required,
                                         .metavar = "n",
                                         .help = "maximum number of threads (default: one per CPU)",
                                         .store = set_at_most<kMostThreads, &SynthesisTrialRequest::most>},
                                        {.name = "min-threads",
                                         .letter = 'm',
                                         .value = Value::Required,
                                         .metavar = "n",
                                         .help = "minimum number of threads (default: 1)",
                                         .store = set_at_most<kMostThreads, &SynthesisTrialRequest::fewest>},
                                        {.name = "st",
                                         .letter = 's',
                                         .help = "synthesize this process only, with one thread",
                                         .store = set<&SynthesisTrialRequest::single>},
                                        {.name = "mt",
                                         .letter = 't',
                                         .help = "synthesize all processes, with several threads",
                                         .store = set<&SynthesisTrialRequest::several>},
                                        kSimple<&SynthesisTrialRequest::simple>};

constexpr Option kKallsymsTrialOptions[] = {{.name = "iterations",
                                             .letter = 'i',
                                             .value = Value::Required,
                                             .metavar = "n",
                                             .help = "repeat n times (default: 1)",
                                             .store = set<&KallsymsTrialRequest::rounds>},
                                            kSimple<&KallsymsTrialRequest::simple>};

constexpr Option kScanOptions[] = {{.name = "iterations",
                                    .letter = 'i',
                                    .value = Value::Required,
                                    .metavar = "n",
                                    .help = "repeat n times (default: 100)",
                                    .store = set<&PmuScanTrialRequest::rounds>},
                                   kSimple<&PmuScanTrialRequest::simple>};

constexpr Option kBenchInjectOptions[] = {{.name = "iterations",
                                           .letter = 'i',
                                           .value = Value::Required,
                                           .metavar = "n",
                                           .help = "repeat n times (default: 100)",
                                           .store = set<&InjectionTrialRequest::rounds>},
                                          {.name = "nr-mmaps",
                                           .letter = 'm',
                                           .value = Value::Required,
                                           .metavar = "n",
                                           .help = "mappings in the recording (default: 100)",
                                           .store = set<&InjectionTrialRequest::maps>},
                                          {.name = "nr-samples",
                                           .letter = 'n',
                                           .value = Value::Required,
                                           .metavar = "n",
                                           .help = "samples per mapping (default: 100)",
                                           .store = set<&InjectionTrialRequest::samples>},
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
  auto user = user_number(std::string(use.value));
  if (!user) return std::unexpected(std::move(user.error()));
  options.request.target.user = std::move(*user);
  return {};
}
constexpr Option kOpeningOptions[] = {
    {.name = "all-cpus",
     .letter = 'a',
     .help = "open on all CPUs, for all processes",
     .store = set<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::system_wide>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "open on these CPUs, for all processes",
     .store = set<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::cpus>},
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "open these events instead of dummy events",
     .store = call<add_opened_events>},
    {.name = "iterations",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "n",
     .help = "repeat n times (default: 100)",
     .store = set<&OpeningOptions::request, &OpeningTrialRequest::rounds>},
    {.name = "nr-events",
     .letter = 'n',
     .value = Value::Required,
     .metavar = "n",
     .help = "open n copies of the events (default: 1)",
     .store = set_at_most<kMostCopies, &OpeningOptions::request, &OpeningTrialRequest::copies>},
    {.name = "pid",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "pid",
     .help = "open for these processes",
     .store = set<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::pids>},
    {.name = "tid",
     .letter = 't',
     .value = Value::Required,
     .metavar = "tid",
     .help = "open for these threads",
     .store = set<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::tids>},
    {.name = "uid",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "user",
     .help = "open for the processes of this user",
     .store = call<choose_opened_user>},
    {.name = "per-thread",
     .help = "use one ring buffer per thread instead of per CPU",
     .store = set<&OpeningOptions::request, &OpeningTrialRequest::target, &TargetRequest::per_thread>},
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
