// The option parser: a command line against a table of rows, in linux-perf's syntax.
//
// Clusters (-ag, -F99), --opt=value, --opt value, unique prefixes of linux-perf's names, --no-x, `--` ends options, a
// lone
// `-` is a word. Errors are Usage errors whose message is linux-perf's first line and whose hint names what was meant.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option/option.h"

namespace peregrine {

enum class Asked {
  Run,         // nothing special: run the command
  ShortHelp,   // -h: words are the filter, may be empty
  Manual,      // --help
  ListOptions  // --list-opts
};

struct ParsedOptions {
  Asked asked = Asked::Run;
  std::vector<std::string> words;  // what is not an option
};

enum class Words { Anywhere, StopAtFirst };  // StopAtFirst: commands that run a workload or a subcommand

// Calls the rows' stores on `options`, whose type `owner` tags, in the order of the arguments.
Result<ParsedOptions> parse_options(std::span<const Option> table, Words words, std::span<const std::string> arguments,
                                    void* options, TypeTag owner);

// The same walk without calling a store: each use as the table understands it ("--freq=99", "-g", "--no-inherit") is
// added to `uses`. The same errors, but for what only a store can refuse.
Result<ParsedOptions> name_uses(std::span<const Option> table, Words words, std::span<const std::string> arguments,
                                std::vector<std::string>& uses);

}  // namespace peregrine
