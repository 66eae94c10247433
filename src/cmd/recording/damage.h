// Reports the losses of a damaged recording on stderr: records and bytes, place and cause.
#pragma once
#include "cli/frame/command.h"
#include "data/stream/account.h"
#include "machine/dso/dso.h"
#include "pipeline/replay/account.h"

namespace peregrine::cmd {

// One warning per cause, and the sum when bytes were passed over. Nothing for a whole recording.
void warn_about_damage(Invocation& call, const ReplayAccount& account, const data::ReadAccount& read);
// For commands that look at code or source lines after the replay: files that the machine has failed to read since.
void warn_about_later_read_failures(Invocation& call, const DsoTable& dsos, const ReplayAccount& account);

}  // namespace peregrine::cmd
