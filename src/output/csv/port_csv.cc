#include "output/csv/port_csv.h"

#include <span>
#include <string>

#include "event/config/port_event.h"
#include "output/sink.h"
#include "output/text/stat/port_text.h"
#include "output/text/stat/stat_text.h"

namespace peregrine {

void print_port_csv(std::span<const PortTraffic> traffic, const StatCsvStyle& style, bool show_titles, Sink& out) {
  const std::string& sep = style.separator;
  if (show_titles) {
    if (style.interval_ns) out.append(" time").append(sep);
    out.append("port").append(sep);
    for (const PortFigure& figure : kPortFigures) out.append(figure.title).append(sep);
    out.append('\n');
  }
  for (const PortTraffic& port : traffic) {
    if (!style.first_field.empty()) out.append(style.first_field).append(sep);
    if (style.interval_ns) out.append(stat_interval_time(*style.interval_ns)).append(sep);
    out.append(port.port).append(sep);
    for (const PortTraffic::Amount& amount : port.amounts) out.append(port_amount(amount)).append(sep);
    out.append('\n');
  }
}

}  // namespace peregrine
