// What `record` says when the samples of a command stand for little of the CPU time that it used.
#pragma once
#include "cmd/record_options.h"

namespace peregrine::cmd {

void tell_poor_coverage(const RecordCommandOptions& options, const EventList& events, const RecordingSummary& summary,
                        Invocation& call);

}  // namespace peregrine::cmd
