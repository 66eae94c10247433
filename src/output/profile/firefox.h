// Firefox Profiler's processed profile format, version 48: opened by profiler.firefox.com and by samply.
//
// One thread of the profile for each thread and event, with tables of its own for what it uses. Times are milliseconds
// since the first sample; samples weigh their period, of clocks in milliseconds. A timed profile only. Fields:
// docs-developer/processed-profile-format.md of firefox-devtools/profiler. Pure.
#pragma once
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_firefox_profile(Sink& out, const Profile& profile, bool by_count);

}  // namespace peregrine
