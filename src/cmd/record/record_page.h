// record --html FILE: a page of the new recording, as written by report --html.
#pragma once
#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/record/record_options.h"

namespace peregrine::cmd {

// Errors: Usage, the output cannot be read again.
Result<> check_page(const RecordCommandOptions& options);
// Whether a page was written. Call after the recording is written.
Result<bool> write_page(const RecordCommandOptions& options, Invocation& call);

}  // namespace peregrine::cmd
