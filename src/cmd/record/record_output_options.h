// The options of `record` for its output and its run: when files start, switch and end, --control, and writer
// threads. choose_… and add_… store one use of their option, parse_… parses its value (Errors:
// Usage); the table is in record_options.cc.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "cli/option/option.h"
#include "cmd/record/record_options.h"
#include "pipeline/recording/recording.h"

namespace peregrine::cmd {

Result<> choose_delay(RecordCommandOptions& options, const Use& use);
Result<> add_switch_events(RecordCommandOptions& options, const Use& use);
Result<> choose_sync(RecordCommandOptions& options, const Use& use);

Result<u64> parse_max_size(std::string_view words);          // bytes
Result<RingAffinity> parse_affinity(std::string_view word);  // "node" or "cpu"
Result<bool> parse_unwind(std::string_view word);            // whether the value is "now" rather than "later"
Result<u64> parse_flush(std::string_view words);             // bytes

}  // namespace peregrine::cmd
