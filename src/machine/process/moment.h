// Moment: a place in the order in which the records of a recording are delivered, counted from 1.
//
// Everything the machine room remembers (comms, maps) holds from one moment to another. Moments, not times, because
// records without a time stamp and records with equal times have an order too: what holds for a sample is what the
// side-band before it said, as if both were read one after the other.
#pragma once
#include "base/container/id.h"
#include "base/types.h"

namespace peregrine {

using Moment = u64;
inline constexpr Moment kForever = ~Moment{0};

using ThreadId = Id<struct ThreadTag>;  // one generation of a tid: a tid used again after a fork is another thread
using SpaceId = Id<struct SpaceTag>;    // an address space; threads of one process share it
using MapId = Id<struct MapTag>;
using DsoId = Id<struct DsoTag>;

}  // namespace peregrine
