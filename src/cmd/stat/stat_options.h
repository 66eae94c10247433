// The options of stat, and their table.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "session/counting/plan/stat_request.h"

namespace peregrine::cmd {

struct StatOptions {
  StatRequest request;
  std::size_t last_word = 0;  // where the events of the last -e begin
  bool last_is_hist = false;  // --hist was the last of them, so --filter belongs to it
  int verbose = 0;
  bool repeat_given = false;
  std::string versus;      // --vs: the other command
  bool multipass = false;  // repeat until each event was counted for a complete run
  std::string output;      // `stat record`: the recording
  std::optional<int> log_fd;
  bool append = false, quiet = false;
  std::optional<std::string> separator;
  bool csv_safe = false;  // with a separator
  bool json = false;
  bool json_lines = false;  // implies `json`
  std::optional<bool> big_numbers;
  bool table = false, summary = false, no_csv_summary = false, interval_clear = false, hide_zeros = false;

  Result<> configure(const Config& config);
};

// Counts and prints; returns the exit code. In stat.cc.
Result<int> run_stat(StatOptions& options, Invocation& call);

}  // namespace peregrine::cmd
