// report --tasks and --mmaps: the recorded processes and threads as a tree, with their memory maps.
#pragma once
#include "cmd/report/report_options.h"

namespace peregrine::cmd {

Result<int> report_tasks(const ReportOptions& options, OpenedRecording& reader, Invocation& call);

}  // namespace peregrine::cmd
