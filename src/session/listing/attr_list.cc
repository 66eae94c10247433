#include "session/listing/attr_list.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "abi/attr.h"
#include "base/bytes.h"
#include "capture/perf_event/breakpoint_symbol.h"
#include "capture/target/target.h"
#include "event/config/record_config.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "output/json/json_line.h"

namespace peregrine {
namespace {

std::string hexadecimal(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

}  // namespace

Result<> print_event_attrs(const std::string& events, EventSources& sources, Sink& out, SessionListener& listener) {
  EventList list;
  PEREGRINE_TRY(parse_events(events, sources, list));
  PEREGRINE_TRY(place_breakpoints(sources.root(), Target{.kind = TargetKind::Cpus}, list));
  const std::size_t requested = list.size();  // recording may add a dummy event
  std::vector<std::string> warnings;
  PEREGRINE_TRY(configure_for_record({.cpu_list = true}, {}, list, warnings));
  for (const std::string& warning : warnings) listener.warning(warning);
  for (std::size_t i = 0; i < requested; ++i) {
    const EventSpec& event = list[i];
    ByteWriter bytes;
    abi::encode_attr(event.attr, bytes);
    std::string text = "{";
    JsonLine line(text);
    line.string("event", event.name);
    line.number("leader", event.leader);
    if (event.filter) line.string("filter", *event.filter);
    line.string("attr", hexadecimal(bytes.take()));
    out.append(text).append("}\n");
  }
  return {};
}

}  // namespace peregrine
