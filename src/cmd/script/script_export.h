// script --format folded, speedscope, firefox, …: the filtered samples as a profile.
#pragma once
#include "cmd/script/script_options.h"

namespace peregrine::cmd {

Result<int> export_script(ScriptOptions& options, SampleFilter filter, const EventSwitch& gate, OpenedRecording& reader,
                          Invocation& call);

}  // namespace peregrine::cmd
