// view_session: a recording as a timeline, for a page or a screen. Main thread only.
#pragma once
#include <string>
#include <vector>

#include "analysis/timeline/timeline.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

struct ViewRequest {
  std::string times;              // spans; empty: all
  std::string page;               // the HTML file; "-": standard output
  std::string title;              // of the page; empty: chosen
  std::string creator;            // program and version
  u64 page_bytes = 256ULL << 20;  // about how large the page may become
};

// Reads the whole recording. `blocks`: takes the bytes of blocks; null: they stay in memory. Losses are reported.
// Errors: Usage (times), a broken file, nothing with a time.
Result<Timeline> read_timeline(TracedRecording& recording, const std::string& times, TimelineBlockSink* blocks,
                               SessionListener& listener);

// Writes the page, and says so. What had to be left out is in the page and a warning. Errors: also a file that cannot
// be written.
Result<> write_timeline(TracedRecording& recording, const ViewRequest& request, Sink& standard_output,
                        SessionListener& listener);

}  // namespace peregrine
