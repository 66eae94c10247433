// Time charts: collects and draws what CPUs and tasks did during a recording. For timechart. Main thread only.
#pragma once
#include <string>

#include "analysis/chart/io_calls.h"
#include "analysis/chart/time_chart.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/svg/time_chart.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

struct ChartRequest {
  IoRequest io;
  TaskChoice tasks;
  TimeChartText look;     // title and subtitle are set here
  bool topology = false;  // place CPUs of the same socket, die or core side by side
  std::string times;      // spans; empty: all
  std::string output;     // the SVG file; "-": standard output
};

// Draws the chart into its file and returns the length of the recorded time in ns. Errors: Usage (times), a broken
// file, nothing to draw, the file cannot be written.
Result<u64> draw_time_chart(TracedRecording& recording, const ChartRequest& request, Sink& standard_output,
                            SessionListener& listener);

}  // namespace peregrine
