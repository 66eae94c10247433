// Where to write the counts of stat, and in which style.
#pragma once
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "cli/frame/config.h"
#include "cli/frame/csv_guard.h"
#include "cmd/stat/stat_options.h"
#include "output/sink.h"
#include "session/counting/stat_printer.h"

namespace peregrine::cmd {

// Stderr, a file, or an open file descriptor of the caller.
class StatDestination {
 public:
  // Errors: the file cannot be created, or the descriptor is not open.
  static Result<StatDestination> open(const StatOptions& options);
  int fd() const { return guard_ ? guard_->fd() : fd_; }
  bool is_file() const { return static_cast<bool>(file_); }

 private:
  static Result<StatDestination> guard(StatDestination to, const StatOptions& options);

  Fd file_;
  int fd_ = 2;
  std::unique_ptr<Sink> guarded_;    // with --csv-safe
  std::unique_ptr<CsvGuard> guard_;  // in front of it
};

// The style for the completed request. `subject`: the counted target, for the title.
StatStyle stat_style(const StatOptions& options, std::string subject, const Config& config);

}  // namespace peregrine::cmd
