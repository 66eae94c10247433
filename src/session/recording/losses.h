// Warnings about records that are missing from a recording or could not be used. Call after reading it.
#pragma once
#include "data/stream/account.h"
#include "pipeline/replay/account.h"
#include "session/session_listener.h"

namespace peregrine {

// Lost, unordered and unreadable records, hardware traces with gaps, and damage to the file (damage.h). Uses
// linux-perf's texts where it has them.
void warn_about_losses(SessionListener& listener, const ReplayAccount& account, const data::ReadAccount& read);

}  // namespace peregrine
