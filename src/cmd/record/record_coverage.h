// The warning of `record` if the samples of a command cover too little of its CPU time.
#pragma once
#include "cmd/record/record_options.h"

namespace peregrine::cmd {

void tell_poor_coverage(const RecordCommandOptions& options, const EventList& events, const RecordingSummary& summary,
                        Invocation& call);

}  // namespace peregrine::cmd
