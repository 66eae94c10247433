// Warnings about a damaged recording: records and bytes that could not be used, with their place and the cause.
#pragma once
#include "data/stream/account.h"
#include "machine/dso/dso.h"
#include "pipeline/replay/account.h"
#include "session/session_listener.h"

namespace peregrine {

// One warning per cause, and the sum if bytes were skipped. Silent for an intact recording.
void warn_about_damage(SessionListener& listener, const ReplayAccount& account, const data::ReadAccount& read);

// For commands that read code or source lines after the replay: files that could not be read since `account` was
// complete.
void warn_about_later_read_failures(SessionListener& listener, const DsoTable& dsos, const ReplayAccount& account);

}  // namespace peregrine
