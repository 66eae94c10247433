// A TimeChart as one self-contained SVG page: a row for each CPU and task, bars for what they did, lines for who woke
// whom. Each bar tells who, how long and why; in browsers a small script zooms, searches and names bars.
//
// Times are shares of the width, so the picture follows the window. Bars too narrow to tell apart, even zoomed, are
// drawn as one that sums them up: the size is bounded by rows, not by events. Pure.
#pragma once
#include <span>
#include <string>

#include "analysis/chart/time_chart.h"
#include "output/sink.h"

namespace peregrine {

struct TimeChartText {
  std::string title = "Time chart", subtitle;
  unsigned width = 1000;        // for viewers that do not scale
  bool tasks = true;            // else CPUs alone
  bool power = true;            // idle states and frequencies
  std::string marked;           // tasks whose names have this stand out,
  u64 marked_length = ~u64{0};  // and stays on a CPU that are longer
  u64 least_io = 1'000'000;     // calls are drawn as if they took so long
};

// `rows`: indices of the tasks to show.
void print_time_chart(Sink& out, const TimeChart& chart, std::span<const u32> rows, const TimeChartText& text);

}  // namespace peregrine
