// script -s: runs a script on a recording, and reports its errors.
#pragma once
#include <string>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/script/script_options.h"
#include "data/reader/reader.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "session/recording/opened_recording.h"

namespace peregrine::cmd {

// Runs the script options.script on the recording; `call.words` are its arguments. Returns the exit code.
Result<int> run_script(ScriptOptions& options, SampleFilter filter, const EventSwitch& gate, OpenedRecording& reader,
                       Invocation& call);
// Checks -s before the recording is opened.
Result<> check_script(const ScriptOptions& options, Invocation& call);

// -g: writes perf-script.py or perf-script.pl, with a handler for each tracepoint, to the current folder. Returns the
// exit code.
Result<int> generate_script(const std::string& language, const data::Reader& reader, Invocation& call);

// `script record NAME …`, `script report NAME …`, `script NAME …`: runs the script's shell files. Returns the exit
// code.
Result<int> run_named_script(const ScriptOptions& options, Invocation& call);
// -l
int list_scripts(Invocation& call);

}  // namespace peregrine::cmd
