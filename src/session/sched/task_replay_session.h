// replay_tasks(): repeats on this machine what the recorded tasks did, with a thread for each of them, and prints how
// long each round takes. For sched replay.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

struct TaskReplayRequest {
  int rounds = 10;         // negative: endless
  u32 round_seconds = 60;  // the most that a round may take; 0: unlimited
  u32 tasks = 16'384;      // the most that are replayed; 0: all
};

// Warnings say what was shortened or left out. Blocks until the last round is over. Errors: a broken file, too many
// threads, an output that fails.
Result<> replay_tasks(TracedRecording& recording, const TaskReplayRequest& request, Sink& out,
                      SessionListener& listener);

}  // namespace peregrine
