// The screen of `c2c report`: the lines that cores fight over, and what touches each.
#pragma once
#include <span>

#include "cmd/command.h"
#include "output/text/sharing_text.h"

namespace peregrine::cmd {

// `lines`: as they are to be listed. Error: the terminal cannot show a screen.
Result<> show_shared_lines(std::span<const SharedLine> lines, const AccessCounts& all, SharingLook look,
                           Invocation& call);

}  // namespace peregrine::cmd
