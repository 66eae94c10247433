// split_command: splits a command line given as an option's value (stat --vs) into arguments, without a shell.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

// Splits as a shell does: at blanks, with '…', "…" and \. Errors (Usage): an unclosed quote; a character that only a
// shell understands ($ ` | & ; < > * ? ( ) and so on), since a shell around the command would be counted too.
Result<std::vector<std::string>> split_command(std::string_view text);

}  // namespace peregrine
