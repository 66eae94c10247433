// script --format folded, speedscope, firefox, …: the filtered samples as a profile.
#pragma once
#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/script/script_options.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "session/recording/opened_recording.h"

namespace peregrine::cmd {

Result<int> export_script(ScriptOptions& options, SampleFilter filter, const EventSwitch& gate, OpenedRecording& reader,
                          Invocation& call);

}  // namespace peregrine::cmd
