// stat --iostat -j: one object per PCI root port, figures by name; null if not counted.
#pragma once
#include <span>

#include "analysis/stat/port_traffic.h"
#include "output/json/stat_json.h"
#include "output/sink.h"

namespace peregrine {

void print_port_json(std::span<const PortTraffic> traffic, const StatJsonStyle& style, Sink& out);

}  // namespace peregrine
