// stat report: shows the counts of `stat record`, with the recorded aggregation or another one.
#pragma once
#include "cli/frame/command.h"

namespace peregrine::cmd {

struct StatRequest;

// `request`: what stood before the word "report": -x, -j, -B. `arguments`: what follows it.
Result<int> run_stat_report(StatRequest& request, std::span<const std::string> arguments, Invocation& call);

}  // namespace peregrine::cmd
