// replay_tasks(): repeats on this machine what the recorded tasks did, with a thread for each task, and prints how
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
  u32 round_seconds = 60;  // maximum duration of a round; 0: unlimited
  u32 tasks = 16'384;      // maximum number of tasks; 0: all
};

// Warns about what was shortened or omitted. Blocks until the last round is over. Errors: a broken file, too many
// threads, output fails.
Result<> replay_tasks(TracedRecording& recording, const TaskReplayRequest& request, Sink& out,
                      SessionListener& listener);

}  // namespace peregrine
