// Moment: a position in the order in which records are delivered, counted from 1.
//
// Everything in this room (comms, maps) is valid from one moment to another. Moments are used instead of times,
// because records with equal times or without a time have an order too. For a sample, the state after all preceding
// side-band is valid, as if both were read one after the other.
#pragma once
#include "base/container/id.h"
#include "base/types.h"

namespace peregrine {

using Moment = u64;
inline constexpr Moment kForever = ~Moment{0};

using ThreadId = Id<struct ThreadTag>;  // one generation of a tid: a tid reused after a fork is a different thread
using SpaceId = Id<struct SpaceTag>;    // an address space, shared by the threads of a process
using MapId = Id<struct MapTag>;
using DsoId = Id<struct DsoTag>;

}  // namespace peregrine
