// bench breakpoint: the options of its benchmarks.
#include "cmd/bench/bench_trials.h"
#include "session/bench/breakpoint_trials.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr Option kThreadOptions[] = {{.name = "breakpoints",
                                      .letter = 'b',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "number of breakpoints that threads inherit (default: 1)",
                                      .store = set<&BreakpointTrialRequest::breakpoints>},
                                     {.name = "parallelism",
                                      .letter = 'p',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "number of threads that start threads in parallel (default: 1)",
                                      .store = set_at_most<kMostThreads, &BreakpointTrialRequest::parallel>},
                                     {.name = "threads",
                                      .letter = 't',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "threads per round (default: 1)",
                                      .store = set_at_most<kMostThreads, &BreakpointTrialRequest::threads>},
                                     kSimple<&BreakpointTrialRequest::simple>};
constexpr Option kEnableOptions[] = {{.name = "active",
                                      .letter = 'a',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "number of threads that run meanwhile (default: 0)",
                                      .store = set_at_most<kMostThreads, &BreakpointTrialRequest::active>},
                                     {.name = "passive",
                                      .letter = 'p',
                                      .value = Value::Required,
                                      .metavar = "n",
                                      .help = "number of threads that sleep meanwhile (default: 0)",
                                      .store = set_at_most<kMostThreads, &BreakpointTrialRequest::passive>},
                                     kSimple<&BreakpointTrialRequest::simple>};

constexpr Command kThread{.name = "bench breakpoint thread",
                          .summary = "Starting threads that inherit breakpoints",
                          .usage = kTrialUsage,
                          .options = kThreadOptions,
                          .run = kTrialRun<BreakpointTrialRequest, run_breakpoint_inheritance>};
constexpr Command kBreakpointEnable{.name = "bench breakpoint enable",
                                    .summary = "Enabling and disabling a breakpoint of many threads",
                                    .usage = kTrialUsage,
                                    .options = kEnableOptions,
                                    .run = kTrialRun<BreakpointTrialRequest, run_breakpoint_switching>};
constexpr Trial kBreakpoint[] = {{"thread", &kThread}, {"enable", &kBreakpointEnable}};

}  // namespace

std::span<const Trial> breakpoint_trials() { return kBreakpoint; }

}  // namespace peregrine::cmd
