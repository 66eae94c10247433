// speedscope's own file format: frames once, and sampled profiles of stacks with weights.
//
// A timed profile has one for each thread and event, in order of time; where periods are nanoseconds, the time between
// two samples that neither stands for is an empty stack, so that the axis is the time of day. An untimed one has one
// for each event, its stacks in the order of folded ones. Schema: speedscope.app/file-format-schema.json. Pure.
#pragma once
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_speedscope(Sink& out, const Profile& profile, bool by_count);

}  // namespace peregrine
