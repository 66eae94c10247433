#include "cmd/report/report_rows.h"

#include <string_view>

#include "base/result.h"
#include "cli/option/option.h"

namespace peregrine::cmd {

Result<> accept_report_row(ReportOptions&, const Use&) { return {}; }

Result<> check_percent_type(ReportOptions&, const Use& use) {
  for (const std::string_view known : {"local-period", "local-hits", "global-period", "global-hits"})
    if (use.negated || use.value == known) return {};
  return fail(ErrorKind::Usage, "--percent-type is local- or global-, and period or hits, not `{}'", use.value);
}

}  // namespace peregrine::cmd
