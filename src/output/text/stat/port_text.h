// stat --iostat: a line per PCI root port below column titles, in linux-perf's layout.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analysis/stat/port_traffic.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct PortTextStyle {
  std::optional<u64> interval_ns;  // -I: time since the start, before each row
  bool show_titles = true;
};
void print_port_text(std::span<const PortTraffic> traffic, const PortTextStyle& style, Sink& out);

// "392", whole MB; "<not counted>".
std::string port_amount(const PortTraffic::Amount& amount);

}  // namespace peregrine
