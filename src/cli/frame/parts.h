// Commands with subcommands, each a Command that is not listed: "sched latency", "sched map".
//
//   perf sched -i FILE latency -p        options of `sched` precede the subcommand, which has them as well
#pragma once
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "cli/frame/command.h"

namespace peregrine {

// The `run` of such a command: finds the part that the first word names, of which three letters are enough, and calls
// it with the options before it and all behind it. Errors: Usage, no such part.
Result<int> run_part(Invocation& call);

// The `takes_screen` of such a command: whether the part that is called takes it.
bool part_takes_screen(const Invocation& call);

// The part that the arguments name; nullptr: none.
const Command* called_part(const Command& command, std::span<const std::string> arguments);

// Answers -h, --help and --list-opts of a part that runs another command: under the part's name, and also where the
// machine lacks what the part needs. No value: none was requested.
std::optional<Result<int>> answer_for(const Command& part, std::span<const std::string> arguments, Invocation& call);

// Its options, and those of the command that it passes them to.
std::vector<Option> all_options(const Command& command);

// Another command with these arguments, as if it had been called.
Result<int> run_other(const Command& command, std::vector<std::string> arguments, Invocation& call);

// Stores the uses of the command's own options in `options`, whose type `owner` tags; all else is for the command that
// it passes them to. Errors: Usage.
Result<std::vector<std::string>> take_own_options(const Invocation& call, void* options, TypeTag owner);

// Rows of several tables as one.
template <std::size_t... Sizes>
constexpr auto joined_rows(const std::array<Option, Sizes>&... tables) {
  std::array<Option, (Sizes + ...)> all{};
  std::size_t count = 0;
  const auto add = [&](const auto& table) {
    for (const Option& option : table) all[count++] = option;
  };
  (add(tables), ...);
  return all;
}

}  // namespace peregrine
