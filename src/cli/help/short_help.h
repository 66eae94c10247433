// The output of `-h` and of usage errors: usage lines and options, in linux-perf's layout.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "cli/frame/command.h"

namespace peregrine {

// What follows the command's name, a way to call it each. A part that has none of its own is called as the command that
// it runs.
std::span<const std::string_view> usage_of(const Command& command);

// "\n Usage: NAME COMMAND …\n    or: …\n"
std::string usage_lines(std::string_view program, const Command& command);

// One row: "    -F, --freq <freq>     help\n"
// The help is wrapped at `columns`; 0: in one line.
std::string option_row(const Option& option, unsigned columns = 0);

// The whole -h text. With `filter` words: only the rows whose letter, name or help has one of them.
std::string short_help(std::string_view program, const Command& command, std::span<const std::string> filter = {},
                       unsigned columns = 0);

// Breaks text into lines of at most `columns` with `indent` blanks before each; line breaks of the text stay.
std::string wrapped_text(std::string_view text, std::size_t indent, std::size_t columns);

// The rows in the order of the help: with letters first, by letter, then by name.
std::vector<const Option*> sorted_rows(std::span<const Option> table, Since since);

}  // namespace peregrine
