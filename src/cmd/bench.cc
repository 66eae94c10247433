// bench: small trials of the kernel and the C library, with linux-perf's words for them. Each is a command of its own
// below `bench`: collection and trial, then its options.
#include <algorithm>
#include <charconv>

#include "cmd/command_table.h"
#include "trial/memory_copy.h"
#include "trial/messaging.h"
#include "trial/ping_pong.h"

namespace peregrine::cmd {
namespace {

struct BenchOptions {
  std::string format = "default";
  int repeat = 1;
};
constexpr Option kOptions[] = {
    {.name = "format",
     .letter = 'f',
     .value = Value::Required,
     .metavar = "default|simple",
     .help = "a text, or one number alone",
     .store = set<&BenchOptions::format>},
    {.name = "repeat",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "n",
     .help = "run it so many times",
     .store = set<&BenchOptions::repeat>},
};

// `bench` hands its format down as the first argument of a trial.
template <auto kMember>
constexpr Option kSimple = {
    .name = "simple", .help = "one number alone", .store = set<kMember>, .shown = Shown::Hidden, .since = Since::Ours};

void tell_total(Sink& out, double seconds) { out.format(" {:>14}: {:.3f} [sec]\n", "Total time", seconds); }

void tell_rate(Sink& out, double seconds, u64 loops) {
  const double count = static_cast<double>(loops);
  out.format("\n {:14.6f} usecs/op\n {:14} ops/sec\n", seconds * 1e6 / count,
             static_cast<u64>(seconds > 0 ? count / seconds : 0));
}

struct MessagingOptions {
  bool simple = false;
  MessagingPlan plan;
};
constexpr Option kMessagingOptions[] = {
    {.name = "pipe",
     .letter = 'p',
     .help = "through pipes; without it through sockets",
     .store = set<&MessagingOptions::plan, &MessagingPlan::pipes>},
    {.name = "thread",
     .letter = 't',
     .help = "threads; without it processes",
     .store = set<&MessagingOptions::plan, &MessagingPlan::threads>},
    {.name = "group",
     .letter = 'g',
     .value = Value::Required,
     .metavar = "n",
     .help = "how many groups of 20 senders and 20 receivers (10)",
     .store = set<&MessagingOptions::plan, &MessagingPlan::groups>},
    {.name = "nr_loops",
     .letter = 'l',
     .value = Value::Required,
     .metavar = "n",
     .help = "messages from each sender to each receiver (100)",
     .store = set<&MessagingOptions::plan, &MessagingPlan::loops>},
    kSimple<&MessagingOptions::simple>,
};

Result<int> messaging(MessagingOptions& options, Invocation& call) {
  const MessagingPlan& plan = options.plan;
  const auto seconds = run_messaging(plan);
  if (!seconds) return std::unexpected(seconds.error());
  if (options.simple) {
    call.out.format("{:.3f}\n", *seconds);
    return 0;
  }
  const std::string_view workers = plan.threads ? "threads" : "processes";
  call.out.format("# {} sender and receiver {} per group\n# {} groups == {} {} run\n\n", MessagingPlan::kSide, workers,
                  plan.groups, plan.groups * 2 * MessagingPlan::kSide, workers);
  tell_total(call.out, *seconds);
  return 0;
}

struct LoopOptions {
  bool simple = false, threads = false;
  u64 loops = 0;  // 0: what is usual
};
constexpr Option kLoops = {.name = "loop",
                           .letter = 'l',
                           .value = Value::Required,
                           .metavar = "n",
                           .help = "how many times",
                           .store = set<&LoopOptions::loops>};
constexpr Option kPipeOptions[] = {
    kLoops,
    {.name = "threaded", .letter = 'T', .help = "threads; without it processes", .store = set<&LoopOptions::threads>},
    kSimple<&LoopOptions::simple>};
constexpr Option kCallOptions[] = {kLoops, kSimple<&LoopOptions::simple>};

Result<int> ping_pong(LoopOptions& options, Invocation& call) {
  if (options.loops == 0) options.loops = 1'000'000;
  const auto seconds = run_ping_pong(options.loops, options.threads);
  if (!seconds) return std::unexpected(seconds.error());
  if (options.simple) {
    call.out.format("{:.3f}\n", *seconds);
    return 0;
  }
  call.out.format("# Executed {} pipe operations between two {}\n\n", options.loops,
                  options.threads ? "threads" : "processes");
  tell_total(call.out, *seconds);
  tell_rate(call.out, *seconds, options.loops);
  return 0;
}

template <CheapCall kCall>
Result<int> system_call(LoopOptions& options, Invocation& call) {
  if (options.loops == 0) options.loops = 10'000'000;
  const double seconds = run_system_calls(kCall, options.loops);
  if (options.simple) {
    call.out.format("{:.3f}\n", seconds);
    return 0;
  }
  call.out.format("# Executed {} {}() calls\n", options.loops, kCall == CheapCall::GetPpid ? "getppid" : "getpgid");
  tell_total(call.out, seconds);
  tell_rate(call.out, seconds, options.loops);
  return 0;
}

struct MemoryOptions {
  bool simple = false;
  std::string size = "1MB", function = "all";
  u64 loops = 1;
};
constexpr Option kMemoryOptions[] = {
    {.name = "size",
     .letter = 's',
     .value = Value::Required,
     .metavar = "1MB",
     .help = "of the memory: a number with B, KB, MB, GB or TB",
     .store = set<&MemoryOptions::size>},
    {.name = "function",
     .letter = 'f',
     .value = Value::Required,
     .metavar = "all",
     .help = "which one: default is the C library's, and the only one; help lists them",
     .store = set<&MemoryOptions::function>},
    {.name = "nr_loops",
     .letter = 'l',
     .value = Value::Required,
     .metavar = "n",
     .help = "how many times (1)",
     .store = set<&MemoryOptions::loops>},
    {.name = "cycles", .letter = 'c', .help = "count cycles instead of time"},
    kSimple<&MemoryOptions::simple>,
};

// "64KB", "2mb", "100": bytes.
Result<u64> memory_size(std::string_view text) {
  u64 number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  for (char& c : unit) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  unsigned shift = 0;
  for (const std::string_view known : kUnits) {
    const bool same = unit == known || (unit.size() == 1 && unit[0] == known[0]) || (unit.empty() && known == "B");
    if (error == std::errc() && same && number > 0 && number <= (u64{1} << 50) >> shift) return number << shift;
    shift += 10;
  }
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("Invalid size:{}", text), "such as 64KB, 1MB, 2GB"});
}

std::string speed(double bytes_per_second) {
  constexpr std::string_view kUnits[] = {"bytes", "KB", "MB", "GB"};
  std::size_t unit = 0;
  for (; unit + 1 < std::size(kUnits) && bytes_per_second >= 1024; ++unit) bytes_per_second /= 1024;
  return fmt::format(" {:14.6f} {}/sec", bytes_per_second, kUnits[unit]);
}

template <MemoryWork kWork>
Result<int> memory(MemoryOptions& options, Invocation& call) {
  const std::string line =
      fmt::format("Default {}() of the C library", kWork == MemoryWork::Copy ? "memcpy" : "memset");
  if (options.function != "all" && options.function != "default") {
    if (options.function != "help") call.messages.verbatim(fmt::format("Unknown function: {}\n", options.function));
    call.out.format("Available functions:\n\tdefault ... {}\n", line);
    return 1;
  }
  const auto bytes = memory_size(options.size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto rate = run_memory(kWork, *bytes, std::max<u64>(options.loops, 1));
  if (!rate) return std::unexpected(rate.error());
  call.out.format("# function 'default' ({})\n", line);
  if (options.simple)
    call.out.format("{:.6f}\n", *rate);
  else
    call.out.format("# Copying {} bytes ...\n\n{}\n", options.size, speed(*rate));
  return 0;
}

constexpr std::string_view kTrialUsage[] = {"[<options>]"};
constexpr Command kMessaging{.name = "bench sched messaging",
                             .summary = "Many senders and receivers of small messages",
                             .usage = kTrialUsage,
                             .options = kMessagingOptions,
                             .run = entry<MessagingOptions, messaging>};
constexpr Command kPipe{.name = "bench sched pipe",
                        .summary = "Two that wake each other through pipes",
                        .usage = kTrialUsage,
                        .options = kPipeOptions,
                        .run = entry<LoopOptions, ping_pong>};
constexpr Command kBasic{.name = "bench syscall basic",
                         .summary = "getppid(2), over and over",
                         .usage = kTrialUsage,
                         .options = kCallOptions,
                         .run = entry<LoopOptions, system_call<CheapCall::GetPpid>>};
constexpr Command kGetpgid{.name = "bench syscall getpgid",
                           .summary = "getpgid(2), over and over",
                           .usage = kTrialUsage,
                           .options = kCallOptions,
                           .run = entry<LoopOptions, system_call<CheapCall::GetPgid>>};
constexpr Command kMemcpy{.name = "bench mem memcpy",
                          .summary = "Copying memory",
                          .usage = kTrialUsage,
                          .options = kMemoryOptions,
                          .run = entry<MemoryOptions, memory<MemoryWork::Copy>>};
constexpr Command kMemset{.name = "bench mem memset",
                          .summary = "Filling memory",
                          .usage = kTrialUsage,
                          .options = kMemoryOptions,
                          .run = entry<MemoryOptions, memory<MemoryWork::Fill>>};

struct Trial {
  std::string_view name;
  const Command* command;
};
struct Collection {
  std::string_view name, summary;
  std::span<const Trial> trials;
};
constexpr Trial kSched[] = {{"messaging", &kMessaging}, {"pipe", &kPipe}};
constexpr Trial kSyscall[] = {{"basic", &kBasic}, {"getpgid", &kGetpgid}};
constexpr Trial kMemory[] = {{"memcpy", &kMemcpy}, {"memset", &kMemset}};
constexpr Collection kCollections[] = {{"sched", "The scheduler, and messages between processes", kSched},
                                       {"syscall", "The cost of a system call", kSyscall},
                                       {"mem", "The speed of memory", kMemory}};

void list_collections(Sink& out) {
  out.append("        # List of all available benchmark collections:\n\n");
  for (const Collection& each : kCollections) out.format(" {:>13}: {}\n", each.name, each.summary);
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
    Invocation inner{.command = *trial.command,
                     .config = call.config,
                     .messages = call.messages,
                     .out = call.out,
                     .argv = call.argv,
                     .arguments = arguments,
                     .out_is_terminal = call.out_is_terminal};
    auto done = trial.command->run(inner);
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
    call.out.append("Usage: \n\tperf bench [<common options>] <collection> <benchmark> [<options>]\n\n");
    list_collections(call.out);
    return 0;
  }
  if (call.words[0] == "all") {
    for (const Collection& each : kCollections)
      if (auto done = run_all(each, options, call); !done) return done;
    return 0;
  }
  const auto collection = std::ranges::find(kCollections, call.words[0], &Collection::name);
  if (collection == std::end(kCollections)) {
    call.messages.verbatim(fmt::format("Unknown collection: '{}'\n", call.words[0]));
    return 1;
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

constexpr std::string_view kUsage[] = {"[<common options>] <collection> <benchmark> [<options>]"};

}  // namespace

constinit const Command kBench{
    .name = "bench",
    .summary = "Small benchmarks of the kernel",
    .usage = kUsage,
    .options = kOptions,
    .words_at = Words::StopAtFirst,
    .description =
        "Without words it lists the collections there are, with a collection its trials; `all` runs all of them. A "
        "trial has options of its own: `perf bench sched messaging -h`.",
    .run = entry<BenchOptions, bench>};

}  // namespace peregrine::cmd
