#include "output/text/stat/port_text.h"

#include <fmt/format.h>

#include "analysis/stat/stat_table.h"
#include "event/config/port_event.h"
#include "output/text/stat/stat_text.h"

namespace peregrine {

namespace {

constexpr int kAmountWidth = 20;

}  // namespace

std::string port_amount(const PortTraffic::Amount& amount) {
  switch (amount.state) {
    case StatState::NotCounted:
      return "<not counted>";
    case StatState::NotSupported:
      return "<not supported>";
    case StatState::Counted:
      break;
  }
  return fmt::format("{:.0f}", amount.mb);
}

void print_port_text(std::span<const PortTraffic> traffic, const PortTextStyle& style, Sink& out) {
  if (style.show_titles) {
    out.append(style.interval_ns ? " #          time    port         " : "   port         ");
    for (const PortFigure& figure : kPortFigures) out.format("{:>{}} ", figure.title, kAmountWidth);
    out.append('\n');
  }
  for (const PortTraffic& port : traffic) {
    if (style.interval_ns) out.append(stat_interval_time(*style.interval_ns)).append(' ');
    out.append(port.port).append(' ');
    for (const PortTraffic::Amount& amount : port.amounts) out.format("{:>{}} ", port_amount(amount), kAmountWidth);
    out.append('\n');
  }
}

}  // namespace peregrine
