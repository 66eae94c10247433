// report --format csv, json and jsonl: the rows of its tables, as it would show them.
#pragma once
#include "cmd/report/report_plan.h"

namespace peregrine::cmd {

Result<int> export_rows(const ReportOptions& options, const Plan& plan, const data::Reader& reader, const Hists& hists,
                        Naming& naming, Invocation& call);

}  // namespace peregrine::cmd
