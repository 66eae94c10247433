// The options of `record` about its output and its run: when files start, switch and end, --control, and writer
// threads. Each function stores one use of its option; the table is in record_options.cc.
#pragma once
#include "base/result.h"
#include "cli/option/option.h"
#include "cmd/record/record_options.h"

namespace peregrine::cmd {

Result<> choose_delay(RecordCommandOptions& options, const Use& use);
Result<> choose_control(RecordCommandOptions& options, const Use& use);
Result<> choose_max_size(RecordCommandOptions& options, const Use& use);
Result<> choose_switch(RecordCommandOptions& options, const Use& use);
Result<> add_switch_events(RecordCommandOptions& options, const Use& use);
Result<> choose_sync(RecordCommandOptions& options, const Use& use);
Result<> choose_affinity(RecordCommandOptions& options, const Use& use);
Result<> choose_unwind(RecordCommandOptions& options, const Use& use);
Result<> choose_flush(RecordCommandOptions& options, const Use& use);
Result<> choose_threads(RecordCommandOptions& options, const Use& use);

}  // namespace peregrine::cmd
