// script --dlfilter and --list-dlfilters: finds and loads users' shared objects that filter samples.
#pragma once
#include <memory>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/script/script_options.h"
#include "session/script/script_filter.h"

namespace peregrine::cmd {

// Finds and loads options.dlfilter. Errors: NotFound; Denied, the object may have been put there by others.
Result<std::unique_ptr<ScriptFilter>> open_dlfilter(const ScriptOptions& options, Invocation& call);

int list_dlfilters(Invocation& call);

}  // namespace peregrine::cmd
