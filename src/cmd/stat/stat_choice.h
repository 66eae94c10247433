// The options of stat whose values need parsing: each function stores one use of its option. The table is in
// stat_options.cc.
#pragma once
#include "base/result.h"
#include "cli/option/option.h"
#include "cmd/stat/stat_options.h"

namespace peregrine::cmd {

Result<> add_counted_events(StatOptions& options, const Use& use);      // -e
Result<> add_counted_pfm_events(StatOptions& options, const Use& use);  // --pfm-events
Result<> filter_counted(StatOptions& options, const Use& use);          // --filter, of the -e or --hist before it
Result<> add_values(StatOptions& options, const Use& use);              // --hist
Result<> choose_buckets(StatOptions& options, const Use& use);          // --buckets
Result<> set_repeat(StatOptions& options, const Use& use);              // -r
Result<> set_interval(StatOptions& options, const Use& use);            // -I
Result<> choose_versus(StatOptions& options, const Use& use);           // --vs
Result<> choose_counted_cgroups(StatOptions& options, const Use& use);  // -G, binds to the events before it
Result<> choose_core_type(StatOptions& options, const Use& use);        // --cputype
Result<> choose_pmu(StatOptions& options, const Use& use);              // --pmu-filter
Result<> choose_iostat(StatOptions& options, const Use& use);           // --iostat
Result<> choose_bpf_programs(StatOptions& options, const Use& use);     // -b
Result<> choose_stat_control(StatOptions& options, const Use& use);     // --control
Result<> by_cache(StatOptions& options, const Use& use);                // --per-cache
Result<> choose_latency(StatOptions& options, const Use& use);          // --tpebs-mode
Result<> add_metrics(StatOptions& options, const Use& use);             // -M
Result<> choose_json_lines(StatOptions& options, const Use& use);       // --json-lines

}  // namespace peregrine::cmd
