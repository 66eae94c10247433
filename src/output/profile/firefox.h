// Firefox Profiler's processed profile format, version 48, for profiler.firefox.com and samply.
//
// One thread per thread and event, with its own tables. Times are milliseconds since the first sample; samples weigh
// their period, in milliseconds for clocks. Timed profiles only. Fields: docs-developer/processed-profile-format.md of
// firefox-devtools/profiler. Pure.
#pragma once
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_firefox_profile(Sink& out, const Profile& profile, bool by_count);

}  // namespace peregrine
