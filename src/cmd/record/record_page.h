// record --html FILE: the page of what was just recorded, as report --html writes it.
#pragma once
#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/record/record_options.h"

namespace peregrine::cmd {

// Usage: an output that cannot be read again.
Result<> check_page(const RecordCommandOptions& options);
// When the recording is written.
Result<> write_page(const RecordCommandOptions& options, Invocation& call);

}  // namespace peregrine::cmd
