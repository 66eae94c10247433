#include "event/config/port_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>

#include "base/result.h"
#include "event/syntax/parse.h"

namespace peregrine {

namespace {

constexpr double kMbPerCount = 4.0 / (1 << 20);
constexpr std::string_view kHow = "must be DOMAIN:BUS, such as 0000:17; 'perf iostat list' shows root ports";

std::string group_of(const IoPort& port) {
  std::string words;
  for (const PortFigure& figure : kPortFigures)
    words += fmt::format("{}{}/{}/", words.empty() ? "{" : ",", port.pmu(), figure.terms);
  return words + "}";
}

}  // namespace

Result<std::vector<IoPort>> choose_ports(std::span<const IoPort> ports, std::string_view words,
                                         std::vector<std::string>& absent) {
  if (words.empty()) return std::vector(ports.begin(), ports.end());
  std::vector<IoPort> chosen;
  for (std::string_view rest = words; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.empty()) continue;
    const auto wanted = parse_io_port(word);
    if (!wanted) return std::unexpected(Error{ErrorKind::Usage, wanted.error().message}.with_hint(std::string(kHow)));
    const auto is_wanted = [&](const IoPort& port) { return port.is_at(wanted->domain, wanted->bus); };
    const auto found = std::ranges::find_if(ports, is_wanted);
    if (found == ports.end())
      absent.push_back(wanted->address());
    else if (std::ranges::none_of(chosen, is_wanted))
      chosen.push_back(*found);
  }
  if (!chosen.empty()) return chosen;
  return std::unexpected(
      Error{ErrorKind::Usage, fmt::format("no root port matches '{}'", words)}.with_hint(std::string(kHow)));
}

Result<> add_port_events(std::span<const IoPort> ports, EventSources& sources, EventList& list) {
  for (const IoPort& port : ports) {
    const std::size_t first = list.size();
    if (auto added = parse_events(group_of(port), sources, list); !added)
      return std::unexpected(
          Error{ErrorKind::Unsupported, fmt::format("{} cannot count the traffic of {}", port.pmu(), port.address())}
              .with_hint("supported units have event, umask, ch_mask and fc_mask in their 'format' folder"));
    for (std::size_t i = first; i < list.size(); ++i) {
      EventSpec& spec = list[i];
      spec.own_cpus = {port.cpu};
      spec.auto_merge = false;
      spec.scale = kMbPerCount;
      spec.unit = "MB";
    }
  }
  return {};
}

}  // namespace peregrine
