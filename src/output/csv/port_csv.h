// stat --iostat -x: a header line, then one per PCI root port; a separator follows every field.
#pragma once
#include <span>

#include "analysis/stat/port_traffic.h"
#include "output/csv/stat_csv.h"
#include "output/sink.h"

namespace peregrine {

void print_port_csv(std::span<const PortTraffic> traffic, const StatCsvStyle& style, bool show_titles, Sink& out);

}  // namespace peregrine
