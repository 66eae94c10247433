// The screen of `c2c report`: the lines that cores fight over, what touches each, and the functions that do.
#pragma once
#include <span>

#include "cli/frame/command.h"
#include "output/text/access/sharing_functions.h"

namespace peregrine::cmd {

struct SharingView {
  std::span<const SharedLine> lines;  // as they are to be listed
  const AccessCounts& all;
  std::span<const ContendedFunction> functions;
  bool has_functions = true;  // false: rows are of several functions
  bool functions_first = false;
};

// Error: the terminal cannot show a screen.
Result<> show_shared_lines(const SharingView& view, SharingLook look, Invocation& call);

}  // namespace peregrine::cmd
