// The table of `kvm stat report`, as linux-perf prints it.
#pragma once
#include <span>
#include <string_view>

#include "analysis/guest/guest_exits.h"
#include "output/sink.h"

namespace peregrine {

// `scope`: machines and CPUs covered: "all VMs, all VCPUs".
void print_guest_rows(std::span<const GuestRow> rows, GuestEvent event, std::string_view scope, Sink& out);

}  // namespace peregrine
