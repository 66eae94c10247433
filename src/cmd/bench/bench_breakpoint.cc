// bench breakpoint: the options of its benchmarks.
#include <span>

#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cmd/bench/bench_trials.h"
#include "session/bench/breakpoint_trials.h"
#include "trial/timed_run.h"

namespace peregrine::cmd {
namespace {

constexpr Option kThreadOptions[] = {
    trial_value<&BreakpointTrialRequest::breakpoints>(
        "breakpoints", 'b', "n", "set the number of breakpoints that threads inherit (default: 1)"),
    trial_limited<kMostThreads, &BreakpointTrialRequest::parallel>(
        "parallelism", 'p', "n", "set the number of threads that create threads in parallel (default: 1)"),
    trial_limited<kMostThreads, &BreakpointTrialRequest::threads>("threads", 't', "n",
                                                                  "set the number of threads per round (default: 1)"),
    kSimple<&BreakpointTrialRequest::simple>};
constexpr Option kEnableOptions[] = {
    trial_limited<kMostThreads, &BreakpointTrialRequest::active>(
        "active", 'a', "n", "set the number of busy threads in the background (default: 0)"),
    trial_limited<kMostThreads, &BreakpointTrialRequest::passive>(
        "passive", 'p', "n", "set the number of sleeping threads in the background (default: 0)"),
    kSimple<&BreakpointTrialRequest::simple>};

constexpr Command kThread{.name = "bench breakpoint thread",
                          .summary = "Creating threads that inherit breakpoints",
                          .usage = kTrialUsage,
                          .options = kThreadOptions,
                          .run = kTrialRun<BreakpointTrialRequest, run_breakpoint_inheritance>};
constexpr Command kBreakpointEnable{.name = "bench breakpoint enable",
                                    .summary = "Enabling and disabling a breakpoint that many threads share",
                                    .usage = kTrialUsage,
                                    .options = kEnableOptions,
                                    .run = kTrialRun<BreakpointTrialRequest, run_breakpoint_switching>};
constexpr Trial kBreakpoint[] = {{"thread", &kThread}, {"enable", &kBreakpointEnable}};

}  // namespace

std::span<const Trial> breakpoint_trials() { return kBreakpoint; }

}  // namespace peregrine::cmd
