#include "session/memory/access_dump.h"

#include <utility>

#include "base/result.h"
#include "session/recording/sample_choice.h"
#include "session/session_listener.h"

namespace peregrine {

Result<bool> dump_accesses(TracedRecording& recording, const AccessDumpRequest& request, Sink& out,
                           SessionListener& listener) {
  OrderedReplay replay;
  const auto chosen = choose_cpus(request.cpus, recording.reader->evlist(), replay.filter, listener);
  if (!chosen || !*chosen) return chosen;
  AccessLines lines(request.style, out);
  PEREGRINE_TRY(replay_in_order(recording, lines, std::move(replay), listener));
  return true;
}

}  // namespace peregrine
