// bench: small benchmarks of the kernel and the C library, with linux-perf's texts. Each is a separate command
// below `bench`: collection, benchmark, then its options.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cmd/bench/bench_trials.h"
#include "cmd/command_table.h"
#include "output/sink.h"

namespace peregrine::cmd {
namespace {

struct BenchOptions {
  std::string format = "default";
  int repeat = 1;
};
constexpr Option kBenchOptions[] = {
    trial_value<&BenchOptions::format>("format", 'f', "default|simple", "print full text or a single number"),
    trial_value<&BenchOptions::repeat>("repeat", 'r', "n", "run the benchmark n times"),
};

struct Collection {
  std::string_view name, summary;
  std::span<const Trial> trials;
};

std::array<Collection, 9> collections() {
  return {{{"sched", "Scheduler and messages between processes", sched_trials()},
           {"syscall", "System call overhead", syscall_trials()},
           {"mem", "Memory speed", memory_trials()},
           {"numa", "Memory access across NUMA nodes", numa_trials()},
           {"futex", "Futex operations", futex_trials()},
           {"epoll", "epoll operations", epoll_trials()},
           {"internals", "Internal operations of this program", internal_trials()},
           {"breakpoint", "Hardware breakpoints", breakpoint_trials()},
           {"uprobe", "User-space probes", uprobe_trials()}}};
}

std::vector<std::string_view> collection_names() {
  std::vector<std::string_view> names;
  for (const Collection& each : collections()) names.push_back(each.name);
  names.push_back("all");
  return names;
}

void list_collections(Sink& out) {
  out.append("        # List of all available benchmark collections:\n\n");
  for (const Collection& each : collections()) out.format(" {:>13}: {}\n", each.name, each.summary);
  out.format(" {:>13}: {}\n\n", "all", "All of them");
}

void list_trials(const Collection& collection, Sink& out) {
  out.format("\n        # List of available benchmarks for collection '{}':\n\n", collection.name);
  for (const Trial& trial : collection.trials) out.format(" {:>13}: {}\n", trial.name, trial.command->summary);
  out.format(" {:>13}: {}\n\n", "all", "All of them");
}

Result<int> run_trial(const Trial& trial, const BenchOptions& options, std::vector<std::string> arguments,
                      Invocation& call) {
  if (options.format == "simple") arguments.insert(arguments.begin(), "--simple");
  for (int i = 0; i < options.repeat; ++i) {
    auto done = run_other(*trial.command, arguments, call);
    if (!done && done.error().kind == ErrorKind::Usage && done.error().hint.empty())
      done.error().hint = fmt::format("'perf {} -h' shows its options", trial.command->name);
    if (!done || *done != 0) return done;
  }
  return 0;
}

Result<int> run_all(const Collection& collection, const BenchOptions& options, Invocation& call) {
  for (const Trial& trial : collection.trials) {
    call.out.format("# Running {}/{} benchmark...\n", collection.name, trial.name);
    static_cast<void>(call.out.flush());
    auto done = run_trial(trial, options, {}, call);
    if (!done) return done;
    call.out.append('\n');
  }
  return 0;
}

Result<int> bench(BenchOptions& options, Invocation& call) {
  if (options.format != "default" && options.format != "simple")
    return fail(ErrorKind::Usage, "Unknown format descriptor: '{}'", options.format);
  if (options.repeat <= 0) return fail(ErrorKind::Usage, "Invalid repeat option: Must specify a positive value");
  if (call.words.empty()) {
    call.out.format("Usage: \n\t{} bench [<common options>] <collection> <benchmark> [<options>]\n\n",
                    call.messages.program());
    list_collections(call.out);
    return 0;
  }
  if (call.words[0] == "all") {
    for (const Collection& each : collections())
      if (auto done = run_all(each, options, call); !done) return done;
    return 0;
  }
  const auto all = collections();
  const auto collection = std::ranges::find(all, call.words[0], &Collection::name);
  if (collection == all.end()) {
    call.messages.verbatim(fmt::format("Unknown collection: '{}'\n", call.words[0]));
    return 1;
  }
  if (call.words.size() == 2 && call.words[1].starts_with("--list-")) {  // for completion
    if (call.words[1] == "--list-cmds")
      for (const Trial& trial : collection->trials) call.out.append(trial.name).append(" ");
    call.out.append("\n");
    return 0;
  }
  if (call.words.size() < 2 || call.words[1] == "-h") {
    list_trials(*collection, call.out);
    return 0;
  }
  if (call.words[1] == "all") return run_all(*collection, options, call);
  const auto trial = std::ranges::find(collection->trials, call.words[1], &Trial::name);
  if (trial == collection->trials.end()) {
    call.messages.verbatim(
        fmt::format("Unknown benchmark: '{}' for collection '{}'\n", call.words[1], collection->name));
    return 1;
  }
  if (options.format == "default") call.out.format("# Running '{}/{}' benchmark:\n", collection->name, trial->name);
  static_cast<void>(call.out.flush());
  return run_trial(*trial, options, {call.words.begin() + 2, call.words.end()}, call);
}

constexpr std::string_view kBenchUsage[] = {"[<common options>] <collection> <benchmark> [<options>]"};
constexpr std::string_view kBenchExamples[] = {
    "perf bench|list the collections",
    "perf bench sched pipe|measure switches between two tasks",
    "perf bench -r 5 mem memcpy|run one benchmark five times",
};

}  // namespace

constinit const Command kBench{
    .name = "bench",
    .summary = "Run micro-benchmarks of the kernel and of this program",
    .usage = kBenchUsage,
    .options = kBenchOptions,
    .first_words = collection_names,
    .words_at = Words::StopAtFirst,
    .description =
        "Runs micro-benchmarks of the scheduler, system calls, memory, futexes, epoll and of this program. Use them "
        "to compare kernels or machines.\n\n"
        "Without arguments it lists the collections; with the name of a collection, its benchmarks. `all` runs all of "
        "them. Each benchmark has further options, such as those of `perf bench sched messaging -h`.",
    .examples = kBenchExamples,
    .run = entry<BenchOptions, bench>};

}  // namespace peregrine::cmd
