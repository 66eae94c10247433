// stat report: shows the counts of `stat record`, with the recorded aggregation or a different one.
#pragma once
#include <span>
#include <string>

#include "base/result.h"
#include "cli/frame/command.h"

namespace peregrine::cmd {

struct StatOptions;

// `outer`: the options before the word "report": -x, -j, -B. `arguments`: those after it.
Result<int> run_stat_report(StatOptions& outer, std::span<const std::string> arguments, Invocation& call);

}  // namespace peregrine::cmd
