// header_text: the header of a recording as `report --header` prints it: lines that begin with "#".
//
// Wording and order are linux-perf 6.1's; one function per feature. Pure but for the local time zone.
#pragma once
#include "data/header.h"
#include "data/header/evlist.h"
#include "output/sink.h"

namespace peregrine {

// `full` prints topologies and caches too (-I); without it they are announced.
void print_header(const data::Header& header, const data::Evlist& evlist, bool full, Sink& out);

}  // namespace peregrine
