#include "output/json/port_json.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>

#include "analysis/stat/stat_table.h"
#include "event/config/port_event.h"
#include "output/json/json_document.h"
#include "output/sink.h"

namespace peregrine {

void print_port_json(std::span<const PortTraffic> traffic, const StatJsonStyle& style, Sink& out) {
  for (const PortTraffic& port : traffic) {
    JsonDocument json(out, JsonLayout::Spaced);
    json.object([&] {
      put_interval(json, style.interval_ns);
      json.member("port", port.port);
      for (std::size_t i = 0; i < kPortFigures.size(); ++i) {
        const PortTraffic::Amount& amount = port.amounts[i];
        json.key(kPortFigures[i].title);
        if (amount.state == StatState::Counted)
          json.value(fmt::format("{:f}", amount.mb));
        else
          json.value(nullptr);
      }
    });
    out.append('\n');
  }
}

}  // namespace peregrine
