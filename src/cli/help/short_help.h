// The output of `-h` and of usage errors: usage lines and options, in linux-perf's layout.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.h"
#include "cli/option/option.h"

namespace peregrine {

// Returns the usages of a command, without its name. A part without usages has those of the command that it runs.
std::span<const std::string_view> usage_of(const Command& command);

// "\n Usage: NAME COMMAND …\n    or: …\n"
std::string usage_lines(std::string_view program, const Command& command);

// Formats one row: "    -F, --freq <freq>     help\n". Wraps the help at `columns`; 0: one line.
std::string option_row(const Option& option, unsigned columns = 0);

// Returns the whole -h text. With `filter` words, only rows with one of them in the letter, name or help.
std::string short_help(std::string_view program, const Command& command, std::span<const std::string> filter = {},
                       unsigned columns = 0);

// Breaks text into lines of at most `columns`, each indented by `indent` blanks. Keeps existing line breaks.
std::string wrapped_text(std::string_view text, std::size_t indent, std::size_t columns);

// Returns the rows in the order of the help: first those with letters, by letter, then the others by name.
std::vector<const Option*> sorted_rows(std::span<const Option> table, Since since);

}  // namespace peregrine
