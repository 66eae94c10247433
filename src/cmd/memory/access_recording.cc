#include "cmd/memory/access_recording.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "base/result.h"
#include "cli/frame/parts.h"
#include "cmd/command_table.h"
#include "event/config/memory_event.h"
#include "event/source.h"

namespace peregrine::cmd {

Result<int> record_accesses(const AccessRecording& recording, std::vector<std::string> arguments,
                            std::span<const std::string> rest, bool verbose, Invocation& call) {
  EventSources sources;
  const std::vector<MemoryEvent> known = memory_events(sources, recording.latency);
  if (recording.lists_events()) {
    PEREGRINE_TRY(list_access_events(known, call.out));
    return 0;
  }
  const auto events = access_event_arguments(recording, known, call.command.name);
  if (!events) return std::unexpected(events.error());
  arguments.insert(arguments.end(), events->begin(), events->end());
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  if (verbose) call.messages.note(fmt::format("calling: record {}", fmt::join(arguments, " ")));
  return run_other(kRecord, std::move(arguments), call);
}

}  // namespace peregrine::cmd
