// pprof: gzipped protobuf for `go tool pprof`, Google's pprof, Parca, Pyroscope and Grafana (profile.proto of
// github.com/google/pprof).
//
// A sample is a thread's stack with a value per type: samples, then each event's period. Labels hold comm, pid and tid.
// An inlined function is an additional line of its location. Names must be UTF-8: other bytes are escaped. Pure.
#pragma once
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_pprof(Sink& out, const Profile& profile);

}  // namespace peregrine
