// stat --iostat -x: a line of titles, then one for each PCI root port; every field has a separator behind it.
#pragma once
#include "analysis/stat/port_traffic.h"
#include "output/csv/stat_csv.h"

namespace peregrine {

void print_port_csv(std::span<const PortTraffic> traffic, const StatCsvStyle& style, bool show_titles, Sink& out);

}  // namespace peregrine
