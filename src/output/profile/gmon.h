// gmon.out: samples and calls of one program, for gprof.
//
//   "gmon" version 1 | histogram: low, high, bins, rate, "seconds", u16 per bin | arcs: from, to, u32 count
//
// A bin is two bytes of code, or more in large programs; samples count at the start of their function. gprof divides
// the time of a function among its callers by the counts of the arcs: here the samples with that call on the stack.
// Pure.
#pragma once
#include <optional>

#include "analysis/profile/profile.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// The program with the most samples, as an index in Profile::dsos; nothing without any.
std::optional<u32> most_sampled_program(const Profile& profile, u32 event);
// The samples of the event in this program.
u64 samples_in(const Profile& profile, u32 event, u32 dso);
void print_gmon(Sink& out, const Profile& profile, u32 event, u32 dso);

}  // namespace peregrine
