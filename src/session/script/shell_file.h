// Runs the shell files of a named script: one alone, or the recorder and the report at the same time, connected by a
// pipe.
//
// While a command waits, signals that would stop it are held back and passed on to the recorder. The report ignores
// Ctrl-C: the recorder ends, the report reads the rest of the pipe and prints its sums. The recorder ends with its
// parent, even if that is killed. Single-threaded callers only.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace peregrine {

struct ShellCommand {
  std::string file;
  std::vector<std::string> arguments = {};
  // Tried in order, since the files are simple enough for any shell.
  std::vector<std::string> shells = {"/bin/bash", "/bin/sh"};
};

// Returns the exit code, or 128 plus the signal that ended it. Errors: the process cannot be started; no shell can be
// run (with the reason for the last one).
Result<int> run_shell_file(const ShellCommand& command);
// Returns the exit code of the report, or of a recorder that recorded nothing and has reported why. Errors: as above.
Result<int> run_recorder_and_report(const ShellCommand& recorder, const ShellCommand& report);

}  // namespace peregrine
