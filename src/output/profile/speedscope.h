// speedscope's file format: shared frames, and sampled profiles of stacks with weights.
//
// A timed profile has one per thread and event, in time order; if periods are nanoseconds, the time between samples
// that neither accounts for becomes an empty stack, so that the axis shows real time. An untimed one has one per event,
// with stacks in the order of the folded format. Schema: speedscope.app/file-format-schema.json. Pure.
#pragma once
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_speedscope(Sink& out, const Profile& profile, bool by_count);

}  // namespace peregrine
