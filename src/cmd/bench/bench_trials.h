// The benchmarks of `bench` by collection, one file for each; bench.cc runs them by name.
//
// Each is a command with its own options; --simple before them prints only one number.
#pragma once
#include <span>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"

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

// `bench` passes its format as the first argument of a benchmark.
template <auto... kMembers>
inline constexpr Option kSimple = {.name = "simple",
                                   .help = "print only a number",
                                   .store = set<kMembers...>,
                                   .shown = Shown::Hidden,
                                   .since = Since::Ours};

// Option table rows. Their template arguments are the members that lead from the request to a value: a flag, a number
// or text, or a number that determines a size and therefore has a limit.
template <auto... kMembers>
constexpr Option trial_flag(std::string_view name, char letter, std::string_view help) {
  return {.name = name, .letter = letter, .help = help, .store = set<kMembers...>};
}
template <auto... kMembers>
constexpr Option trial_value(std::string_view name, char letter, std::string_view metavar, std::string_view help) {
  return {.name = name,
          .letter = letter,
          .value = Value::Required,
          .metavar = metavar,
          .help = help,
          .store = set<kMembers...>};
}
template <auto kMost, auto... kMembers>
constexpr Option trial_limited(std::string_view name, char letter, std::string_view metavar, std::string_view help) {
  Option row = trial_value<kMembers...>(name, letter, metavar, help);
  row.store = set_at_most<kMost, kMembers...>;
  return row;
}

// The `run` of a benchmark with only a request, which `kRun` measures and prints.
template <class Request, auto kRun>
Result<int> run_trial_request(Request& request, Invocation& call) {
  PEREGRINE_TRY(kRun(request, call.out));
  return 0;
}
template <class Request, auto kRun>
inline constexpr auto kTrialRun = entry<Request, run_trial_request<Request, kRun>>;

}  // namespace peregrine::cmd
