// bench breakpoint: what breakpoints of the processor cost threads that start, and being switched. The texts are
// linux-perf's.
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <atomic>
#include <condition_variable>
#include <thread>

#include "base/guarded.h"
#include "capture/perf_event/event_matrix.h"
#include "cmd/bench/bench_trials.h"
#include "trial/stop_watch.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr unsigned kBreakpointRounds = 10;

struct BreakpointOptions {
  bool simple = false;
  unsigned breakpoints = 1, parallel = 1, threads = 1;
  unsigned active = 0, passive = 0;
};
constexpr Option kThreadOptions[] = {{.name = "breakpoints",
                                      .letter = 'b',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "number of breakpoints that threads inherit (default: 1)",
                                      .store = set<&BreakpointOptions::breakpoints>},
                                     {.name = "parallelism",
                                      .letter = 'p',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "number of threads that start threads in parallel (default: 1)",
                                      .store = set_at_most<kMostThreads, &BreakpointOptions::parallel>},
                                     {.name = "threads",
                                      .letter = 't',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "threads per round (default: 1)",
                                      .store = set_at_most<kMostThreads, &BreakpointOptions::threads>},
                                     kSimple<&BreakpointOptions::simple>};
constexpr Option kEnableOptions[] = {{.name = "active",
                                      .letter = 'a',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "number of threads that run meanwhile (default: 0)",
                                      .store = set_at_most<kMostThreads, &BreakpointOptions::active>},
                                     {.name = "passive",
                                      .letter = 'p',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "number of threads that sleep meanwhile (default: 0)",
                                      .store = set_at_most<kMostThreads, &BreakpointOptions::passive>},
                                     kSimple<&BreakpointOptions::simple>};

abi::EventAttr breakpoint_at(const char* place) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Breakpoint);
  attr.sample_period = 1;
  attr.bp_type = 3;
  attr.config1 = reinterpret_cast<u64>(place);
  attr.config2 = 1;
  attr.set(abi::attr_flag::Inherit | abi::attr_flag::ExcludeKernel | abi::attr_flag::ExcludeHv);
  return attr;
}

// Of the calling thread and those that it starts.
Result<std::vector<Fd>> set_breakpoints(unsigned count, const char* place) {
  std::vector<Fd> made;
  for (unsigned i = 0; i < count; ++i) {
    const int fd = open_event(breakpoint_at(place + i), 0, -1, -1);
    if (fd < 0) {
      auto failure = fail_errno(fmt::format("setting breakpoint {}", i + 1), -fd);
      failure.error().hint = "processors have few (four on x86), and some virtual machines none";
      return failure;
    }
    made.emplace_back(fd);
  }
  return made;
}

void tell(const BreakpointOptions& options, double seconds, double operations, bool by_cpu, Sink& out) {
  if (options.simple) {
    out.format("{:.3f}\n", seconds);
    return;
  }
  const double each = seconds * 1e6 / operations;
  tell_total(out, seconds);
  out.format("\n {:14.6f} usecs/op\n", each);
  if (by_cpu) out.format(" {:14.6f} usecs/op/cpu\n", each * options.parallel);
}

Result<int> start_threads(BreakpointOptions& options, Invocation& call) {
  if (options.parallel == 0 || options.threads == 0)
    return fail(ErrorKind::Usage, "nothing to do: there must be at least one thread and one that starts it");
  static constexpr char kPlaces[64] = {};
  if (options.breakpoints > sizeof kPlaces) return fail(ErrorKind::Usage, "too many breakpoints");
  std::vector<Error> errors(options.parallel);
  const StopWatch watch;
  {
    std::vector<std::jthread> starters;
    for (unsigned starter = 0; starter < options.parallel; ++starter)
      starters.emplace_back([&, starter] {
        auto done = guarded([&]() -> Result<> {
          const auto set = set_breakpoints(options.breakpoints, kPlaces);
          if (!set) return std::unexpected(set.error());
          for (unsigned round = 0; round < kBreakpointRounds; ++round)
            for (unsigned i = starter; i < options.threads; i += options.parallel) std::jthread([] {}).join();
          return {};
        });
        if (!done) errors[starter] = std::move(done.error());
      });
  }
  const double seconds = watch.seconds();
  for (Error& error : errors)
    if (!error.message.empty()) return std::unexpected(std::move(error));
  if (!options.simple)
    call.out.format("# Created/joined {} threads with {} breakpoints and {} parallelism\n", kBreakpointRounds,
                    options.breakpoints, options.parallel);
  tell(options, seconds, static_cast<double>(kBreakpointRounds) * options.threads, true, call.out);
  return 0;
}

// Ends threads that wait for `stop` when it goes out of scope.
class StopSign {
 public:
  explicit StopSign(std::atomic<bool>& stop) : stop_(stop) {}
  ~StopSign() {
    stop_ = true;
    stop_.notify_all();
  }
  StopSign(const StopSign&) = delete;
  StopSign& operator=(const StopSign&) = delete;

 private:
  std::atomic<bool>& stop_;
};

Result<int> switch_breakpoint(BreakpointOptions& options, Invocation& call) {
  static constexpr char kPlace[8] = {};
  auto set = set_breakpoints(1, kPlace);
  if (!set) return std::unexpected(std::move(set.error()));
  std::atomic<bool> stop = false;
  double seconds = 0;
  {
    std::vector<std::jthread> threads;
    const StopSign sign(stop);  // the threads are joined behind it, however this ends
    for (unsigned i = 0; i < options.active + options.passive; ++i)
      threads.emplace_back([&stop, active = i < options.active] {
        if (!active) stop.wait(false);
        while (!stop) {
        }
      });
    const StopWatch watch;
    for (unsigned i = 0; i < kBreakpointRounds; ++i) {
      for (const bool disabled : {true, false}) {
        abi::EventAttr attr = breakpoint_at(kPlace);
        attr.set(abi::attr_flag::Disabled, disabled);
        ByteWriter bytes;
        encode_attr(attr, bytes);
        if (::ioctl((*set)[0].get(), PERF_EVENT_IOC_MODIFY_ATTRIBUTES, bytes.bytes().data()) != 0) {
          return fail_errno("switching a breakpoint");
        }
      }
    }
    seconds = watch.seconds();
  }
  if (!options.simple)
    call.out.format("# Enabled/disabled breakpoint {} time with {} passive and {} active threads\n", kBreakpointRounds,
                    options.passive, options.active);
  tell(options, seconds, kBreakpointRounds, false, call.out);
  return 0;
}

constexpr Command kThread{.name = "bench breakpoint thread",
                          .summary = "Starting threads that inherit breakpoints",
                          .usage = kTrialUsage,
                          .options = kThreadOptions,
                          .run = entry<BreakpointOptions, start_threads>};
constexpr Command kBreakpointEnable{.name = "bench breakpoint enable",
                                    .summary = "Enabling and disabling a breakpoint of many threads",
                                    .usage = kTrialUsage,
                                    .options = kEnableOptions,
                                    .run = entry<BreakpointOptions, switch_breakpoint>};
constexpr Trial kBreakpoint[] = {{"thread", &kThread}, {"enable", &kBreakpointEnable}};

}  // namespace

std::span<const Trial> breakpoint_trials() { return kBreakpoint; }

}  // namespace peregrine::cmd
