#include "capture/perf_event/control_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "abi/attr.h"
#include "base/result.h"
#include "event/attr_text.h"
#include "event/spec.h"

namespace peregrine {
namespace {

// The answer to evlist: one line per event; -v adds the attr, -F the rate, and -g joins groups.
std::string events_text(const EventList& events, std::string_view option) {
  std::string text;
  for (std::size_t index = 0; index < events.size(); ++index) {
    const EventSpec& spec = events[index];
    if (option == "-g" && spec.leader != index) continue;
    const bool group = option == "-g" && spec.group_size > 1;
    text += (group ? spec.group_name + "{" : "") + spec.name;
    for (std::size_t member = index + 1; group && member < events.size(); ++member) {
      if (events[member].leader == index) text += "," + events[member].name;
    }
    if (group) text += '}';
    if (option == "-v") text += ": " + attr_text(spec.attr);
    if (option == "-F") {
      text += fmt::format(": sample_{}={}", spec.attr.has(abi::attr_flag::Freq) ? "freq" : "period",
                          spec.attr.sample_period);
    }
    text += '\n';
  }
  return text;
}

Result<std::string> set_enabled(const std::string& name, bool on, const EventList& events, EventMatrix& matrix) {
  if (name.empty()) {
    PEREGRINE_TRY(on ? matrix.enable() : matrix.disable());
    return std::string(on ? "Events enabled\n" : "Events disabled\n");
  }
  const auto found = std::ranges::find(events, name, &EventSpec::name);
  if (found == events.end()) return fmt::format("failed: can't find '{}' event\n", name);
  PEREGRINE_TRY(matrix.set_enabled(static_cast<std::size_t>(found - events.begin()), on));
  return fmt::format("Event {} {}\n", name, on ? "enabled" : "disabled");
}

}  // namespace

Result<std::string> carry_out(const ControlCommand& command, const EventList& events, EventMatrix& matrix) {
  using Verb = ControlCommand::Verb;
  switch (command.verb) {
    case Verb::Enable:
    case Verb::Disable:
      return set_enabled(command.argument, command.verb == Verb::Enable, events, matrix);
    case Verb::Evlist:
      if (command.argument.empty() || command.argument == "-v" || command.argument == "-g" || command.argument == "-F")
        return events_text(events, command.argument);
      return std::string("failed: wrong command\n");
    case Verb::Stop:
    case Verb::Snapshot:  // only for AUX areas, which are not supported
    case Verb::Ping:
    case Verb::Status:
      break;
  }
  return std::string();
}

}  // namespace peregrine
