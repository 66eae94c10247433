#include "cmd/memory/access_recording.h"

#include <algorithm>

#include "cli/frame/parts.h"
#include "cmd/command_table.h"
#include "event/config/memory_event.h"

namespace peregrine::cmd {

namespace {

Error no_events() {
  return Error{ErrorKind::Unsupported, "memory events not supported"}.with_hint(
      "none of this machine's PMUs samples accesses of data, as Intel's mem-loads and AMD's ibs_op do; a guest has "
      "them "
      "only if its host lets it");
}

}  // namespace

Result<int> record_accesses(AccessRecording request, std::span<const std::string> rest, Invocation& call) {
  EventSources sources;
  const std::vector<MemoryEvent> known = memory_events(sources, request.latency);
  if (std::ranges::find(request.events, "list") != request.events.end()) {
    for (const MemoryEvent& event : known) call.out.format("{:<13} : available  {}\n", event.tag, event.text);
    return known.empty() ? Result<int>(std::unexpected(no_events())) : 0;
  }
  std::vector<std::string> words = std::move(request.words);
  bool any = false;
  for (const MemoryEvent& event : known) {
    const bool chosen = request.events.empty() ? (event.loads && request.loads) || (event.stores && request.stores)
                                               : std::ranges::find(request.events, event.tag) != request.events.end();
    if (chosen) words.insert(words.end(), {"-e", event.text});
    any = any || chosen;
  }
  for (const std::string& name : request.events) {
    if (std::ranges::find(known, name, &MemoryEvent::tag) != known.end()) continue;
    auto error = Error{ErrorKind::Usage, fmt::format("unknown memory event '{}'", name)};
    return std::unexpected(
        known.empty() ? no_events()
                      : std::move(error).with_hint(fmt::format("`perf {} -e list` shows them", call.command.name)));
  }
  if (!any) return std::unexpected(no_events());
  words.insert(words.end(), rest.begin(), rest.end());
  if (request.verbose) {
    std::string line = "calling: record";
    for (const std::string& word : words) line += " " + word;
    call.messages.note(line);
  }
  return run_other(kRecord, std::move(words), call);
}

}  // namespace peregrine::cmd
