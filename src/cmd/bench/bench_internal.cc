// bench internals: what parts of this program cost: records of what runs already, the kernel's symbols, opening events.
// The texts are linux-perf's.
#include <unistd.h>

#include <thread>

#include "abi/record_walk.h"
#include "capture/sampling/recorder.h"
#include "capture/synthesis/process.h"
#include "cmd/bench/bench_inject.h"
#include "cmd/bench/bench_trials.h"
#include "event/config/record_config.h"
#include "event/syntax/parse.h"
#include "symbol/kernel/kallsyms.h"
#include "sys/hardware/pmu.h"
#include "sys/process/user.h"
#include "trial/stop_watch.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostCopies = 1u << 16;  // of the events

struct SynthesisOptions {
  bool simple = false, single = false, several = false;
  unsigned single_rounds = 10'000, several_rounds = 10, fewest = 1, most = 0;
};
constexpr Option kSynthesisOptions[] = {{.name = "multi-iterations",
                                         .letter = 'I',
                                         .value = Value::Required,
                                         .metavar = "n",
                                         .help = "iterations with several threads (default: 10)",
                                         .store = set<&SynthesisOptions::several_rounds>},
                                        {.name = "single-iterations",
                                         .letter = 'i',
                                         .value = Value::Required,
                                         .metavar = "n",
                                         .help = "iterations with one thread (default: 10000)",
                                         .store = set<&SynthesisOptions::single_rounds>},
                                        {.name = "max-threads",
                                         .letter = 'M',
                                         .value = Value::Required,
                                         .metavar = "n",
                                         .help = "maximum number of threads (default: one per CPU)",
                                         .store = set_at_most<kMostThreads, &SynthesisOptions::most>},
                                        {.name = "min-threads",
                                         .letter = 'm',
                                         .value = Value::Required,
                                         .metavar = "n",
                                         .help = "minimum number of threads (default: 1)",
                                         .store = set_at_most<kMostThreads, &SynthesisOptions::fewest>},
                                        {.name = "st",
                                         .letter = 's',
                                         .help = "synthesize this process only, with one thread",
                                         .store = set<&SynthesisOptions::single>},
                                        {.name = "mt",
                                         .letter = 't',
                                         .help = "synthesize all processes, with several threads",
                                         .store = set<&SynthesisOptions::several>},
                                        kSimple<&SynthesisOptions::simple>};

u64 records_in(const ByteWriter& records) {
  u64 count = 0;
  for (Bytes rest = records.bytes(); const auto record = abi::first_record(rest); ++count)
    rest = rest.subspan(record->bytes.size());
  return count;
}

void tell_synthesis(Sink& out, std::string_view indent, std::string_view what, const RunStats& times,
                    const RunStats& events) {
  out.format("{}Average {} took: {:.3f} usec (+- {:.3f} usec)\n", indent, what, times.mean(), times.error());
  out.format("{}Average num. events: {:.3f} (+- {:.3f})\n", indent, events.mean(), events.error());
  out.format("{}Average time per event {:.3f} usec\n", indent, events.mean() > 0 ? times.mean() / events.mean() : 0);
}

void synthesize_self(unsigned rounds, Sink& out) {
  out.append(
      "Computing performance of single threaded perf event synthesis by\nsynthesizing events on the perf process "
      "itself:\n");
  const std::vector<Pid> self{::getpid()};
  WorkerPool pool(1);
  for (const bool data : {false, true}) {
    RunStats times, events;
    for (unsigned i = 0; i < rounds; ++i) {
      ByteWriter records;
      const StopWatch watch;
      synthesize_threads(Root(), {.data_maps = data}, self, pool, records);
      times.add(watch.seconds() * 1e6);
      events.add(static_cast<double>(records_in(records)));
    }
    tell_synthesis(out, "  ", data ? "data synthesis" : "synthesis", times, events);
  }
}

void synthesize_everybody(const SynthesisOptions& options, Sink& out) {
  out.append("Computing performance of multi threaded perf event synthesis by\nsynthesizing events on CPU 0:\n");
  const unsigned most = options.most != 0 ? options.most : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned threads = std::max(options.fewest, 1u); threads <= most; ++threads) {
    out.format("  Number of synthesis threads: {}\n", threads);
    WorkerPool pool(threads);
    RunStats times, events;
    for (unsigned i = 0; i < options.several_rounds; ++i) {
      ByteWriter records;
      const StopWatch watch;
      synthesize_all_processes(Root(), {}, pool, records);
      times.add(watch.seconds() * 1e6);
      events.add(static_cast<double>(records_in(records)));
    }
    tell_synthesis(out, "    ", "synthesis", times, events);
  }
}

Result<int> synthesize(SynthesisOptions& options, Invocation& call) {
  if (options.single || !options.several) synthesize_self(options.single_rounds, call.out);
  if (options.several) synthesize_everybody(options, call.out);
  return 0;
}

struct KallsymsTrialOptions {
  bool simple = false;
  unsigned rounds = 1;
};
constexpr Option kKallsymsTrialOptions[] = {{.name = "iterations",
                                             .letter = 'i',
                                             .value = Value::Required,
                                             .metavar = "n",
                                             .help = "repeat n times (default: 1)",
                                             .store = set<&KallsymsTrialOptions::rounds>},
                                            kSimple<&KallsymsTrialOptions::simple>};

Result<int> parse_kernel_symbols(KallsymsTrialOptions& options, Invocation& call) {
  RunStats times;
  for (unsigned i = 0; i < options.rounds; ++i) {
    const StopWatch watch;
    const auto symbols = load_kallsyms("/proc/kallsyms");
    if (!symbols) return std::unexpected(symbols.error());
    times.add(watch.seconds() * 1e3);
  }
  call.out.format("  Average kallsyms__parse took: {:.3f} ms (+- {:.3f} ms)\n", times.mean(), times.error());
  return 0;
}

struct ScanOptions {
  bool simple = false;
  unsigned rounds = 100;
};
constexpr Option kScanOptions[] = {{.name = "iterations",
                                    .letter = 'i',
                                    .value = Value::Required,
                                    .metavar = "n",
                                    .help = "repeat n times (default: 100)",
                                    .store = set<&ScanOptions::rounds>},
                                   kSimple<&ScanOptions::simple>};

Result<int> scan_pmus(ScanOptions& options, Invocation& call) {
  RunStats times;
  std::size_t found = 0;
  for (unsigned i = 0; i < options.rounds; ++i) {
    const StopWatch watch;
    found = read_pmus(Root()).size();
    times.add(watch.seconds() * 1e6);
  }
  call.out.format("Computing performance of sysfs PMU event scan for {} times\n", options.rounds);
  call.out.format("  Number of PMUs:\t{}\n", found);
  call.out.format("  Average PMU scanning took: {:.3f} usec (+- {:.3f} usec)\n", times.mean(), times.error());
  return 0;
}

struct OpeningOptions {
  bool simple = false;
  EventSources sources;
  EventList events;
  TargetRequest target;
  unsigned rounds = 100, copies = 1;
};
Result<> add_opened_events(OpeningOptions& options, const Use& use) {
  if (use.negated) options.events.clear();
  return use.negated ? Result<>() : parse_events(use.value, options.sources, options.events);
}
Result<> choose_opened_user(OpeningOptions& options, const Use& use) {
  auto user = user_number(std::string(use.value));
  if (!user) return std::unexpected(std::move(user.error()));
  options.target.user = std::move(*user);
  return {};
}
constexpr Option kOpeningOptions[] = {{.name = "all-cpus",
                                       .letter = 'a',
                                       .help = "open on all CPUs, for all processes",
                                       .store = set<&OpeningOptions::target, &TargetRequest::system_wide>},
                                      {.name = "cpu",
                                       .letter = 'C',
                                       .value = Value::Required,
                                       .metavar = "cpu",
                                       .help = "open on these CPUs, for all processes",
                                       .store = set<&OpeningOptions::target, &TargetRequest::cpus>},
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
                                       .store = set<&OpeningOptions::rounds>},
                                      {.name = "nr-events",
                                       .letter = 'n',
                                       .value = Value::Required,
                                       .metavar = "n",
                                       .help = "open n copies of the events (default: 1)",
                                       .store = set_at_most<kMostCopies, &OpeningOptions::copies>},
                                      {.name = "pid",
                                       .letter = 'p',
                                       .value = Value::Required,
                                       .metavar = "pid",
                                       .help = "open for these processes",
                                       .store = set<&OpeningOptions::target, &TargetRequest::pids>},
                                      {.name = "tid",
                                       .letter = 't',
                                       .value = Value::Required,
                                       .metavar = "tid",
                                       .help = "open for these threads",
                                       .store = set<&OpeningOptions::target, &TargetRequest::tids>},
                                      {.name = "uid",
                                       .letter = 'u',
                                       .value = Value::Required,
                                       .metavar = "user",
                                       .help = "open for the processes of this user",
                                       .store = call<choose_opened_user>},
                                      {.name = "per-thread",
                                       .help = "use one ring buffer per thread instead of per CPU",
                                       .store = set<&OpeningOptions::target, &TargetRequest::per_thread>},
                                      kSimple<&OpeningOptions::simple>};

Result<int> open_and_close(OpeningOptions& options, Invocation& call) {
  const TargetRequest& request = options.target;
  const bool own = !request.system_wide && request.cpus.empty() && request.pids.empty() && request.tids.empty() &&
                   request.user.empty();
  if (own) options.target.tids = std::to_string(::getpid());
  const auto target = make_target(Root(), options.target);
  if (!target) return std::unexpected(target.error());
  if (options.events.empty()) PEREGRINE_TRY(parse_events("dummy", options.sources, options.events));
  EventList events;
  for (unsigned i = 0; i < options.copies; ++i)
    for (EventSpec spec : options.events) {
      spec.leader += i * options.events.size();
      events.push_back(std::move(spec));
    }
  std::vector<std::string> warnings;
  SampledTarget sampled;
  sampled.system_wide = target->kind == TargetKind::Cpus;
  sampled.has_pids = !sampled.system_wide;
  sampled.per_thread = request.per_thread;
  PEREGRINE_TRY(configure_for_record(sampled, {}, events, warnings));
  const PerfLimits limits = perf_limits(Root());
  RunStats times;
  std::size_t descriptors = 0;
  for (unsigned i = 0; i < options.rounds; ++i) {
    const StopWatch watch;
    auto recorder = Recorder::open(events, *target, limits, 0, warnings);
    if (!recorder) return std::unexpected(std::move(recorder.error()));
    descriptors = recorder->matrix().open_count();
    PEREGRINE_TRY(recorder->matrix().enable());
    PEREGRINE_TRY(recorder->matrix().disable());
    {
      const Recorder closed = std::move(*recorder);
    }
    times.add(watch.seconds() * 1e6);
  }
  call.out.format("  Number of cpus:\t{}\n  Number of threads:\t{}\n  Number of events:\t{} ({} fds)\n",
                  target->cpus.size(), target->threads.size(), events.size(), descriptors);
  call.out.format("  Number of iterations:\t{}\n  Average open-close took: {:.3f} usec (+- {:.3f} usec)\n",
                  options.rounds, times.mean(), times.error());
  return 0;
}

constexpr Command kSynthesize{.name = "bench internals synthesize",
                              .summary = "Synthesizing records for running processes",
                              .usage = kTrialUsage,
                              .options = kSynthesisOptions,
                              .run = entry<SynthesisOptions, synthesize>};
constexpr Command kKallsymsTrial{.name = "bench internals kallsyms-parse",
                                 .summary = "Reading the kernel's symbols",
                                 .usage = kTrialUsage,
                                 .options = kKallsymsTrialOptions,
                                 .run = entry<KallsymsTrialOptions, parse_kernel_symbols>};
constexpr Command kPmuScan{.name = "bench internals pmu-scan",
                           .summary = "Reading PMUs from /sys",
                           .usage = kTrialUsage,
                           .options = kScanOptions,
                           .run = entry<ScanOptions, scan_pmus>};
constexpr Command kOpenClose{.name = "bench internals evlist-open-close",
                             .summary = "Opening and closing events",
                             .usage = kTrialUsage,
                             .options = kOpeningOptions,
                             .run = entry<OpeningOptions, open_and_close>};
constexpr Trial kInternals[] = {{"synthesize", &kSynthesize},
                                {"kallsyms-parse", &kKallsymsTrial},
                                {"inject-build-id", &kBenchInject},
                                {"evlist-open-close", &kOpenClose},
                                {"pmu-scan", &kPmuScan}};

}  // namespace

std::span<const Trial> internal_trials() { return kInternals; }

}  // namespace peregrine::cmd
