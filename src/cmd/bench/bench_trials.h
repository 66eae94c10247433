// The trials of `bench` by collection, a file for each; bench.cc runs them by name.
//
// A trial is a command with its own options; --simple before them prints only one number.
#pragma once
#include <span>
#include <string_view>

#include "analysis/stat/run_stats.h"
#include "cli/frame/command.h"

namespace peregrine::cmd {

struct Trial {
  std::string_view name;
  const Command* command;
};

std::span<const Trial> sched_trials();
std::span<const Trial> syscall_trials();
std::span<const Trial> memory_trials();
std::span<const Trial> numa_trials();
std::span<const Trial> futex_trials();
std::span<const Trial> epoll_trials();
std::span<const Trial> internal_trials();
std::span<const Trial> breakpoint_trials();
std::span<const Trial> uprobe_trials();

inline constexpr std::string_view kTrialUsage[] = {"[<options>]"};

// `bench` hands its format down as the first argument of a trial.
template <auto kMember>
inline constexpr Option kSimple = {
    .name = "simple", .help = "one number alone", .store = set<kMember>, .shown = Shown::Hidden, .since = Since::Ours};

// "     Total time: 0.041 [sec]".
void tell_total(Sink& out, double seconds);

// Of what the threads of a trial have done: mean and its error.
RunStats spread_of(std::span<const double> values);

}  // namespace peregrine::cmd
