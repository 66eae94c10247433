#include "cmd/report/report_rows.h"

#include <expected>
#include <string_view>

#include "base/result.h"
#include "cli/option/option.h"

namespace peregrine::cmd {

Result<> accept_report_row(ReportOptions&, const Use&) { return {}; }

Result<> set_report_color(ReportOptions& options, const Use& use) {
  const auto mode = color_mode_of(use);
  if (!mode) return std::unexpected(mode.error());
  options.color = *mode;
  return {};
}

Result<> check_percent_type(ReportOptions&, const Use& use) {
  for (const std::string_view known : {"local-period", "local-hits", "global-period", "global-hits"})
    if (use.negated || use.value == known) return {};
  return fail(ErrorKind::Usage,
              "invalid --percent-type '{}': must be local-period, local-hits, global-period or global-hits", use.value);
}

}  // namespace peregrine::cmd
