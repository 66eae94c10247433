// script_live: runs the recorder and the report of a named script at the same time, connected by a pipe.
//
// Arguments before the first "--" are the script's, those after it are for `record`. Without "--", only the arguments
// that the script requires ("<comm>") are the script's, as in linux-perf; a script named "…top" gets all
// arguments.
//
// The report ignores Ctrl-C: the recorder ends, the report reads what is left in the pipe and prints its sums. The
// recorder ends with its parent, even if that is killed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.h"
#include "cmd/script/script_places.h"

namespace peregrine::cmd {

struct LiveWords {
  std::vector<std::string> report;  // arguments of the script
  std::vector<std::string> record;  // options of `record` and a command
};

// Errors: Usage; arguments that are missing, or more than the script takes.
Result<LiveWords> split_live_words(const NamedScript& script, std::vector<std::string> words);
// Errors: Usage, more arguments than the script's "# args:" line has.
Result<> check_script_arguments(const NamedScript& script, const std::vector<std::string>& arguments);

// What `record` is to be told: all CPUs where the words name neither a command nor another target, which is then said.
// Errors: Usage, those of the options, a command that is none, an output where it is `piped`.
Result<std::vector<std::string>> target_words(const NamedScript& script, std::vector<std::string> words, bool piped,
                                              Invocation& call);
bool is_program(std::string_view word, const Config& config);

// A shell file. The exit code.
Result<int> run_shell(const Result<std::string>& file, const std::vector<std::string>& words);
// Both shell files of a script. The exit code is the report's, or the recorder's, which recorded nothing.
Result<int> run_live(const NamedScript& script, const LiveWords& words);

}  // namespace peregrine::cmd
