// list --attr: what the kernel would be asked for, for programs that open events themselves.
#include "capture/perf_event/breakpoint_symbol.h"
#include "cmd/list/list_options.h"
#include "event/config/record_config.h"
#include "event/syntax/parse.h"
#include "output/json/json_text.h"

namespace peregrine::cmd {
namespace {

std::string hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

}  // namespace

Result<int> list_attrs(const std::string& words, ListRequest& request, Invocation& call) {
  EventList events;
  PEREGRINE_TRY(parse_events(words, request.sources, events));
  PEREGRINE_TRY(place_breakpoints(request.sources.root(), Target{.kind = TargetKind::Cpus}, events));
  const std::size_t asked = events.size();  // recording may add a dummy behind them
  std::vector<std::string> warnings;
  PEREGRINE_TRY(configure_for_record({.cpu_list = true}, {}, events, warnings));
  for (const std::string& warning : warnings) call.messages.warning(warning);
  for (std::size_t i = 0; i < asked; ++i) {
    const EventSpec& event = events[i];
    ByteWriter bytes;
    abi::encode_attr(event.attr, bytes);
    call.out.format("{{\"event\":\"{}\",\"leader\":{},", json_escaped(event.name), event.leader);
    if (event.filter) call.out.format("\"filter\":\"{}\",", json_escaped(*event.filter));
    call.out.format("\"attr\":\"{}\"}}\n", hex(bytes.take()));
  }
  return 0;
}

}  // namespace peregrine::cmd
