// Parsers for option values of stat: each function stores one use of its option, or
// parses its value. The table is in
// stat_options.cc.
#pragma once
#include <string_view>

#include "base/result.h"
#include "cli/option/option.h"
#include "cmd/stat/stat_options.h"

namespace peregrine::cmd {

Result<> add_counted_events(StatOptions& options, const Use& use);      // -e
Result<> add_counted_pfm_events(StatOptions& options, const Use& use);  // --pfm-events
Result<> filter_counted(StatOptions& options, const Use& use);          // --filter, for the preceding -e or --hist
Result<> add_values(StatOptions& options, const Use& use);              // --hist
Result<> set_repeat(StatOptions& options, const Use& use);              // -r
Result<> choose_counted_cgroups(StatOptions& options, const Use& use);  // -G, binds to the preceding events
Result<> choose_core_type(StatOptions& options, const Use& use);        // --cputype
Result<> choose_pmu(StatOptions& options, const Use& use);              // --pmu-filter
Result<> choose_iostat(StatOptions& options, const Use& use);           // --iostat
Result<> by_cache(StatOptions& options, const Use& use);                // --per-cache
Result<> add_metrics(StatOptions& options, const Use& use);             // -M
Result<> choose_json_lines(StatOptions& options, const Use& use);       // --json-lines
Result<std::string_view> parse_versus(std::string_view words);          // --vs

}  // namespace peregrine::cmd
