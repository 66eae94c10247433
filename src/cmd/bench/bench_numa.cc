// bench numa mem: tasks that work on memory of several nodes. The texts are linux-perf's; the suite of --all is ours.
#include <cmath>

#include "base/number/real_number.h"
#include "cmd/bench/bench_trials.h"
#include "sys/hardware/memory.h"
#include "trial/numa_memory.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr double kMegabyte = 1024 * 1024;

struct NumaOptions {
  bool simple = false, all = false, show_convergence = false, show_details = false, quiet = false;
  std::string cpus, nodes;
  NumaPlan plan{.global = u64{1} << 20};
};

template <u64 NumaPlan::* kSize>
Result<> choose_size(NumaOptions& options, const Use& use) {
  const auto megabytes = use.negated ? 0.0 : parse_real(use.value);
  if (!megabytes || *megabytes >= 1e9) return fail(ErrorKind::Usage, "invalid number of megabytes '{}'", use.value);
  options.plan.*kSize = static_cast<u64>(std::llround(*megabytes * kMegabyte)) & ~u64{7};
  return {};
}

template <auto kMember>
constexpr Option flag(std::string_view name, char letter, std::string_view help) {
  return {.name = name, .letter = letter, .help = help, .store = set<&NumaOptions::plan, kMember>};
}
template <auto kMember>
constexpr Option number(std::string_view name, char letter, std::string_view metavar, std::string_view help) {
  return {.name = name,
          .letter = letter,
          .value = Value::Required,
          .metavar = metavar,
          .help = help,
          .store = set<&NumaOptions::plan, kMember>};
}
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
    flag<&NumaPlan::first_cpu>("init_cpu0", '0', "allocate on the first CPU"),
    {.name = "all", .letter = 'a', .help = "run several trials, one after the other", .store = set<&NumaOptions::all>},
    flag<&NumaPlan::backwards>("data_backwards", 'B', "walk through memory backwards"),
    {.name = "cpus",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu,...",
     .help = "bind the first tasks to these CPUs, one each; also A-B%STEP, A#LENGTH (LENGTH CPUs) and xTIMES",
     .store = set<&NumaOptions::cpus>},
    {.name = "show_convergence",
     .letter = 'c',
     .help = "show how many nodes processes spread over",
     .store = set<&NumaOptions::show_convergence>},
    {.name = "show_details", .letter = 'd', .help = "show a line per task", .store = set<&NumaOptions::show_details>},
    size<&NumaPlan::global>("mb_global", 'G', "memory shared by all processes, in MB (default: 1)"),
    number<&NumaPlan::huge>("thp", 'H', "n", "huge pages: none below 0, wherever possible above 0"),
    flag<&NumaPlan::randomize>("init_random", 'I', "initialize memory with random numbers"),
    size<&NumaPlan::process_locked>("mb_proc_locked", 'L', "memory per process, used by one thread at a time"),
    number<&NumaPlan::loops>("nr_loops", 'l', "n", "rounds per thread (default: until time is up)"),
    flag<&NumaPlan::until_converged>("measure_convergence", 'm', "stop when each process runs on one node"),
    {.name = "memnodes",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "node,...",
     .help = "bind the memory of the first tasks to these nodes; also A-B and xTIMES",
     .store = set<&NumaOptions::nodes>},
    size<&NumaPlan::process>("mb_proc", 'P', "memory per process"),
    number<&NumaPlan::processes>("nr_proc", 'p', "n", "number of processes (default: 1)"),
    {.name = "quiet", .letter = 'q', .help = "show only the results", .store = set<&NumaOptions::quiet>},
    flag<&NumaPlan::random>("data_rand_walk", 'r', "walk through memory at random"),
    flag<&NumaPlan::reads>("data_reads", 'R', "read memory (without -W: only read)"),
    number<&NumaPlan::seconds>("nr_secs", 's', "n", "run for at most n seconds (default: 5)"),
    flag<&NumaPlan::serialize>("serialize-startup", 'S', "start tasks one after the other"),
    size<&NumaPlan::thread>("mb_thread", 'T', "memory per thread"),
    number<&NumaPlan::threads>("nr_threads", 't', "n", "threads per process (default: one per CPU)"),
    number<&NumaPlan::pause_us>("usleep", 'u', "n", "sleep n microseconds after each round"),
    flag<&NumaPlan::writes>("data_writes", 'W', "write memory (without -R: only write)"),
    number<&NumaPlan::perturb_seconds>("perturb_secs", 'x', "n",
                                       "move the first task to the first CPU every n seconds"),
    flag<&NumaPlan::fill>("data_zero_memset", 'Z', "fill memory with zeroes instead of walking through it"),
    flag<&NumaPlan::zero>("init_zero", 'z', "initialize memory with zeroes"),
    kSimple<&NumaOptions::simple>};

void tell_plan(const NumaPlan& plan, std::size_t nodes, Sink& out) {
  const auto megabytes = [](u64 bytes) { return bytes >> 20; };
  out.format("\n ###\n # {} tasks will execute (on {} nodes, {} CPUs):\n", plan.tasks(), nodes, thread_count({}));
  out.format(" #      {:5}x {:5}MB global  shared mem operations\n", plan.loops, megabytes(plan.global));
  out.format(" #      {:5}x {:5}MB process shared mem operations\n", plan.loops,
             megabytes(plan.process + plan.process_locked));
  out.format(" #      {:5}x {:5}MB thread  local  mem operations\n ###\n\n ###\n #\n", plan.loops,
             megabytes(plan.thread));
}

struct ResultLine {
  double value;
  std::string_view unit, name, sentence;
};

void tell_results(std::string_view trial, const NumaResult& result, const NumaOptions& options, Sink& out) {
  RunStats seconds;
  double most = 0, least = 1e9, bytes = 0;
  for (const NumaTask& task : result.tasks) {
    seconds.add(task.seconds);
    most = std::max(most, task.seconds);
    least = std::min(least, task.seconds);
    bytes += static_cast<double>(task.bytes);
  }
  const double each = bytes / static_cast<double>(result.tasks.size());
  std::vector<ResultLine> lines;
  if (options.plan.until_converged)
    lines.push_back({result.converged, "secs,", "NUMA-convergence-latency", "secs latency to NUMA-converge"});
  lines.push_back({most, "secs,", "runtime-max/thread", "secs slowest (max) thread-runtime"});
  lines.push_back({least, "secs,", "runtime-min/thread", "secs fastest (min) thread-runtime"});
  lines.push_back({seconds.mean(), "secs,", "runtime-avg/thread", "secs average thread-runtime"});
  lines.push_back({most > 0 ? 100 * (most - least) / most / 2 : 0, "%,", "spread-runtime/thread",
                   "% difference between max/avg runtime"});
  lines.push_back({each / 1e9, "GB,", "data/thread", "GB data processed, per thread"});
  lines.push_back({bytes / 1e9, "GB,", "data-total", "GB data processed, total"});
  lines.push_back({each > 0 ? most * 1e9 / each : 0, "nsecs,", "runtime/byte/thread", "nsecs/byte/thread runtime"});
  lines.push_back({most > 0 ? each / most / 1e9 : 0, "GB/sec,", "thread-speed", "GB/sec/thread speed"});
  lines.push_back({most > 0 ? bytes / most / 1e9 : 0, "GB/sec,", "total-speed", "GB/sec total speed"});
  for (const ResultLine& line : lines) {
    if (options.quiet)
      out.format(" {:14.3f} {}\n", line.value, line.sentence);
    else
      out.format(" {:<30} {:15.3f}, {:<15} {}\n", fmt::format("{},", trial), line.value, line.unit, line.name);
  }
  for (std::size_t i = 0; options.show_details && i < result.tasks.size(); ++i) {
    const NumaTask& task = result.tasks[i];
    out.format(" # process {:2} thread {:3}: node {}, {} rounds, {:.3f} GB in {:.3f} secs\n", i / options.plan.threads,
               i % options.plan.threads, task.node, task.rounds, static_cast<double>(task.bytes) / 1e9, task.seconds);
  }
}

Result<> run_one(std::string_view trial, const NumaOptions& options, Sink& out) {
  const NumaPlan& plan = options.plan;
  if (!options.quiet) tell_plan(plan, std::max<std::size_t>(numa_nodes(Root()).size(), 1), out);
  const auto started = [&](double seconds) {
    if (!options.quiet)
      out.format(" # Startup synchronization: ... threads initialized in {:.6f} seconds.\n #\n", seconds);
    static_cast<void>(out.flush());
  };
  const auto look = [&](double seconds, const std::vector<NumaTask>& tasks) {
    if (options.quiet) return;
    out.format(" # {:5.1f}%  [{:.1f} mins]", 100 * seconds / std::max(plan.seconds, 1u), seconds / 60);
    if (options.show_convergence) out.format("  {} nodes too many", stray_nodes(plan, tasks));
    out.append("\n");
    static_cast<void>(out.flush());
  };
  const auto result = run_numa_memory(plan, started, look);
  if (!result) return std::unexpected(result.error());
  if (!options.quiet) out.append(" ###\n\n");
  tell_results(trial, *result, options, out);
  return {};
}

struct Named {
  std::string_view name;
  unsigned processes, threads;  // 0: as many as there are CPUs
  unsigned megabytes_process, megabytes_thread;
  bool until_converged;
};
constexpr Named kSuite[] = {{"1x1-local-memory", 1, 1, 0, 256, false}, {"1xN-local-memory", 1, 0, 0, 64, false},
                            {"Nx1-local-memory", 0, 1, 0, 64, false},  {"1x2-convergence", 1, 2, 256, 0, true},
                            {"2x2-convergence", 2, 2, 256, 0, true},   {"1xN-shared-memory", 1, 0, 256, 0, false},
                            {"2xN-shared-memory", 2, 0, 256, 0, false}};

Result<int> numa(NumaOptions& options, Invocation& call) {
  NumaPlan& plan = options.plan;
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
  if (plan.processes == 0) return fail(ErrorKind::Usage, "no processes: --nr_proc wants at least one");
  if (plan.threads == 0) plan.threads = thread_count({});
  if (plan.threads > kMostThreads / plan.processes)
    return fail(ErrorKind::Usage, "{} processes of {} threads are too many: at most {} threads in all", plan.processes,
                plan.threads, kMostThreads);
  if (!options.all) {
    call.out.append("\n # Running main\n");
    PEREGRINE_TRY(run_one("main", options, call.out));
    return 0;
  }
  for (const Named& trial : kSuite) {
    NumaOptions each = options;
    const auto count = [](unsigned number) { return number != 0 ? number : thread_count({}); };
    each.plan.processes = count(trial.processes);
    each.plan.threads = count(trial.threads);
    each.plan.global = 0;
    each.plan.process = u64{trial.megabytes_process} << 20;
    each.plan.thread = u64{trial.megabytes_thread} << 20;
    each.plan.until_converged = trial.until_converged;
    call.out.format("\n # Running {}\n", trial.name);
    PEREGRINE_TRY(run_one(trial.name, each, call.out));
  }
  return 0;
}

constexpr Command kNumaMemory{.name = "bench numa mem",
                              .summary = "Memory access on several NUMA nodes",
                              .usage = kTrialUsage,
                              .options = kBenchNumaOptions,
                              .run = entry<NumaOptions, numa>};
constexpr Trial kNuma[] = {{"mem", &kNumaMemory}};

}  // namespace

std::span<const Trial> numa_trials() { return kNuma; }

}  // namespace peregrine::cmd
