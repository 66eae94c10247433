// A TimeChart as one self-contained SVG page: a row per CPU and task, bars for activities, lines for wake-ups. Each bar
// says who, how long and why; a small script zooms, searches and labels bars.
//
// Times are relative to the width, so the picture scales with the window. Bars that are too narrow even when zoomed are
// merged: the size depends on rows, not events. Pure.
#pragma once
#include <span>
#include <string>

#include "analysis/chart/time_chart.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct TimeChartText {
  std::string title = "Time chart", subtitle;
  unsigned width = 1000;        // for viewers that do not scale
  bool tasks = true;            // else only CPUs
  bool power = true;            // idle states and frequencies
  std::string marked;           // highlight tasks with this in their names,
  u64 marked_length = ~u64{0};  // and runs on a CPU longer than this
  u64 least_io = 1'000'000;     // minimum drawn duration of calls
};

// `rows`: indices of the tasks to show.
void print_time_chart(Sink& out, const TimeChart& chart, std::span<const u32> rows, const TimeChartText& text);

}  // namespace peregrine
