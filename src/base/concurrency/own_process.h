// OwnRun: runs this program in another process, and captures its output.
#pragma once
#include <chrono>
#include <span>
#include <string>

#include "base/result.h"

namespace peregrine {

struct OwnRun {
  int exit = -1;  // 128 + the signal that ended it
  bool timed_out = false;
  std::string out, err;
};

// The path of the program's file.
std::string own_program();

// In `folder`, with nothing on its standard input; killed after `limit`. Errors: the process could not be started.
Result<OwnRun> run_own(std::span<const std::string> arguments, const std::string& folder, std::chrono::seconds limit);

}  // namespace peregrine
