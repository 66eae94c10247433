// bench numa: the options of its benchmark.
#include <cmath>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/number/real_number.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cmd/bench/bench_trials.h"
#include "session/bench/numa_trial.h"
#include "trial/numa_memory.h"

namespace peregrine::cmd {
namespace {

constexpr double kMegabyte = 1024 * 1024;

struct NumaOptions {
  std::string cpus, nodes;
  NumaTrialRequest request;
};

template <u64 NumaPlan::* kSize>
Result<> choose_size(NumaOptions& options, const Use& use) {
  const auto megabytes = use.negated ? 0.0 : parse_real(use.value);
  if (!megabytes || *megabytes >= 1e9) return fail(ErrorKind::Usage, "invalid number of megabytes '{}'", use.value);
  options.request.plan.*kSize = static_cast<u64>(std::llround(*megabytes * kMegabyte)) & ~u64{7};
  return {};
}

template <auto kMember>
constexpr auto kPlanFlag = trial_flag<&NumaOptions::request, &NumaTrialRequest::plan, kMember>;
template <auto kMember>
constexpr auto kPlanValue = trial_value<&NumaOptions::request, &NumaTrialRequest::plan, kMember>;
template <u64 NumaPlan::* kSize>
constexpr Option size(std::string_view name, char letter, std::string_view help) {
  return {.name = name,
          .letter = letter,
          .value = Value::Required,
          .metavar = "MB",
          .help = help,
          .store = call<choose_size<kSize>>};
}

constexpr Option kBenchNumaOptions[] = {
    kPlanFlag<&NumaPlan::first_cpu>("init_cpu0", '0', "allocate on the first CPU"),
    trial_flag<&NumaOptions::request, &NumaTrialRequest::all>("all", 'a', "run a series of tests"),
    kPlanFlag<&NumaPlan::backwards>("data_backwards", 'B', "access memory backwards"),
    trial_value<&NumaOptions::cpus>(
        "cpus", 'C', "cpu,...",
        "bind one task to each of these CPUs; also A-B%STEP, A#LENGTH (LENGTH CPUs) and xTIMES"),
    trial_flag<&NumaOptions::request, &NumaTrialRequest::show_convergence>("show_convergence", 'c',
                                                                           "show how many nodes each process spans"),
    trial_flag<&NumaOptions::request, &NumaTrialRequest::show_details>("show_details", 'd', "show one line per task"),
    size<&NumaPlan::global>("mb_global", 'G', "share this much memory between all processes, in MB (default: 1)"),
    kPlanValue<&NumaPlan::huge>("thp", 'H', "n", "use huge pages: never if negative, wherever possible if positive"),
    kPlanFlag<&NumaPlan::randomize>("init_random", 'I', "initialize memory with random numbers"),
    size<&NumaPlan::process_locked>("mb_proc_locked", 'L',
                                    "allocate this much memory per process, used by one thread at a time"),
    kPlanValue<&NumaPlan::loops>("nr_loops", 'l', "n",
                                 "run this many rounds per thread (default: until the time limit)"),
    kPlanFlag<&NumaPlan::until_converged>("measure_convergence", 'm', "stop when each process runs on one node"),
    trial_value<&NumaOptions::nodes>("memnodes", 'M', "node,...",
                                     "bind each task's memory to one of these nodes; also A-B and xTIMES"),
    size<&NumaPlan::process>("mb_proc", 'P', "allocate this much memory per process"),
    kPlanValue<&NumaPlan::processes>("nr_proc", 'p', "n", "set the number of processes (default: 1)"),
    trial_flag<&NumaOptions::request, &NumaTrialRequest::quiet>("quiet", 'q', "show only the results"),
    kPlanFlag<&NumaPlan::random>("data_rand_walk", 'r', "access memory at random"),
    kPlanFlag<&NumaPlan::reads>("data_reads", 'R', "read memory (without -W: only read)"),
    kPlanValue<&NumaPlan::seconds>("nr_secs", 's', "n", "run for at most n seconds (default: 5)"),
    kPlanFlag<&NumaPlan::serialize>("serialize-startup", 'S', "start tasks one after the other"),
    size<&NumaPlan::thread>("mb_thread", 'T', "allocate this much memory per thread"),
    kPlanValue<&NumaPlan::threads>("nr_threads", 't', "n",
                                   "set the number of threads per process (default: one per CPU)"),
    kPlanValue<&NumaPlan::pause_us>("usleep", 'u', "n", "sleep n microseconds after each round"),
    kPlanFlag<&NumaPlan::writes>("data_writes", 'W', "write memory (without -R: only write)"),
    kPlanValue<&NumaPlan::perturb_seconds>("perturb_secs", 'x', "n",
                                           "move the first task to the first CPU every n seconds"),
    kPlanFlag<&NumaPlan::fill>("data_zero_memset", 'Z',
                               "fill memory with zeros (memset) instead of walking through it"),
    kPlanFlag<&NumaPlan::zero>("init_zero", 'z', "initialize memory with zeros"),
    kSimple<&NumaOptions::request, &NumaTrialRequest::simple>};

Result<int> numa(NumaOptions& options, Invocation& call) {
  NumaPlan& plan = options.request.plan;
  if (!options.cpus.empty()) {
    auto cpus = parse_task_cpus(options.cpus);
    if (!cpus) return std::unexpected(std::move(cpus.error()));
    plan.task_cpus = std::move(*cpus);
  }
  if (!options.nodes.empty()) {
    auto nodes = parse_task_nodes(options.nodes);
    if (!nodes) return std::unexpected(std::move(nodes.error()));
    plan.task_nodes = std::move(*nodes);
  }
  PEREGRINE_TRY(run_numa(options.request, call.out));
  return 0;
}

constexpr Command kNumaMemory{.name = "bench numa mem",
                              .summary = "Memory access across NUMA nodes",
                              .usage = kTrialUsage,
                              .options = kBenchNumaOptions,
                              .run = entry<NumaOptions, numa>};
constexpr Trial kNuma[] = {{"mem", &kNumaMemory}};

}  // namespace

std::span<const Trial> numa_trials() { return kNuma; }

}  // namespace peregrine::cmd
