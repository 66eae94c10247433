// pprof: the gzipped protobuf that `go tool pprof`, Google's pprof, Parca, Pyroscope and Grafana read (profile.proto of
// github.com/google/pprof).
//
// A sample is one thread's stack, with as many values as there are kinds: samples, then the period of each event.
// Labels tell comm, pid and tid. A function inlined at a place is one more line of its location. Names must be UTF-8:
// other bytes are escaped. Pure.
#pragma once
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_pprof(Sink& out, const Profile& profile);

}  // namespace peregrine
