// script -g: a script to start from, with a handler for each event of the recording.
#pragma once
#include "cmd/recording/recording.h"

namespace peregrine::cmd {

// Writes perf-script.py or perf-script.pl into the current folder and says so. The exit code.
Result<int> generate_script(const std::string& language, const data::Reader& reader, Invocation& call);

}  // namespace peregrine::cmd
