// Commands with subcommands, each of which is an unlisted Command: "sched latency", "sched map".
//
//   perf sched -i FILE latency -p        options of `sched` precede the subcommand, which accepts them too
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"

namespace peregrine {

// The `run` of such a command: finds the part that the first word names, possibly abbreviated to three letters, and
// calls it with the options before and everything after the word. Errors: Usage, no such part.
Result<int> run_part(Invocation& call);

// The `takes_screen` of such a command: whether the called part uses the whole terminal.
bool part_takes_screen(const Invocation& call);

// Returns the last word of the part's name: "latency" of "sched latency".
std::string_view short_name(const Command& part);

// Returns the part named by the arguments, or nullptr.
const Command* called_part(const Command& command, std::span<const std::string> arguments);

// Answers -h, --help, --list-opts and --list-cmds of a part that runs another command: under the part's name, and even
// if the machine lacks what the part needs. Returns no value if none of these was requested.
std::optional<Result<int>> answer_for(const Command& part, std::span<const std::string> arguments, Invocation& call);

// Returns the command's options together with those of the command that it passes options to.
std::vector<Option> all_options(const Command& command);

// Runs another command with these arguments, as if the user had called it.
Result<int> run_other(const Command& command, std::vector<std::string> arguments, Invocation& call);

// Stores uses of the command's own options in `options`, a struct of the type tagged by `owner`. Returns the remaining
// arguments, to be passed to the other command. Errors: Usage.
Result<std::vector<std::string>> take_own_options(const Invocation& call, void* options, TypeTag owner);

// Joins the rows of several tables.
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
