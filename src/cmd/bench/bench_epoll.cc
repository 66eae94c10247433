// bench epoll: waiting for many files, and changing which ones are waited for. The texts are linux-perf's.
#include <unistd.h>

#include "cmd/bench/bench_trials.h"
#include "trial/epoll.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kMostEpollFiles = 1u << 20;  // of a process, unless fs.nr_open is raised

struct EpollOptions {
  bool simple = false, nonblocking = false, unbound = false;
  int verbose = 0;
  EpollPlan plan;
};

constexpr Option kNonblocking = {.name = "nonblocking",
                                 .letter = 'B',
                                 .help = "poll repeatedly instead of blocking",
                                 .store = set<&EpollOptions::nonblocking>};
constexpr Option kEdge = {.name = "edge",
                          .letter = 'E',
                          .help = "use edge-triggered instead of level-triggered events",
                          .store = set<&EpollOptions::plan, &EpollPlan::edge>};
constexpr Option kEpollFiles = {.name = "nfds",
                                .letter = 'f',
                                .value = Value::Required,
                                .metavar = "n",
                                .help = "files per thread (default: 64)",
                                .store = set_at_most<kMostEpollFiles, &EpollOptions::plan, &EpollPlan::files>};
constexpr Option kOneEach = {.name = "multiq",
                             .letter = 'm',
                             .help = "use one epoll instance per thread instead of one for all",
                             .store = set<&EpollOptions::plan, &EpollPlan::one_each>};
constexpr Option kNested = {.name = "nested",
                            .letter = 'N',
                            .value = Value::Required,
                            .metavar = "n",
                            .help = "nest epoll instances this deep",
                            .store = set_at_most<kMostEpollFiles, &EpollOptions::plan, &EpollPlan::nesting>};
constexpr Option kUnbound = {
    .name = "noaffinity", .letter = 'n', .help = "do not bind threads to CPUs", .store = set<&EpollOptions::unbound>};
constexpr Option kRandom = {.name = "randomize",
                            .letter = 'R',
                            .help = "use files in random order",
                            .store = set<&EpollOptions::plan, &EpollPlan::random>};
constexpr Option kEpollRuntime = {.name = "runtime",
                                  .letter = 'r',
                                  .value = Value::Required,
                                  .metavar = "n",
                                  .help = "run for n seconds (default: 8)",
                                  .store = set<&EpollOptions::plan, &EpollPlan::timed, &TimedPlan::seconds>};
constexpr Option kOnce = {.name = "oneshot",
                          .letter = 'S',
                          .help = "use one-shot events, and rearm each file after its event",
                          .store = set<&EpollOptions::plan, &EpollPlan::once>};
constexpr Option kEpollThreads = {
    .name = "threads",
    .letter = 't',
    .value = Value::Required,
    .metavar = "n",
    .help = "number of threads (default: one per CPU, for wait one less)",
    .store = set_at_most<kMostThreads, &EpollOptions::plan, &EpollPlan::timed, &TimedPlan::threads>};
constexpr Option kVerbose = {
    .name = "verbose", .letter = 'v', .help = "show the setup", .store = count<&EpollOptions::verbose>};
constexpr Option kWaitOptions[] = {kNonblocking, kEdge,         kEpollFiles, kOneEach,
                                   kNested,      kUnbound,      kRandom,     kEpollRuntime,
                                   kOnce,        kEpollThreads, kVerbose,    kSimple<&EpollOptions::simple>};
constexpr Option kControlOptions[] = {kEpollFiles,   kNested,       kUnbound, kRandom,
                                      kEpollRuntime, kEpollThreads, kVerbose, kSimple<&EpollOptions::simple>};

// What both do first: the plan settled, files open.
Result<EpollFiles> prepare(EpollOptions& options, bool with_writer, Invocation& call) {
  TimedPlan& timed = options.plan.timed;
  // The thread that writes has a CPU of its own, where there is one.
  if (timed.threads == 0) timed.threads = std::max(1u, thread_count(timed) - (with_writer ? 1 : 0));
  timed.bound = !options.unbound;
  options.plan.blocking = !options.nonblocking;
  if (options.plan.files == 0) return fail(ErrorKind::Usage, "no files: --nfds wants at least one");
  if (options.verbose > 0 && with_writer)
    call.out.format("Using {} queue model\n", options.plan.one_each ? "multi" : "single");
  if (options.verbose > 0 && options.plan.nesting > 0) call.out.format("Nesting level(s): {}\n", options.plan.nesting);
  return open_epoll_files(options.plan);
}

std::string place_of(const std::vector<Fd>& files) {
  return fmt::format("fdmap: {} ... {}", fmt::ptr(&files.front()), fmt::ptr(&files.back()));
}

Result<int> wait_for_files(EpollOptions& options, Invocation& call) {
  const auto files = prepare(options, true, call);
  if (!files) return std::unexpected(files.error());
  const TimedPlan& timed = options.plan.timed;
  call.out.format("Run summary [PID {}]: {} threads monitoring{} on {} file-descriptors for {} secs.\n\n", ::getpid(),
                  timed.threads, options.plan.edge ? " (ET)" : "", options.plan.files, timed.seconds);
  static_cast<void>(call.out.flush());
  const auto seen = run_epoll_wait(options.plan, *files);
  if (!seen) return std::unexpected(seen.error());
  RunStats rates;
  for (std::size_t i = 0; i < seen->size(); ++i) {
    const u64 rate = (*seen)[i] / std::max(timed.seconds, 1u);
    rates.add(static_cast<double>(rate));
    call.out.format("[thread {:>2}] {} [ {} ops/sec ]\n", i, place_of((*files)[i]), rate);
  }
  call.out.format("\nAveraged {} operations/sec (+- {:.2f}%), total secs = {}\n", static_cast<u64>(rates.mean()),
                  rates.error_percent(), timed.seconds);
  return 0;
}

Result<int> change_files(EpollOptions& options, Invocation& call) {
  const auto files = prepare(options, false, call);
  if (!files) return std::unexpected(files.error());
  const TimedPlan& timed = options.plan.timed;
  call.out.format("Run summary [PID {}]: {} threads doing epoll_ctl ops {} file-descriptors for {} secs.\n\n",
                  ::getpid(), timed.threads, options.plan.files, timed.seconds);
  static_cast<void>(call.out.flush());
  const auto counts = run_epoll_changes(options.plan, *files);
  if (!counts) return std::unexpected(counts.error());
  RunStats stats[3];
  for (std::size_t i = 0; i < counts->size(); ++i) {
    const auto& count = (*counts)[i];
    for (unsigned which = 0; which < 3; ++which) stats[which].add(static_cast<double>(count[which]));
    call.out.format("[thread {:>2}] {} [ add: {} ops; mod: {} ops; del: {} ops ]\n", i, place_of((*files)[i]),
                    count[kAdded], count[kModified], count[kRemoved]);
  }
  call.out.append("\n");
  constexpr std::string_view kNames[] = {"ADD", "MOD", "DEL"};
  for (unsigned which = 0; which < 3; ++which)
    call.out.format("Averaged {} {} operations (+- {:.2f}%)\n", static_cast<u64>(stats[which].mean()), kNames[which],
                    stats[which].error_percent());
  return 0;
}

constexpr Command kWait{.name = "bench epoll wait",
                        .summary = "Waiting for files in many threads",
                        .usage = kTrialUsage,
                        .options = kWaitOptions,
                        .run = entry<EpollOptions, wait_for_files>};
constexpr Command kControl{.name = "bench epoll ctl",
                           .summary = "Changing the set of watched files in many threads",
                           .usage = kTrialUsage,
                           .options = kControlOptions,
                           .run = entry<EpollOptions, change_files>};
constexpr Trial kEpoll[] = {{"wait", &kWait}, {"ctl", &kControl}};

}  // namespace

std::span<const Trial> epoll_trials() { return kEpoll; }

}  // namespace peregrine::cmd
