// Warnings about a damaged recording: unusable records and bytes, with their position and the cause.
#pragma once
#include "data/stream/account.h"
#include "machine/dso/dso.h"
#include "pipeline/replay/account.h"
#include "session/session_listener.h"

namespace peregrine {

// One warning per cause, and a total if bytes were skipped. Silent for an intact recording.
void warn_about_damage(SessionListener& listener, const ReplayAccount& account, const data::ReadAccount& read);

// For commands that read code or source lines after the replay: files that could not be read after `account` was
// complete.
void warn_about_later_read_failures(SessionListener& listener, const DsoTable& dsos, const ReplayAccount& account);

}  // namespace peregrine
