// OwnRun: runs this program in another process, and captures its output.
#pragma once
#include <chrono>
#include <span>
#include <string>

#include "base/result.h"

namespace peregrine {

struct OwnRun {
  int exit = -1;  // 128 + signal number if a signal ended it
  bool timed_out = false;
  std::string out, err;
};

// Returns the path of this program's file.
std::string own_program();

// Runs this program in `folder` with empty standard input, and kills it after `limit`. Errors: failed to start it.
Result<OwnRun> run_own(std::span<const std::string> arguments, const std::string& folder, std::chrono::seconds limit);

}  // namespace peregrine
