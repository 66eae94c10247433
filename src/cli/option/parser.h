// The option parser: matches a command line against a table of rows, with linux-perf's syntax.
//
// Supports clusters (-ag, -F99), --opt=value, --opt value, unique prefixes of linux-perf's names, --no-x; `--` ends
// options, and a lone `-` is a word. Errors are Usage errors with the first line of linux-perf's message, and a hint
// with the likely intention.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/option/option.h"

namespace peregrine {

enum class Asked {
  Run,          // no special request: run the command
  ShortHelp,    // -h: words are the filter, possibly empty
  Manual,       // --help
  ListOptions,  // --list-opts
  ListCommands  // --list-cmds
};

struct ParsedOptions {
  Asked asked = Asked::Run;
  std::vector<std::string> words;  // arguments that are not options
};

enum class Words { Anywhere, StopAtFirst };  // StopAtFirst: commands that run a workload or a subcommand

// Calls the rows' stores on `options`, a struct of the type tagged by `owner`, in the order of the arguments.
Result<ParsedOptions> parse_options(std::span<const Option> table, Words words, std::span<const std::string> arguments,
                                    void* options, TypeTag owner);

// Same without calling stores: adds each use, as the table interprets it ("--freq=99", "-g", "--no-inherit"), to
// `uses`. Errors are the same, except those that only a store can detect.
Result<ParsedOptions> name_uses(std::span<const Option> table, Words words, std::span<const std::string> arguments,
                                std::vector<std::string>& uses);

}  // namespace peregrine
