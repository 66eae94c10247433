#include "cmd/stat/stat_destination.h"

#include <fcntl.h>
#include <unistd.h>

#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "analysis/stat/stat_place.h"
#include "base/file/output_file.h"
#include "base/file/output_place.h"
#include "base/result.h"
#include "cli/frame/config.h"
#include "cli/frame/version.h"
#include "output/sink.h"
#include "output/text_file.h"
#include "session/counting/plan/stat_request.h"

namespace peregrine::cmd {

namespace {

// -x '\t' means a tab.
std::string plain_separator(const std::string& text) { return text == "\\t" ? "\t" : text; }

}  // namespace

Result<StatDestination> StatDestination::open(const StatOptions& options) {
  StatDestination to;
  to.fd_ = options.log_fd.value_or(STDERR_FILENO);
  if (options.log_fd && fcntl(to.fd_, F_GETFD) < 0) return fail_errno("Failed opening logfd");
  if (options.csv_safe && !options.separator) return fail(ErrorKind::Usage, "--csv-safe requires -x");
  if (options.output.empty() || options.request.recording.wanted) return guard(std::move(to), options);
  // Counts are not private, and scripts that run `sudo perf stat -o` read them without sudo.
  auto file = create_text_file(
      options.output, {.existing = options.append ? Existing::Append : Existing::Truncate, .mode = kSharedMode});
  if (!file && file.error().system_errno != 0)
    return fail_errno("failed to create output file", file.error().system_errno);
  if (!file) return std::unexpected(std::move(file.error()));
  to.file_ = std::move(*file);
  to.fd_ = to.file_.get();
  return guard(std::move(to), options);
}

Result<StatDestination> StatDestination::guard(StatDestination to, const StatOptions& options) {
  if (!options.csv_safe) return to;
  to.guarded_ = std::make_unique<Sink>(to.fd_);
  auto guard = CsvGuard::start({.separator = plain_separator(*options.separator)}, *to.guarded_);
  if (!guard) return std::unexpected(std::move(guard.error()));
  to.guard_ = std::move(*guard);
  return to;
}

StatStyle stat_style(const StatOptions& options, std::string subject, const Config& config) {
  const StatRequest& request = options.request;
  const bool for_terminal = options.output.empty() && ::isatty(options.log_fd.value_or(STDERR_FILENO)) != 0;
  StatStyle style{.subject = std::move(subject),
                  .creator = creator_name(),
                  .separator = std::nullopt,
                  .json = options.json,
                  .json_lines = options.json_lines,
                  .thousands = options.big_numbers.value_or(true) ? config.thousands_separator() : "",
                  .color = for_terminal && !config.variable("NO_COLOR"),
                  .noise = request.runs.repeat != 1,
                  .metric_only = request.metric.only.value_or(false),
                  .hide_zeros = options.hide_zeros,
                  .hides_idle = request.rows.aggregation == StatAggregation::Thread && request.target.system_wide,
                  .run_table = options.table,
                  .interval_ms = request.timing.interval_ms,
                  .summary = options.summary,
                  .no_csv_summary = options.no_csv_summary,
                  .interval_clear = options.interval_clear,
                  .ports = request.port.chosen};
  if (options.separator) style.separator = plain_separator(*options.separator);
  return style;
}

}  // namespace peregrine::cmd
