// split_command: a command line in one option (stat --vs) to its words, without a shell.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine::cmd {

// Words of a command line as a shell cuts them: blanks, '…', "…" and \. Errors (Usage): an open quote; a character
// that only a shell understands ($ ` | & ; < > * ? ( ) and so on), since a shell around the command would be counted
// too.
Result<std::vector<std::string>> split_command(std::string_view text);

}  // namespace peregrine::cmd
