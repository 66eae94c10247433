// script --dlfilter and --list-dlfilters: which shared objects of users filter samples, and where they are found.
#pragma once
#include <memory>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/script/script_options.h"
#include "session/script/script_filter.h"

namespace peregrine::cmd {

// Finds and loads options.dlfilter. Errors: NotFound; Denied, others can have put the object there.
Result<std::unique_ptr<ScriptFilter>> open_dlfilter(const ScriptOptions& options, Invocation& call);

int list_dlfilters(Invocation& call);

}  // namespace peregrine::cmd
