#include "output/json/port_json.h"

#include <cstddef>
#include <span>

#include "analysis/stat/stat_table.h"
#include "event/config/port_event.h"
#include "output/sink.h"

namespace peregrine {

void print_port_json(std::span<const PortTraffic> traffic, const StatJsonStyle& style, Sink& out) {
  for (const PortTraffic& port : traffic) {
    out.append('{');
    if (style.interval_ns)
      out.format("\"interval\" : {}.{:09}, ", *style.interval_ns / 1000000000, *style.interval_ns % 1000000000);
    out.format("\"port\" : \"{}\"", port.port);
    for (std::size_t i = 0; i < kPortFigures.size(); ++i) {
      const PortTraffic::Amount& amount = port.amounts[i];
      out.format(", \"{}\" : ", kPortFigures[i].title);
      if (amount.state == StatState::Counted)
        out.format("\"{:f}\"", amount.mb);
      else
        out.append("null");
    }
    out.append("}\n");
  }
}

}  // namespace peregrine
