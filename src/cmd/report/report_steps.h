// Steps that report shares with its screen.
#pragma once
#include <string>

#include "cli/frame/command.h"
#include "cmd/report/report_options.h"
#include "data/stream/account.h"
#include "pipeline/replay/account.h"
#include "session/recording/opened_recording.h"
#include "session/report/report_plan.h"

namespace peregrine::cmd {

SampleSource sample_source(const ReportOptions& options, const OpenedRecording& reader);
// The command that makes recordings for this one: "record", for `mem report` "mem record".
std::string recorder_for(const Command& command);
// The warnings about losses, as printed to stderr.
std::string losses_text(const ReplayAccount& account, const data::ReadAccount& read, const Invocation& call);

}  // namespace peregrine::cmd
